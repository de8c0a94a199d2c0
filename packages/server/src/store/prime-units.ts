import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely';
import { type CheckoutColumns, fromCheckout } from './checkout-columns.ts';
import { orderHolderQuery } from './order-claims.ts';
import { orderLockOf } from './order-lock.ts';
import { type Prepared, prepare } from './prepared.ts';
import type { IdempotencyTable, Schema } from './schema.ts';
import type { BeginPrime, BegunPrime, FinishPrime, NewAttempt } from './store.ts';
import { rowsOf, type Unit } from './units.ts';

/** As {@link BegunPrime}, with the row as it is stored. */
export type Begun =
  Exclude<BegunPrime, { kind: 'known' }> | { kind: 'known'; row: Selectable<IdempotencyTable> };

/**
 * What every checkout writes, before the service is called and after. `db` builds, and runs nothing.
 * A thread makes them too, and loads no library for schemas for them.
 */
export function primeUnits(db: Kysely<Schema>) {
  return { beginPrime: beginning(db), finishPrime: finishing(db) };
}

/** The statement that finds a key, built once. */
export function keyQuery(
  db: Kysely<Schema>,
): Prepared<{ key: string }, Selectable<IdempotencyTable>> {
  return prepare(({ key }) => db.selectFrom('idempotency').selectAll().where('key', '=', key));
}

/** Takes the key, and records the attempt in the same transaction. */
function beginning(db: Kysely<Schema>): (begin: BeginPrime) => Unit<Begun> {
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
  const freeAt = budgetOf(db);
  const lockOrder = orderLockOf(db);

  return ({ key, fingerprint, attempt, order, budget, leaseUntil, now }) =>
    function* beginPrime() {
      const primeOf = `${order.environment} ${order.merchantOrderId}`;
      if (budget && lockOrder) yield lockOrder({ name: `prime of ${primeOf}` });
      const taken = yield* rowsOf(orderHolder(order));
      const free = budget && (yield* freeAt({ ...order, ...budget, primeOf, now }));
      if (taken.length === 0 && free === undefined) {
        // SQLite keeps what is to be returned in a table of its own: the count costs half as much.
        const { written } = yield takeKey({
          key,
          fingerprint,
          attempt_id: attempt.id,
          lease_until: leaseUntil,
          now,
        });
        if (written > 0) {
          yield insertAttempt({ ...attempt, primeOf }, now);
          return { kind: 'begun' };
        }
      }
      const [row] = yield* rowsOf(byKey({ key }));
      // The answer to a prime from before the order was paid for is given again.
      const again =
        row === undefined || (row.state === 'released' && row.fingerprint === fingerprint);
      const [holder] = taken;
      if (holder && again) return { kind: 'order-taken', checkoutId: holder.checkout_id };
      if (free !== undefined && again) return { kind: 'above-budget', freeAt: free };
      if (row === undefined) throw new Error('An idempotency key is neither new nor known.');
      return { kind: 'known', row };
    };
}

/** Primes of an order that are counted: the largest budget that can be configured. */
const MAX_COUNTED = 1_000;
/** Milliseconds for which a prime counts as under way. It is bounded by the lease of its key. */
const UNDER_WAY_MS = 60_000;

/**
 * Returns when a part of an order's budget is free again; undefined while it is not spent. A prime
 * that was provably not sent costs nothing.
 */
