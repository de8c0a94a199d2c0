import type { Kysely, Selectable, Transaction } from 'kysely';
import { z } from 'zod';
import { type AttemptResult, fromNewAttempt } from './attempts.ts';
import { type CheckoutRow, fromCheckout } from './checkout-row.ts';
import type { Database } from './database.ts';
import { claimLink, endLinkClaim } from './link-claims.ts';
import {
  insertLinkMessage,
  type LinkMessage,
  type SpentMessages,
  spentMessages,
} from './link-messages.ts';
import { insertLink, type NewLink } from './links.ts';
import { type PrimeBudget, primeBudget, primeOf } from './prime-budget.ts';
import type { PrimeClaim } from './prime-claim.ts';
import { onConnection } from './prepared.ts';
import { type PrimeStatements, primeStatements } from './prime-statements.ts';
import type { IdempotencyTable, Schema } from './schema.ts';
import { lockOrder } from './sql/order-lock.ts';
import { parseProblem, type StoredProblem } from './stored-problem.ts';

export interface IdempotencyRow {
  key: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  attemptId: string;
  /** `released`: provably nothing was done, and the same key may be used again. */
  state: 'in-flight' | 'finished' | 'released';
  leaseUntil: number;
  checkoutId: string | undefined;
  problem: StoredProblem | undefined;
}

export interface BeginPrime extends PrimeClaim {
  /**
   * Creates the link of the order, which stays claimed until `until`. Refused while the order has
   * an active link.
   */
  link?: { until: number } | undefined;
  /** The message in which the service sends that link; counted before it is sent. */
  message?: LinkMessage | undefined;
  leaseUntil: number;
}

export type BegunPrime =
  /** This request has the key, and its attempt is recorded: it may be sent. */
  | { kind: 'begun' }
  /** The key has been used: it has its response, or another request is about to write one. */
  | { kind: 'known'; row: IdempotencyRow }
  /** A charge of the order exists, or is being created. */
  | { kind: 'order-taken'; checkoutId: string }
  /** The order has an active link, or one is being created. */
  | { kind: 'link-taken' }
  /** The order's budget is exhausted; part of it becomes available again at `freeAt`. */
  | { kind: 'above-budget'; freeAt: number }
  /** A message budget is exhausted. */
  | ({ kind: 'messages-spent' } & SpentMessages);

export interface FinishPrime {
  key: string;
  attempt: AttemptResult;
  now: number;
  end:
    | { checkout: CheckoutRow; link?: NewLink | undefined }
    /**
     * `lost`: a link that the service may have created and sent; it is tracked in case it is used.
     */
    | { problem: StoredProblem; lost?: { checkout: CheckoutRow; link: NewLink } | undefined }
    | 'released';
  /** The order whose link was requested. */
  linkOf?: Pick<CheckoutRow, 'environment' | 'merchantOrderId'> | undefined;
}

export type IdempotencyRepository = ReturnType<typeof idempotency>;

/** Idempotency keys of the storefront, and the response for each. */
export function idempotency({ db, transact }: Database) {
  const statements = primeStatements(db);
  const budgetFreeAt = primeBudget(db);
  return {
    findIdempotency: (key: string): Promise<IdempotencyRow | undefined> =>
      findKey(db, statements, key),
    /** Claims a new or released key and records the attempt. */
    beginPrime: (begin: BeginPrime): Promise<BegunPrime> =>
      transact((tx) => beginPrime(tx, statements, budgetFreeAt, begin)).catch((error: unknown) => {
        if (error instanceof LinkTaken) return { kind: 'link-taken' };
        throw error;
      }),
    finishPrime: (finish: FinishPrime): Promise<void> =>
      transact((tx) => finishPrime(tx, statements, finish)),
  };
}

/** Rolls back the claim of a key whose order has a link. */
class LinkTaken extends Error {}

async function findKey(
  db: Kysely<Schema>,
  statements: PrimeStatements,
  key: string,
): Promise<IdempotencyRow | undefined> {
  const { rows } = await db.executeQuery(statements.findKey({ key }));
  return rows[0] && toIdempotency(rows[0]);
}

