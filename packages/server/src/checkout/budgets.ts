import type { Clock } from '@financing-checkout/kit';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow, Store } from '../store/store.ts';

/**
 * The limits per merchant order. A ticket contains one order, so they also limit a ticket. 0 means
 * no limit.
 */
export interface OrderBudgets {
  /** Maximum number of open checkouts. */
  openCheckouts: number;
  /** Maximum number of primes in ten minutes. */
  primes: number;
  /** Maximum number of charges refused by the service in one hour. */
  refusals: number;
}

export const DEFAULT_ORDER_BUDGETS: OrderBudgets = { openCheckouts: 5, primes: 20, refusals: 10 };

/**
 * The limits of `POST /checkout/start`. Every request counts, including one that is refused or
 * repeats a ticket. 0 means no limit.
 */
export interface StartBudget {
  /** Maximum number of requests per minute from one client IP address. */
  perAddress: number;
  /**
   * Maximum number of requests per minute with one order ticket, from all addresses together. More
   * than a ticket may start checkouts, so that its shopper learns why it starts no more.
   */
  perTicket: number;
}

export const DEFAULT_START_BUDGET: StartBudget = { perAddress: 20, perTicket: 30 };

/** Limits on the messages in which the service sends links. 0 means no limit. */
export interface LinkMessageBudgets {
  /**
   * Maximum number of messages to one phone number or email address in 24 hours, across all tokens.
   */
  perRecipient: number;
  /** Maximum number of messages per back-office token in one hour. */
  perToken: number;
}

export const DEFAULT_LINK_MESSAGE_BUDGETS: LinkMessageBudgets = { perRecipient: 5, perToken: 100 };

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
  { budgets, clock, store }: { budgets: OrderBudgets; clock: Clock; store: Store },
  { environment, merchantOrderId }: CheckoutRow,
): Promise<void> {
  const { refusals } = budgets;
  if (refusals === 0) return;
  const now = clock.now();
  const order = { environment, merchantOrderId };
  const { ms } = windows.refusals;
  const refused = await store.refusedCheckoutsOfOrder(order, now - ms, refusals);
  const oldest = refused[refusals - 1];
  if (oldest !== undefined) throw aboveBudget(windows.refusals, oldest.updatedAt + ms - now);
}
