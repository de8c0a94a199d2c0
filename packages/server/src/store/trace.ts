import { type AttemptRow, toAttempt } from './attempts.ts';
import { type ChargeOperationRow, toOperation } from './charge-operations.ts';
import { type CheckoutRow, toCheckout } from './checkout-row.ts';
import type { Database } from './database.ts';
import { type ListedDelivery, listedColumns, toListedDelivery } from './deliveries.ts';
import { type LinkRow, type SecondConfirmation, secondConfirmations, toLink } from './links.ts';

/** Why a request was refused before the service was called. Contains no values from the request. */
export interface RefusalRow {
  requestId: string;
  code: string;
  /** What to do next, with the path and the problem of each invalid field. */
  detail: string;
  /** Milliseconds since 1970. */
  refusedAt: number;
}

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

export type TraceRepository = ReturnType<typeof trace>;

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
    return rows.map(toOperation);
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
          attempts: attempts.map(toAttempt),
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
              link: toLink(link),
              secondConfirmations: await secondConfirmations(db, checkoutId),
            }),
        attempts: (await attemptsWhere('checkoutId', checkoutId)).map(toAttempt),
        // Charges of two environments may have the same id.
        operations:
          row.chargeId === undefined
            ? []
            : (await operationsWhere('chargeId', row.chargeId)).filter(
                ({ environment }) => environment === row.environment,
              ),
        checkout: toCheckout(row),
        deliveries: deliveries.map(toListedDelivery),
        refusal,
      };
    },
  };
}
