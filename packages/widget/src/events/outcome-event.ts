import type { CheckoutResult, Money, Outcome, Reversal } from '../outcome.ts';

/**
 * Fired when a checkout has an outcome. After `unavailable` with `retrySafe: false` it is fired a
 * second time, when the outcome is known.
 *
 * It is for the page to react to, and is not a proof: an order is paid by what the companion tells
 * the shop's backend, never by what a browser says.
 */
export class FinancingOutcomeEvent extends Event implements CheckoutResult {
  static readonly type = 'financing-outcome';
  declare readonly outcome: Outcome;
  /** The companion's id; absent when it never opened a checkout. */
  declare readonly checkoutId: string | undefined;
  declare readonly merchantOrderId: string | undefined;
  /** In minor units. */
  declare readonly amount: Money | undefined;
  /** With `unavailable`: whether starting again can do no harm. */
  declare readonly retrySafe: boolean | undefined;
  /** How the money went back after the approval. */
  declare readonly reversal: Reversal | undefined;

  constructor(result: CheckoutResult) {
    super(FinancingOutcomeEvent.type, { bubbles: true, composed: true });
    this.outcome = result.outcome;
    this.checkoutId = result.checkoutId;
    this.merchantOrderId = result.merchantOrderId;
    this.amount = result.amount;
    this.retrySafe = result.retrySafe;
    this.reversal = result.reversal;
  }
}

declare global {
  interface HTMLElementEventMap {
    'financing-outcome': FinancingOutcomeEvent;
  }
}
