import type { Kysely, Selectable } from 'kysely';
import { prepare } from './prepared.ts';
import type { CheckoutRow, Schema } from './schema.ts';

export type OrderOf = Pick<CheckoutRow, 'environment' | 'merchantOrderId'>;

/** A prime that counts against the budget of its order. */
export interface BudgetedPrime {
  order: OrderOf;
  /** The order's budget; 0 means no limit. Primes count from `since` on. @default no limit */
  budget?: { openCheckouts: number; primes: number; since: number };
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Maximum number of primes of an order that are counted, which is the largest configurable budget.
 */
const MAX_COUNTED = 1_000;
/** How long a prime counts as in progress, in milliseconds. Bounded by the lease of its key. */
const IN_PROGRESS_MS = 60_000;

/** Returns the key that an order's primes are counted under: environment and merchant order. */
export const primeOf = ({ environment, merchantOrderId }: OrderOf) =>
  `${environment} ${merchantOrderId}`;

/** Prepares the statements that count the primes of an order. */
export function primeBudget(db: Kysely<Schema>) {
  const sentPrimes = prepare<
    { primeOf: string; since: number },
    Pick<Selectable<Schema['attempts']>, 'state' | 'createdAt'>
  >(({ primeOf, since }) =>
    db
      .selectFrom('attempts')
      .select(['state', 'createdAt'])
      .where('primeOf', '=', primeOf)
      .where('createdAt', '>', since)
      .where('state', '<>', 'not-sent')
      .orderBy('createdAt', 'desc')
      .limit(MAX_COUNTED),
  );
  const openCheckoutsOf = prepare<
    { environment: string; merchantOrderId: string; now: number },
    Pick<Selectable<Schema['checkouts']>, 'expiresAt'>
  >(({ environment, merchantOrderId, now }) =>
    db
      .selectFrom('checkouts')
      .select('expiresAt')
      .where('environment', '=', environment)
      .where('merchantOrderId', '=', merchantOrderId)
      .where('status', '=', 'open')
      .where('expiresAt', '>', now)
      .orderBy('expiresAt'),
  );

  /**
   * Returns when part of an order's budget becomes available again; undefined if the budget is not
   * exhausted. A prime that was provably not sent costs nothing.
   */
  return async function budgetFreeAt(
    tx: Kysely<Schema>,
    { order, budget, now }: BudgetedPrime,
  ): Promise<number | undefined> {
    if (budget === undefined) return undefined;
    const { openCheckouts, primes, since } = budget;
    if (openCheckouts === 0 && primes === 0) return undefined;
    const { rows: sent } = await tx.executeQuery(sentPrimes({ primeOf: primeOf(order), since }));
    const oldest = primes === 0 ? undefined : sent[primes - 1];
    if (oldest !== undefined) return oldest.createdAt + now - since;
    if (openCheckouts === 0) return undefined;
    const { environment, merchantOrderId } = order;
    const { rows: open } = await tx.executeQuery(
      openCheckoutsOf({ environment, merchantOrderId, now }),
    );
    const inProgress = sent.filter(
      ({ state, createdAt }) => state === 'recorded' && createdAt > now - IN_PROGRESS_MS,
    );
    if (open.length + inProgress.length < openCheckouts) return undefined;
    return open[0] === undefined ? now + IN_PROGRESS_MS : open[0].expiresAt;
  };
}
