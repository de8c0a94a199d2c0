import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/** The limits of one merchant order. A ticket states one order, so they also limit a ticket. 0: no limit. */
export interface OrderBudgets {
  /** Maximum number of open checkouts. */
  openCheckouts: number;
  /** Primes in ten minutes. */
  primes: number;
  /** Charges that the service refuses in an hour. */
  refusals: number;
}

export const DEFAULT_ORDER_BUDGETS: OrderBudgets = { openCheckouts: 5, primes: 20, refusals: 10 };

/** Windows in milliseconds over which primes and refused charges are counted. */
export const PRIMES_MS = 600_000;
const REFUSALS_MS = 3_600_000;

/**
 * Refuses a confirmation after the service has refused many charges of the order: each costs calls of
 * the service, while a made-up token costs the sender nothing.
 * @throws {ProblemError} `rate-limited`
 */
export async function refuseAboveRefusals(
  { budgets, clock, store }: CheckoutContext,
  { environment, merchantOrderId }: CheckoutRow,
): Promise<void> {
  const { refusals } = budgets;
  if (refusals === 0) return;
  const now = clock.now();
  const order = { environment, merchantOrderId };
  const refused = await store.refusedCheckoutsOfOrder(order, now - REFUSALS_MS, refusals);
  const oldest = refused[refusals - 1];
  if (oldest === undefined) return;
  throw aboveBudget(oldest.updatedAt + REFUSALS_MS - now, REFUSALS_MS);
}

/** Returns the problem of a request above a budget. The wait is at most the budget's window. */
export function aboveBudget(waitMs: number, windowMs: number): ProblemError {
  const wait = Math.min(Math.max(waitMs, 1_000), windowMs);
  return new ProblemError('rate-limited', {
    detail:
      'Nothing was done: this order has had too many requests. Wait as long as Retry-After says.',
    retrySafe: true,
    retryAfterSeconds: Math.ceil(wait / 1000),
  });
}
