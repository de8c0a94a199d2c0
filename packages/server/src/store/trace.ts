import type { Database } from './database.ts';
import { toAttempt, toCheckout } from './rows.ts';
import type { AttemptRow, CheckoutRow } from './store.ts';

/** A message to the shop about a checkout, without its body. Times are milliseconds since 1970. */
export interface TracedDelivery {
  id: string;
  tries: number;
  reason: string | undefined;
  createdAt: number;
  nextAttemptAt: number | undefined;
  deliveredAt: number | undefined;
}

/** What is kept of a request, an attempt or a checkout. */
export interface Trace {
  /** In order of time: of the checkout, or of the request when it led to none. */
  attempts: AttemptRow[];
  checkout: CheckoutRow | undefined;
  deliveries: TracedDelivery[];
}

export interface TraceStore {
  /** @param id of a request (`req_…`), an attempt (`att_…`) or a checkout (`chk_…`) */
  trace(id: string): Promise<Trace>;
}

export function trace({ db }: Database): TraceStore {
  const attemptsWhere = (column: 'id' | 'request_id' | 'checkout_id', value: string) =>
    db
      .selectFrom('attempts')
      .selectAll()
      .where(column, '=', value)
      .orderBy('created_at')
      .orderBy('id')
      .execute();

  return {
    async trace(id) {
      const named = [
        ...(await attemptsWhere('request_id', id)),
        ...(await attemptsWhere('id', id)),
      ];
      const checkoutId = named.find((row) => row.checkout_id !== null)?.checkout_id ?? id;
      const row = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('id', '=', checkoutId)
        .executeTakeFirst();
      if (row === undefined) {
        return { attempts: named.map(toAttempt), checkout: undefined, deliveries: [] };
      }
      const deliveries = await db
        .selectFrom('outbox')
        .select(['id', 'tries', 'last_reason', 'created_at', 'next_attempt_at', 'delivered_at'])
        .where('checkout_id', '=', checkoutId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return {
        attempts: (await attemptsWhere('checkout_id', checkoutId)).map(toAttempt),
        checkout: toCheckout(row),
        deliveries: deliveries.map((delivery) => ({
          id: delivery.id,
          tries: delivery.tries,
          reason: delivery.last_reason ?? undefined,
          createdAt: Number(delivery.created_at),
          nextAttemptAt: moment(delivery.next_attempt_at),
          deliveredAt: moment(delivery.delivered_at),
        })),
      };
    },
  };
}

function moment(value: number | string | null): number | undefined {
  return value === null ? undefined : Number(value);
}