function budgetOf(db: Kysely<Schema>) {
  const primesOf = prepare<
    { primeOf: string; since: number },
    { state: string; created_at: number | string }
  >(({ primeOf, since }) =>
    db
      .selectFrom('attempts')
      .select(['state', 'created_at'])
      .where('prime_of', '=', primeOf)
      .where('created_at', '>', since)
      .where('state', '<>', sql.lit('not-sent'))
      .orderBy('created_at', 'desc')
      .limit(sql.lit(MAX_COUNTED)),
  );
  const openOf = prepare<
    { environment: string; merchantOrderId: string; now: number },
    { expires_at: number | string }
  >(({ environment, merchantOrderId, now }) =>
    db
      .selectFrom('checkouts')
      .select('expires_at')
      .where('environment', '=', environment)
      .where('merchant_order_id', '=', merchantOrderId)
      .where('status', '=', sql.lit('open'))
      .where('expires_at', '>', now)
      .orderBy('expires_at'),
  );
  return function* freeAt(
    order: BeginPrime['order'] &
      NonNullable<BeginPrime['budget']> & { primeOf: string; now: number },
  ) {
    const { environment, merchantOrderId, primeOf, openCheckouts, primes, since, now } = order;
    if (openCheckouts === 0 && primes === 0) return undefined;
    const made = yield* rowsOf(primesOf({ primeOf, since }));
    const oldest = primes === 0 ? undefined : made[primes - 1];
    if (oldest !== undefined) return Number(oldest.created_at) + now - since;
    if (openCheckouts === 0) return undefined;
    const open = yield* rowsOf(openOf({ environment, merchantOrderId, now }));
    const isUnderWay = ({ state, created_at }: (typeof made)[number]) =>
      state === 'recorded' && Number(created_at) > now - UNDER_WAY_MS;
    const count = open.length + made.filter(isUnderWay).length;
    if (count < openCheckouts) return undefined;
    return open[0] === undefined ? now + UNDER_WAY_MS : Number(open[0].expires_at);
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

/** The statement that records an attempt, built once. */
export function insertAttemptQuery(
  db: Kysely<Schema>,
): (attempt: NewAttempt, now: number) => CompiledQuery {
  const insert = prepare<
    {
      id: string;
      kind: string;
      checkout_id: string | null;
      merchant_transaction_id: string | null;
      request_id: string | null;
      settle: number | null;
      prime_of: string | null;
      now: number;
    },
    unknown
  >(({ id, kind, checkout_id, merchant_transaction_id, request_id, settle, prime_of, now }) =>
    db.insertInto('attempts').values({
      id,
      kind,
      checkout_id,
      merchant_transaction_id,
      state: sql.lit('recorded'),
      request_id,
      settle,
      prime_of,
      service_request_id: sql.lit(null),
      reason: sql.lit(null),
      created_at: now,
      updated_at: now,
    }),
  );
  return (attempt, now) =>
    insert({
      id: attempt.id,
      kind: attempt.kind,
      checkout_id: attempt.checkoutId ?? null,
      merchant_transaction_id: attempt.merchantTransactionId ?? null,
      request_id: attempt.requestId ?? null,
      settle: attempt.settle === undefined ? null : Number(attempt.settle),
      prime_of: attempt.primeOf ?? null,
      now,
    });
}

/** The statement that writes a new checkout, built once. */
function insertCheckoutQuery(db: Kysely<Schema>): (columns: CheckoutColumns) => CompiledQuery {
  return prepare<CheckoutColumns, unknown>((columns) =>
    db.insertInto('checkouts').values({
      id: columns.id,
      environment: columns.environment,
      merchant_order_id: columns.merchant_order_id,
      amount: columns.amount,
      currency: columns.currency,
      status: columns.status,
      retry_safe: columns.retry_safe,
      revision: columns.revision,
      session_token: columns.session_token,
      secret_hash: columns.secret_hash,
      application_id: columns.application_id,
      origin: columns.origin,
      return_url: columns.return_url,
      locale: columns.locale,
      confirmation_hash: columns.confirmation_hash,
      order_hash: columns.order_hash,
      ticket_hash: columns.ticket_hash,
      order_changed: columns.order_changed,
      charge_id: columns.charge_id,
      charge_state: columns.charge_state,
      refunded_amount: columns.refunded_amount,
      tax_amount: columns.tax_amount,
      shipping_tax_amount: columns.shipping_tax_amount,
      charged_amount: columns.charged_amount,
      charged_reason: columns.charged_reason,
      created_at: columns.created_at,
      updated_at: columns.updated_at,
      expires_at: columns.expires_at,
      attention_at: columns.attention_at,
      attention_tries: columns.attention_tries,
    }),
  );
}
