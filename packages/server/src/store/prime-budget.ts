import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { OrderOf, PrimeClaim } from './prime-claim.ts';

/**
 * Maximum number of primes of an order that are counted, which is the largest configurable budget.
 */
const MAX_COUNTED = 1_000;
/** How long a prime counts as in progress, in milliseconds. Bounded by the lease of its key. */
const IN_PROGRESS_MS = 60_000;

/**
 * Returns the key under which the primes of an order are counted: environment and merchant order.
 */
export const primeOf = ({ environment, merchantOrderId }: OrderOf) =>
  `${environment} ${merchantOrderId}`;

/**
 * Returns when part of an order's budget becomes available again; undefined if the budget is not
 * exhausted. A prime that was provably not sent costs nothing.
 */
export async function budgetFreeAt(
  tx: Kysely<Schema>,
  { order, budget, now }: Pick<PrimeClaim, 'order' | 'budget' | 'now'>,
): Promise<number | undefined> {
  if (budget === undefined) return undefined;
  const { openCheckouts, primes, since } = budget;
  if (openCheckouts === 0 && primes === 0) return undefined;
  const sent = await tx
    .selectFrom('attempts')
    .select(['state', 'createdAt'])
    .where('primeOf', '=', primeOf(order))
    .where('createdAt', '>', since)
    .where('state', '<>', 'not-sent')
    .orderBy('createdAt', 'desc')
    .limit(MAX_COUNTED)
    .execute();
  const oldest = primes === 0 ? undefined : sent[primes - 1];
  if (oldest !== undefined) return oldest.createdAt + now - since;
  if (openCheckouts === 0) return undefined;
  const open = await tx
    .selectFrom('checkouts')
    .select('expiresAt')
    .where('environment', '=', order.environment)
    .where('merchantOrderId', '=', order.merchantOrderId)
    .where('status', '=', 'open')
    .where('expiresAt', '>', now)
    .orderBy('expiresAt')
    .execute();
  const inProgress = sent.filter(
    ({ state, createdAt }) => state === 'recorded' && createdAt > now - IN_PROGRESS_MS,
  );
  if (open.length + inProgress.length < openCheckouts) return undefined;
  return open[0] === undefined ? now + IN_PROGRESS_MS : open[0].expiresAt;
}
