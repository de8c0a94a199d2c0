/*
 * The widget's public vocabulary. It repeats that of the contract, so that a storefront which
 * installs the widget needs no other package for its types; `contract.test.ts` fails to compile
 * when the two drift apart.
 */

/** The service's environments (specification 5.4). */
export type Environment = 'uat' | 'sandbox' | 'production';

/**
 * How a checkout can end.
 *
 * - `approved`: the charge exists.
 * - `pending`: somebody still has something to do; it ends later, without this page.
 * - `declined`: no lender made an offer. Not an error.
 * - `cancelled`: the shopper left. Not an error.
 * - `expired`: the time for this checkout, or for the order ticket, ran out.
 * - `unavailable`: the service could not be reached, or its answer is unknown; see `retrySafe`.
 * - `failed`: it cannot be finished, and trying the same again will not help.
 */
export type Outcome =
  'approved' | 'pending' | 'declined' | 'cancelled' | 'expired' | 'unavailable' | 'failed';

/** An amount of money. */
export interface Money {
  /** Integer minor units: cents for USD, yen for JPY. */
  readonly value: number;
  /** ISO 4217 code. */
  readonly currency: string;
}

/** How the money of an approved checkout went back since. */
export interface Reversal {
  /** The charge was voided, or refunded; `reduced`: a part was refunded, the rest pays the order. */
  readonly kind: 'voided' | 'refunded' | 'reduced';
  /** The total that was refunded, where it is known. */
  readonly amount?: Money | undefined;
}

/** How one checkout ended. */
export interface CheckoutResult {
  readonly outcome: Outcome;
  /** The companion's id; absent when it never opened a checkout. */
  readonly checkoutId?: string | undefined;
  readonly merchantOrderId?: string | undefined;
  readonly amount?: Money | undefined;
  /**
   * With `unavailable`: true when starting again can do no harm, false when the service may have
   * made the charge, so that the shopper must not pay another way until it is known.
   */
  readonly retrySafe?: boolean | undefined;
  /** With `failed`, or `approved` where it is `reduced`: the money went back after the approval. */
  readonly reversal?: Reversal | undefined;
}
