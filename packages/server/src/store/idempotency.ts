import { type Kysely, type Selectable, sql } from 'kysely';
import { insertAttemptQuery } from './attempts.ts';
import { insertCheckoutQuery } from './checkouts.ts';
import type { Database } from './database.ts';
import { orderHolderQuery } from './order-claims.ts';
import { type Prepared, prepare } from './prepared.ts';
import { fromCheckout, toIdempotency } from './rows.ts';
import type { IdempotencyTable, Schema } from './schema.ts';
import type { BeginPrime, BegunPrime, FinishPrime, Store } from './store.ts';
import { rowsOf, type Unit } from './units.ts';

/** Idempotency keys of the storefront, and what each ended with. */
export function idempotency({
  db,
  units,
}: Database): Pick<Store, 'findIdempotency' | 'beginPrime' | 'finishPrime'> {
  const byKey = keyQuery(db);
  const { beginPrime, finishPrime } = primeUnits(db);
  return {
    async findIdempotency(key) {
      const [row] = await units.read(byKey({ key }));
      return row && toIdempotency(row);
    },
    beginPrime: (begin) =>
      units.write({ name: 'beginPrime', input: begin, unit: beginPrime(begin) }),
    finishPrime: (finish) =>
      units.write({ name: 'finishPrime', input: finish, unit: finishPrime(finish) }),
  };
}

/** What every checkout writes, before the service is called and after. `db` builds, and runs nothing. */
export function primeUnits(db: Kysely<Schema>) {
  return { beginPrime: beginning(db), finishPrime: finishing(db) };
}

function keyQuery(db: Kysely<Schema>): Prepared<{ key: string }, Selectable<IdempotencyTable>> {
  return prepare(({ key }) => db.selectFrom('idempotency').selectAll().where('key', '=', key));
}

/** Takes the key, and records the attempt in the same transaction. */
function beginning(db: Kysely<Schema>): (begin: BeginPrime) => Unit<BegunPrime> {
  type Taken = Pick<IdempotencyTable, 'key' | 'fingerprint' | 'attempt_id'>;
  const takeKey = prepare<Taken & { lease_until: number; now: number }, unknown>(
    ({ key, fingerprint, attempt_id, lease_until, now }) =>
      db
        .insertInto('idempotency')
        .values({
          key,
          fingerprint,
          attempt_id,
          state: sql.lit('in-flight'),
          lease_until,
          checkout_id: sql.lit(null),
          problem: sql.lit(null),
          created_at: now,
        })
        .onConflict((conflict) =>
          conflict
            .column('key')
            .doUpdateSet((eb) => ({
              attempt_id: eb.ref('excluded.attempt_id'),
              state: sql.lit('in-flight'),
              lease_until: eb.ref('excluded.lease_until'),
            }))
            .where('idempotency.state', '=', sql.lit('released'))
            .whereRef('idempotency.fingerprint', '=', 'excluded.fingerprint'),
        ),
  );
  const byKey = keyQuery(db);
  const orderHolder = orderHolderQuery(db);
  const insertAttempt = insertAttemptQuery(db);

  return ({ key, fingerprint, attempt, order, leaseUntil, now }) =>
    function* beginPrime() {
      const taken = yield* rowsOf(orderHolder(order));
      if (taken.length === 0) {
        // SQLite keeps what is to be returned in a table of its own: the count costs half as much.
        const { written } = yield takeKey({
          key,
          fingerprint,
          attempt_id: attempt.id,
          lease_until: leaseUntil,
          now,
        });
        if (written > 0) {
          yield insertAttempt(attempt, now);
          return { kind: 'begun' };
        }
      }
      const [row] = yield* rowsOf(byKey({ key }));
      // The answer to a prime from before the order was paid for is given again.
      const again =
        row === undefined || (row.state === 'released' && row.fingerprint === fingerprint);
      if (taken.length > 0 && again) return { kind: 'order-taken' };
      if (row === undefined) throw new Error('An idempotency key is neither new nor known.');
      return { kind: 'known', row: toIdempotency(row) };
    };
}

/** Writes how a prime ended: its attempt, its checkout, and what its key answers from now on. */
function finishing(db: Kysely<Schema>): (finish: FinishPrime) => Unit<void> {
  const endAttempt = prepare<
    {
      id: string;
      state: string;
      service_request_id: string | null;
      reason: string | null;
      checkout_id: string | null;
      now: number;
    },
    unknown
  >(({ id, state, service_request_id, reason, checkout_id, now }) =>
    db
      .updateTable('attempts')
      .set({ state, service_request_id, reason, checkout_id, updated_at: now })
      .where('id', '=', id),
  );
  const endKey = prepare<
    Pick<IdempotencyTable, 'key' | 'attempt_id' | 'state' | 'checkout_id' | 'problem'>,
    unknown
  >(({ key, attempt_id, state, checkout_id, problem }) =>
    db
      .updateTable('idempotency')
      .set({ state, checkout_id, problem })
      .where('key', '=', key)
      .where('attempt_id', '=', attempt_id),
  );
  const insertCheckout = insertCheckoutQuery(db);
  return ({ key, attempt, now, end }) =>
    function* finishPrime() {
      const checkout = end !== 'released' && 'checkout' in end ? end.checkout : undefined;
      const problem = end !== 'released' && 'problem' in end ? end.problem : undefined;
      if (checkout !== undefined) yield insertCheckout(fromCheckout(checkout));
      yield endAttempt({
        id: attempt.id,
        state: attempt.state,
        service_request_id: attempt.serviceRequestId ?? null,
        reason: attempt.reason ?? null,
        checkout_id: checkout?.id ?? null,
        now,
      });
      yield endKey({
        key,
        attempt_id: attempt.id,
        state: end === 'released' ? 'released' : 'finished',
        checkout_id: checkout?.id ?? null,
        problem: problem === undefined ? null : JSON.stringify(problem),
      });
    };
}
