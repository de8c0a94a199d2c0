import type { Kysely, Selectable } from 'kysely';
import type { AttemptColumns } from './attempts.ts';
import type { CheckoutColumns } from './checkout-row.ts';
import { prepare } from './prepared.ts';
import type { IdempotencyTable, Schema } from './schema.ts';

export type PrimeStatements = ReturnType<typeof primeStatements>;

/** Prepares the statements of a prime, because every checkout runs them. */
export function primeStatements(db: Kysely<Schema>) {
  return {
    findKey: prepare<{ key: string }, Selectable<IdempotencyTable>>(({ key }) =>
      db.selectFrom('idempotency').selectAll().where('key', '=', key),
    ),
    findOrderHolder: prepare<
      { environment: string; merchantOrderId: string },
      { checkoutId: string }
    >(({ environment, merchantOrderId }) =>
      db
        .selectFrom('orderClaims')
        .select('checkoutId')
        .where('environment', '=', environment)
        .where('merchantOrderId', '=', merchantOrderId),
    ),
    /** Claims a key that is new, or released by the same request. */
    claimKey: prepare<
      Pick<IdempotencyTable, 'key' | 'fingerprint' | 'attemptId'> & {
        leaseUntil: number;
        now: number;
      }
    >(({ key, fingerprint, attemptId, leaseUntil, now }) =>
      db
        .insertInto('idempotency')
        .values({
          key,
          fingerprint,
          attemptId,
          state: 'in-flight',
          leaseUntil,
          checkoutId: null,
          problem: null,
          createdAt: now,
        })
        .onConflict((conflict) =>
          conflict
            .column('key')
            .doUpdateSet({ attemptId, state: 'in-flight', leaseUntil })
            .where('idempotency.state', '=', 'released')
            .whereRef('idempotency.fingerprint', '=', 'excluded.fingerprint'),
        ),
    ),
    insertAttempt: prepare<AttemptColumns>((columns) => db.insertInto('attempts').values(columns)),
    insertCheckout: prepare<CheckoutColumns>((columns) =>
      db.insertInto('checkouts').values(columns),
    ),
    endAttempt: prepare<
      Pick<AttemptColumns, 'id' | 'state' | 'serviceRequestId' | 'reason' | 'checkoutId'> & {
        now: number;
      }
    >(({ id, state, serviceRequestId, reason, checkoutId, now }) =>
      db
        .updateTable('attempts')
        .set({ state, serviceRequestId, reason, checkoutId, updatedAt: now })
        .where('id', '=', id),
    ),
    endKey: prepare<{
      key: string;
      attemptId: string;
      state: string;
      checkoutId: string | null;
      problem: string | null;
    }>(({ key, attemptId, state, checkoutId, problem }) =>
      db
        .updateTable('idempotency')
        .set({ state, checkoutId, problem })
        .where('key', '=', key)
        .where('attemptId', '=', attemptId),
    ),
  };
}