/** Claims the key, and records the attempt in the same transaction. */
async function beginPrime(
  tx: Transaction<Schema>,
  statements: PrimeStatements,
  budgetFreeAt: PrimeBudget,
  begin: BeginPrime,
): Promise<BegunPrime> {
  const { key, fingerprint, attempt, order, leaseUntil, now } = begin;
  if (begin.budget) await lockOrder(tx, order);
  const [holder] = (await tx.executeQuery(statements.findOrderHolder(order))).rows;
  const freeAt = await budgetFreeAt(tx, begin);
  const spent = begin.message && (await spentMessages(tx, begin.message, now));
  if (holder === undefined && freeAt === undefined && spent === undefined) {
    const claim = { key, fingerprint, attemptId: attempt.id, leaseUntil, now };
    const columns = fromNewAttempt({ ...attempt, primeOf: primeOf(order) }, now);
    const isClaimed = await onConnection(tx, async (connection) => {
      const { numAffectedRows = 0n } = await connection.executeQuery(statements.claimKey(claim));
      if (numAffectedRows === 0n) return false;
      await connection.executeQuery(statements.insertAttempt(columns));
      return true;
    });
    if (isClaimed) {
      if (begin.link && !(await claimLink(tx, begin, begin.link.until))) throw new LinkTaken();
      if (begin.message) {
        await insertLinkMessage(tx, begin.message, { attemptId: attempt.id, now });
      }
      return { kind: 'begun' };
    }
  }
  const row = await findKey(tx, statements, key);
  // A prime from before the order was paid for gets the same response again.
  const isNew = row === undefined || (row.state === 'released' && row.fingerprint === fingerprint);
  if (holder && isNew) return { kind: 'order-taken', checkoutId: holder.checkoutId };
  if (freeAt !== undefined && isNew) return { kind: 'above-budget', freeAt };
  if (spent !== undefined && isNew) return { kind: 'messages-spent', ...spent };
  if (row === undefined) throw new Error('An idempotency key is neither new nor known.');
  return { kind: 'known', row };
}

/** Records the result of a prime: its attempt, its checkout, and the response for its key. */
async function finishPrime(
  tx: Transaction<Schema>,
  statements: PrimeStatements,
  { key, attempt, now, end, linkOf }: FinishPrime,
): Promise<void> {
  const checkout = end !== 'released' && 'checkout' in end ? end.checkout : undefined;
  const problem = end !== 'released' && 'problem' in end ? end.problem : undefined;
  const lost = end !== 'released' && 'problem' in end ? end.lost : undefined;
  const link = end !== 'released' && 'link' in end ? end.link : lost?.link;
  const checkoutId = checkout?.id ?? null;
  const endAttempt = statements.endAttempt({
    id: attempt.id,
    state: attempt.state,
    serviceRequestId: attempt.serviceRequestId ?? null,
    reason: attempt.reason ?? null,
    checkoutId,
    now,
  });
  const endKey = statements.endKey({
    key,
    attemptId: attempt.id,
    state: end === 'released' ? 'released' : 'finished',
    checkoutId,
    problem: problem === undefined ? null : JSON.stringify(problem),
  });
  await onConnection(tx, async (connection) => {
    for (const row of [checkout, lost?.checkout]) {
      if (row === undefined) continue;
      await connection.executeQuery(statements.insertCheckout(fromCheckout(row)));
    }
    await connection.executeQuery(endAttempt);
    await connection.executeQuery(endKey);
  });
  if (link !== undefined) await insertLink(tx, link);
  if (linkOf !== undefined) await endLinkClaim(tx, linkOf, attempt.id, link);
}

const idempotencyState = z.enum(['in-flight', 'finished', 'released']);

function toIdempotency(row: Selectable<IdempotencyTable>): IdempotencyRow {
  return {
    ...row,
    state: idempotencyState.parse(row.state),
    problem: parseProblem(row.problem),
  };
}
