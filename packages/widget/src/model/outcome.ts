/*
 * The widget's public types. They repeat the contract's, so that a storefront that installs the
 * widget needs no other package for its types. If the two differ, `contract.test.ts` fails to
 * compile.
 */

/** The service's environments (specification 5.4). */
export type Environment = 'uat' | 'sandbox' | 'production';

/**
 * The possible ends of a checkout.
 *
 * - `approved`: the charge exists.
 * - `pending`: the lender or the shopper still has to act; the checkout ends later, without this
 *   page.
 * - `declined`: no lender made an offer. Not an error.
 * - `cancelled`: the shopper left. Not an error.
 * - `expired`: the time for this checkout, or for the order ticket, ran out.
 * - `unavailable`: the service could not be reached, or its response is unknown; see `retrySafe`.
 * - `failed`: the checkout cannot be completed, and trying again will not help.
 */
export type Outcome =
  | 'approved'
  | 'pending'
  | 'declined'
  | 'cancelled'
  | 'expired'
  | 'unavailable'
  | 'failed';

/** Why a hosted page ended without a confirmed offer. */
export type EndReason = Exclude<Outcome, 'approved' | 'unavailable'>;

/** An amount of money. */
export interface Money {
  /** Integer minor units: cents for USD, yen for JPY. */
  readonly value: number;
  /** ISO 4217 code. */
  readonly currency: string;
}

/** How money was returned after the approval. */
export interface Reversal {
  /** `reduced`: part of the charge was refunded, and the rest pays for the order. */
  readonly kind: 'voided' | 'refunded' | 'reduced';
  /** The total amount refunded, if known. */
  readonly amount?: Money | undefined;
}

/** The result of one checkout. */
export interface CheckoutResult {
  readonly outcome: Outcome;
  /** The companion's ID; absent if no checkout was opened. */
  readonly checkoutId?: string | undefined;
  readonly merchantOrderId?: string | undefined;
  readonly amount?: Money | undefined;
  /**
   * With `unavailable`: true if the shopper can safely start again; false if the service may have
   * made the charge, and the shopper must not pay another way until that is known.
   */
  readonly retrySafe?: boolean | undefined;
  /**
   * With `cancelled`, if a link for another device still works: until when it can be used, so that
   * a charge may still follow (ISO 8601). The service cannot revoke a link.
   */
  readonly linkExpiresAt?: string | undefined;
  /** With `failed`, or with `approved` for `reduced`: money was returned after the approval. */
  readonly reversal?: Reversal | undefined;
  /**
   * Whether this tab already knew the outcome, which is shown again after a reload or in another
   * element.
   */
  readonly restored?: boolean | undefined;
}
