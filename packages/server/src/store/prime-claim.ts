import type { NewAttempt } from './attempts.ts';
import type { CheckoutRow } from './checkout-row.ts';

export type OrderOf = Pick<CheckoutRow, 'environment' | 'merchantOrderId'>;

/** A request that claims an idempotency key, and counts against the budget of its order. */
export interface PrimeClaim {
  key: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  attempt: NewAttempt;
  /** An order that has its charge is not primed again. */
  order: OrderOf;
  /** The order's budget: 0 is no limit. Primes count from `since` on. @default no limit */
  budget?: { openCheckouts: number; primes: number; since: number };
  /** Milliseconds since 1970. */
  now: number;
}
