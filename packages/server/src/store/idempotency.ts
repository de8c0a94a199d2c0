import type { Kysely, Selectable, Transaction } from 'kysely';
import type { WrittenRow } from '@financing-checkout/kit/sql';
import { type AttemptResult, newAttempt, type NewAttempt } from './attempts.ts';
import { onConnection, prepare } from './prepared.ts';
import { orderHolder } from './order-claims.ts';
import { type BudgetedPrime, type OrderOf, primeBudget, primeOf } from './prime-budget.ts';
import {
  type AttemptColumns,
  type CheckoutColumns,
  type CheckoutRow,
  type IdempotencyRow,
  type Schema,
  tables,
} from './schema.ts';
import { lockOrder } from './sql/order-lock.ts';
import type { StoredProblem } from './stored-problem.ts';

/** A request with an idempotency key, which counts against its order's budget. */
export interface PrimeClaim extends BudgetedPrime {
  key: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  attempt: NewAttempt;
}

/**
 * A request that is sent once it holds its key; an order that already has a charge is not primed
 * again.
 */
export interface KeyClaim extends PrimeClaim {
  leaseUntil: number;
}

/** Why a new key is refused for an order. */
type OrderRefusal =
  /** A charge of the order exists, or is being created. */
  | { kind: 'order-taken'; checkoutId: string }
  /** The order's budget is exhausted; part of it becomes available again at `freeAt`. */
  | { kind: 'above-budget'; freeAt: number };

export type ClaimedKey<Refusal = never> =
  /** This request has the key, and its attempt is recorded: it may be sent. */
  | { kind: 'begun' }
  /** The key has been used: it has its response, or another request is about to write one. */
  | { kind: 'known'; row: IdempotencyRow }
  | Refusal
  | OrderRefusal;

/** The result of a request, which is the response for its key. */
export interface FinishKey {
  key: string;
  attempt: AttemptResult;
  now: number;
  end: { checkout: CheckoutRow } | { problem: StoredProblem } | 'released';
}

type IdempotencyColumns = WrittenRow<typeof tables.idempotency>;
type TakenKey = Omit<IdempotencyColumns, 'problem' | 'createdAt'>;

export type IdempotencyKeys = ReturnType<typeof idempotencyKeys>;

/** Idempotency keys of the storefront, and the response for each. */
export function idempotencyKeys(db: Kysely<Schema>) {
  const statements = primeStatements(db);
  const budgetFreeAt = primeBudget(db);

  async function find(of: Kysely<Schema>, key: string): Promise<IdempotencyRow | undefined> {
    const { rows } = await of.executeQuery(statements.findKey({ key }));
    return rows[0] && tables.idempotency.read(rows[0]);
  }

  /** Takes a new or released key, and records the attempt. Returns false for any other key. */
  function take(
    tx: Transaction<Schema>,
    key: TakenKey,
    { attempt, now, order }: Pick<PrimeClaim, 'attempt' | 'now' | 'order'>,
    state: AttemptColumns['state'] = 'recorded',
  ): Promise<boolean> {
    const columns = { ...newAttempt({ ...attempt, primeOf: primeOf(order) }, now), state };
    return onConnection(tx, async (connection) => {
      const taken = await connection.executeQuery(statements.takeKey({ ...key, now }));
      if ((taken.numAffectedRows ?? 0n) === 0n) return false;
      await connection.executeQuery(statements.insertAttempt(columns));
      return true;
    });
  }

  async function refusalOf(
    tx: Transaction<Schema>,
    { budget, now, order }: BudgetedPrime,
  ): Promise<OrderRefusal | undefined> {
    const [holder] = (await tx.executeQuery(statements.findOrderHolder(order))).rows;
    if (holder !== undefined) return { kind: 'order-taken', checkoutId: holder.checkoutId };
    const freeAt = await budgetFreeAt(tx, { budget, now, order });
    return freeAt === undefined ? undefined : { kind: 'above-budget', freeAt };
  }

  /**
   * Claims a key, and records the attempt in the same transaction.
   * @param refuse an additional reason to refuse a new key
   */
  async function claim<Refusal = never>(
    tx: Transaction<Schema>,
    claimed: KeyClaim,
    refuse?: () => Promise<Refusal | undefined>,
  ): Promise<ClaimedKey<Refusal>> {
    const { attempt, fingerprint, key, leaseUntil } = claimed;
    if (claimed.budget) await lockOrder(tx, claimed.order);
    const refusal = (await refusalOf(tx, claimed)) ?? (await refuse?.());
    const taken = { key, fingerprint, attemptId: attempt.id, leaseUntil, checkoutId: null };
    if (refusal === undefined && (await take(tx, { ...taken, state: 'in-flight' }, claimed))) {
      return { kind: 'begun' };
    }
    const row = await find(tx, key);
    // A prime from before the order was paid gets the same response again.
    const isNew =
      row === undefined || (row.state === 'released' && row.fingerprint === fingerprint);
    if (refusal !== undefined && isNew) return refusal;
    if (row === undefined) throw new Error('An idempotency key is neither new nor known.');
    return { kind: 'known', row };
  }

  /** Records the result of a request: its attempt, its checkout, and the response for its key. */
  function finish(tx: Transaction<Schema>, { key, attempt, now, end }: FinishKey): Promise<void> {
    const checkout = end !== 'released' && 'checkout' in end ? end.checkout : undefined;
    const problem = end !== 'released' && 'problem' in end ? end.problem : undefined;
    const checkoutId = checkout?.id ?? null;
    return onConnection(tx, async (connection) => {
      if (checkout !== undefined) {
        await connection.executeQuery(statements.insertCheckout(tables.checkouts.write(checkout)));
      }
      await connection.executeQuery(
        statements.endAttempt({
          id: attempt.id,
          state: attempt.state,
          serviceRequestId: attempt.serviceRequestId ?? null,
          reason: attempt.reason ?? null,
          checkoutId,
          now,
        }),
      );
      await connection.executeQuery(
        statements.endKey({
          key,
          attemptId: attempt.id,
          state: end === 'released' ? 'released' : 'finished',
          checkoutId,
          problem: problem === undefined ? null : JSON.stringify(problem),
        }),
      );
    });
  }

  return { budgetFreeAt, claim, find, finish, take };
}

/** Prepares the statements of a prime, because every checkout runs them. */
function primeStatements(db: Kysely<Schema>) {
  return {
    findKey: prepare<{ key: string }, Selectable<Schema['idempotency']>>(({ key }) =>
      db.selectFrom('idempotency').selectAll().where('key', '=', key),
    ),
    findOrderHolder: prepare<OrderOf, { checkoutId: string }>((order) => orderHolder(db, order)),
    /** Takes a key that is new, or released by the same request. */
    takeKey: prepare<TakenKey & { now: number }>(
      ({ key, fingerprint, attemptId, state, leaseUntil, checkoutId, now }) =>
        db
          .insertInto('idempotency')
          .values({
            key,
            fingerprint,
            attemptId,
            state,
            leaseUntil,
            checkoutId,
            problem: null,
            createdAt: now,
          })
          .onConflict((conflict) =>
            conflict
              .column('key')
              .doUpdateSet({ attemptId, state, leaseUntil, checkoutId })
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
    endKey: prepare<Omit<IdempotencyColumns, 'fingerprint' | 'leaseUntil' | 'createdAt'>>(
      ({ key, attemptId, state, checkoutId, problem }) =>
        db
          .updateTable('idempotency')
          .set({ state, checkoutId, problem })
          .where('key', '=', key)
          .where('attemptId', '=', attemptId),
    ),
  };
}
