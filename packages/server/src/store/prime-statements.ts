import type { Kysely, Selectable } from 'kysely';
import type { AttemptColumns } from './attempts.ts';
import type { CheckoutColumns } from './checkout-row.ts';
import { prepare } from './prepared.ts';
import type { IdempotencyTable, Schema } from './schema.ts';

export type PrimeStatements = ReturnType<typeof primeStatements>;

/** Prepares the statements of a prime: every checkout runs them. */
export function primeStatements(db: Kysely<Schema>) {
  return {
    findKey: prepare<{ key: string }, Selectable<IdempotencyTable>>(({ key }) =>
      db.selectFrom('idempotency').selectAll().where('key', '=', key),
    ),
    findOrderHolder: prepare<
      { environment: string; merchantOrderId: string },
      { checkout_id: string }
    >(({ environment, merchantOrderId }) =>
      db
        .selectFrom('order_claims')
        .select('checkout_id')
        .where('environment', '=', environment)
        .where('merchant_order_id', '=', merchantOrderId),
    ),
    /** Claims a key that is new, or released by the same request. */
    claimKey: prepare<
      Pick<IdempotencyTable, 'key' | 'fingerprint' | 'attempt_id'> & {
        leaseUntil: number;
        now: number;
      }
    >(({ key, fingerprint, attempt_id, leaseUntil, now }) =>
      db
        .insertInto('idempotency')
        .values({
          key,
          fingerprint,
          attempt_id,
          state: 'in-flight',
          lease_until: leaseUntil,
          checkout_id: null,
          problem: null,
          created_at: now,
        })
        .onConflict((conflict) =>
          conflict
            .column('key')
            .doUpdateSet({ attempt_id, state: 'in-flight', lease_until: leaseUntil })
            .where('idempotency.state', '=', 'released')
            .whereRef('idempotency.fingerprint', '=', 'excluded.fingerprint'),
        ),
    ),
    insertAttempt: prepare<AttemptColumns>((columns) => db.insertInto('attempts').values(columns)),
    insertCheckout: prepare<CheckoutColumns>((columns) =>
      db.insertInto('checkouts').values(columns),
    ),
    endAttempt: prepare<
      Pick<AttemptColumns, 'id' | 'state' | 'service_request_id' | 'reason' | 'checkout_id'> & {
        now: number;
      }
    >(({ id, state, service_request_id, reason, checkout_id, now }) =>
      db
        .updateTable('attempts')
        .set({ state, service_request_id, reason, checkout_id, updated_at: now })
        .where('id', '=', id),
    ),
    endKey: prepare<
      Pick<IdempotencyTable, 'key' | 'attempt_id' | 'state' | 'checkout_id' | 'problem'>
    >(({ key, attempt_id, state, checkout_id, problem }) =>
      db
        .updateTable('idempotency')
        .set({ state, checkout_id, problem })
        .where('key', '=', key)
        .where('attempt_id', '=', attempt_id),
    ),
  };
}
