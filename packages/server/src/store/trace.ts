import { type AttemptRow, toAttempt } from './attempts.ts';
import { type ChargeOperationRow, toOperation } from './charge-operations.ts';
import { type CheckoutRow, toCheckout } from './checkout-row.ts';
import type { Database } from './database.ts';
import { type ListedDelivery, listedColumns, toListedDelivery } from './deliveries.ts';
import { type LinkRow, type SecondConfirmation, secondConfirmations, toLink } from './links.ts';
import type { RefusalRow } from './refusals.ts';

/** The stored history of a request, an attempt, an operation on a charge, or a checkout. */
export interface Trace {
  /** Attempts of the checkout, or of the request when it created none; oldest first. */
  attempts: AttemptRow[];
  /** Settles, refunds and voids of the charge, or of the request when its checkout is deleted. */
  operations: ChargeOperationRow[];
  checkout: CheckoutRow | undefined;
  deliveries: ListedDelivery[];
  /** The link of the checkout, and its confirmations that were not charged. */
  link?: LinkRow | undefined;
  secondConfirmations?: SecondConfirmation[];
  /** The refusal of the request, if it was refused. */
  refusal: RefusalRow | undefined;
}

export interface TraceRepository {
  /**
   * @param id of a request (`req_…`), an attempt (`att_…`), an operation on a charge (`opr_…`) or a
   * checkout (`chk_…`)
   */
  trace(id: string): Promise<Trace>;
}

export function trace({ db }: Database): TraceRepository {
  const attemptsWhere = (column: 'id' | 'request_id' | 'checkout_id', value: string) =>
    db
      .selectFrom('attempts')
      .selectAll()
      .where(column, '=', value)
      .orderBy('created_at')
      .orderBy('id')
      .execute();

  async function operationsWhere(
    column: 'id' | 'request_id' | 'charge_id',
    value: string,
  ): Promise<ChargeOperationRow[]> {
    const rows = await db
      .selectFrom('charge_operations')
      .selectAll()
      .where(column, '=', value)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toOperation);
  }

  /** Finds the checkout of an operation's charge. */
  async function checkoutOfCharge(operation: ChargeOperationRow): Promise<string | undefined> {
    const row = await db
      .selectFrom('checkouts')
      .select('id')
      .where('environment', '=', operation.environment)
      .where('charge_id', '=', operation.chargeId)
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
    return row?.id;
  }

  async function refusalOf(requestId: string): Promise<RefusalRow | undefined> {
    const row = await db
      .selectFrom('refusals')
      .selectAll()
      .where('request_id', '=', requestId)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { code, detail, refused_at } = row;
    return { requestId, code, detail, refusedAt: Number(refused_at) };
  }

  return {
    async trace(id) {
      const refusal = await refusalOf(id);
      const found = [
        ...(await operationsWhere('request_id', id)),
        ...(await operationsWhere('id', id)),
      ];
      const [operation] = found;
      const attempts = [
        ...(await attemptsWhere('request_id', id)),
        ...(await attemptsWhere('id', id)),
      ];
      const checkoutId =
        attempts.find((row) => row.checkout_id !== null)?.checkout_id ??
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
        .where('checkout_id', '=', checkoutId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      const link =
        row.via === null
          ? undefined
          : await db
              .selectFrom('links')
              .selectAll()
              .where('checkout_id', '=', checkoutId)
              .executeTakeFirst();
      return {
        ...(link === undefined
          ? {}
          : {
              link: toLink(link),
              secondConfirmations: await secondConfirmations(db, checkoutId),
            }),
        attempts: (await attemptsWhere('checkout_id', checkoutId)).map(toAttempt),
        // Charges of two environments may have the same id.
        operations:
          row.charge_id === null
            ? []
            : (await operationsWhere('charge_id', row.charge_id)).filter(
                ({ environment }) => environment === row.environment,
              ),
        checkout: toCheckout(row),
        deliveries: deliveries.map(toListedDelivery),
        refusal,
      };
    },
  };
}
