import type { Database } from './database.ts';
import { type ListedDelivery, listedColumns } from './deliveries.ts';
import { type SecondConfirmation, secondConfirmations } from './links.ts';
import {
  type AttemptRow,
  type ChargeOperationRow,
  type CheckoutRow,
  type LinkRow,
  type RefusalRow,
  tables,
} from './schema.ts';

/** The stored history of a request, an attempt, an operation on a charge, or a checkout. */
export interface Trace {
  /** Attempts of the checkout, or of the request if it created no checkout; oldest first. */
  attempts: AttemptRow[];
  /** Settles, refunds and voids of the charge, or of the request if its checkout was deleted. */
  operations: ChargeOperationRow[];
  checkout: CheckoutRow | undefined;
  deliveries: ListedDelivery[];
  /** The link of the checkout, and its confirmations that were not charged. */
  link?: LinkRow | undefined;
  secondConfirmations?: SecondConfirmation[];
  refusal: RefusalRow | undefined;
}

export function trace({ db }: Database) {
  const attemptsWhere = (column: 'id' | 'requestId' | 'checkoutId', value: string) =>
    db
      .selectFrom('attempts')
      .selectAll()
      .where(column, '=', value)
      .orderBy('createdAt')
      .orderBy('id')
      .execute();

  async function operationsWhere(
    column: 'id' | 'requestId' | 'chargeId',
    value: string,
  ): Promise<ChargeOperationRow[]> {
    const rows = await db
      .selectFrom('chargeOperations')
      .selectAll()
      .where(column, '=', value)
      .orderBy('createdAt')
      .orderBy('id')
      .execute();
    return rows.map(tables.chargeOperations.read);
  }

  async function checkoutOfCharge(operation: ChargeOperationRow): Promise<string | undefined> {
    const row = await db
      .selectFrom('checkouts')
      .select('id')
      .where('environment', '=', operation.environment)
      .where('chargeId', '=', operation.chargeId)
      .orderBy('createdAt', 'desc')
      .executeTakeFirst();
    return row?.id;
  }

  async function refusalOf(requestId: string): Promise<RefusalRow | undefined> {
    return db
      .selectFrom('refusals')
      .selectAll()
      .where('requestId', '=', requestId)
      .executeTakeFirst();
  }

  return {
    async keepRefusal(refusal: RefusalRow): Promise<void> {
      await db.insertInto('refusals').values(refusal).execute();
    },

    /**
     * @param id id of a request (`req_…`), an attempt (`att_…`), an operation on a charge (`opr_…`)
     * or a checkout (`chk_…`)
     */
    async trace(id: string): Promise<Trace> {
      const refusal = await refusalOf(id);
      const found = [
        ...(await operationsWhere('requestId', id)),
        ...(await operationsWhere('id', id)),
      ];
      const [operation] = found;
      const attempts = [
        ...(await attemptsWhere('requestId', id)),
        ...(await attemptsWhere('id', id)),
      ];
      const checkoutId =
        attempts.find((row) => row.checkoutId !== undefined)?.checkoutId ??
        (operation && (await checkoutOfCharge(operation))) ??
        id;
      const row = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('id', '=', checkoutId)
        .executeTakeFirst();
      if (row === undefined) {
        return {
          attempts: attempts.map(tables.attempts.read),
          operations: found,
          checkout: undefined,
          deliveries: [],
          refusal,
        };
      }
      const deliveries = await db
        .selectFrom('outbox')
        .select(listedColumns)
        .where('checkoutId', '=', checkoutId)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      const link =
        row.via === undefined
          ? undefined
          : await db
              .selectFrom('links')
              .selectAll()
              .where('checkoutId', '=', checkoutId)
              .executeTakeFirst();
      return {
        ...(link === undefined
          ? {}
          : {
              link: tables.links.read(link),
              secondConfirmations: await secondConfirmations(db, checkoutId),
            }),
        attempts: (await attemptsWhere('checkoutId', checkoutId)).map(tables.attempts.read),
        // Charges of two environments may have the same id.
        operations:
          row.chargeId === undefined
            ? []
            : (await operationsWhere('chargeId', row.chargeId)).filter(
                ({ environment }) => environment === row.environment,
              ),
        checkout: tables.checkouts.read(row),
        deliveries,
        refusal,
      };
    },
  };
}
