import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/**
 * The window of each budget, in milliseconds, and the problem detail for requests that exceed the
 * budget.
 */
interface Window {
  ms: number;
  detail: string;
}

const ORDER_IS_SPENT =
  'Nothing was done: this order has had too many requests. Wait as long as Retry-After says.';
const BY_HAND =
  'Wait as long as Retry-After says, or make the link without "deliver" and hand over its address or QR code.';

export const windows = {
  primes: { ms: 600_000, detail: ORDER_IS_SPENT },
  refusals: { ms: 3_600_000, detail: ORDER_IS_SPENT },
  recipient: {
    ms: 86_400_000,
    detail: `Nothing was sent: this recipient has been sent as many links as a day permits. ${BY_HAND}`,
  },
  token: {
    ms: 3_600_000,
    detail: `Nothing was sent: this token has sent as many links as an hour permits. ${BY_HAND}`,
  },
} as const satisfies Record<string, Window>;

/**
 * Returns the problem for a request that exceeds a budget. Retry-After is at most the budget's
 * window.
 */
export function aboveBudget({ ms, detail }: Window, waitMs: number): ProblemError {
  const wait = Math.min(Math.max(waitMs, 1_000), ms);
  return new ProblemError('rate-limited', {
    detail,
    retrySafe: true,
    retryAfterSeconds: Math.ceil(wait / 1000),
  });
}

/**
 * Refuses a confirmation after the service has refused many charges of the order: each attempt
 * costs service calls, while a made-up token costs the sender nothing.
 * @throws {ProblemError} `rate-limited`
 */
export async function refuseAboveRefusals(
  { clock, orderBudgets, store }: Pick<CheckoutContext, 'clock' | 'orderBudgets' | 'store'>,
  { environment, merchantOrderId }: CheckoutRow,
): Promise<void> {
  const { refusals } = orderBudgets;
  if (refusals === 0) return;
  const now = clock.now();
  const order = { environment, merchantOrderId };
  const { ms } = windows.refusals;
  const refused = await store.refusedCheckoutsOfOrder(order, now - ms, refusals);
  const oldest = refused[refusals - 1];
  if (oldest !== undefined) throw aboveBudget(windows.refusals, oldest.updatedAt + ms - now);
}
