import type { Clock } from '@financing-checkout/kit';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow, Store } from '../store/store.ts';

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

/** Limits of the messages by which the service sends links. 0: no limit. */
export interface LinkMessageBudgets {
  /** Messages to one phone or e-mail address in 24 hours, of all tokens together. */
  perRecipient: number;
  /** Messages of one back-office token in an hour. */
  perToken: number;
}

export const DEFAULT_LINK_MESSAGE_BUDGETS: LinkMessageBudgets = { perRecipient: 5, perToken: 100 };

/** The window over which a budget counts, in milliseconds, and the detail of a request above it. */
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

/** Returns the problem of a request above a budget. The wait is at most the budget's window. */
export function aboveBudget({ ms, detail }: Window, waitMs: number): ProblemError {
  const wait = Math.min(Math.max(waitMs, 1_000), ms);
  return new ProblemError('rate-limited', {
    detail,
    retrySafe: true,
    retryAfterSeconds: Math.ceil(wait / 1000),
  });
}

/**
 * Refuses a confirmation after the service has refused many charges of the order: each costs calls of
 * the service, while a made-up token costs the sender nothing.
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
