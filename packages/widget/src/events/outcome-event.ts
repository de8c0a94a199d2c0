import type { CheckoutResult, Money, Outcome, Reversal } from '../model/outcome.ts';

/**
 * Fired when a checkout has an outcome. After `unavailable` with `retrySafe: false`, it is fired
 * again when the outcome is known.
 *
 * The page can react to it, but it proves nothing: an order is paid only when the companion's
 * message to the shop's backend says so, never because of a message from a browser.
 */
export class FinancingOutcomeEvent extends Event implements CheckoutResult {
  static readonly type = 'financing-outcome';
  declare readonly outcome: Outcome;
  /** The companion's ID; absent if no checkout was opened. */
  declare readonly checkoutId: string | undefined;
  declare readonly merchantOrderId: string | undefined;
  /** In minor units. */
  declare readonly amount: Money | undefined;
  /** With `unavailable`: whether the shopper can safely start again. */
  declare readonly retrySafe: boolean | undefined;
  /**
   * With `cancelled`: until then (ISO 8601), a link for another device can be used and the order
   * charged.
   */
  declare readonly linkExpiresAt: string | undefined;
  /** How money was returned after the approval. */
  declare readonly reversal: Reversal | undefined;
  /**
   * Whether this tab already knew the outcome and the element shows it again: after a reload or the
   * back button, or because another element on the page has paid the order.
   */
  declare readonly restored: boolean | undefined;

  constructor(result: CheckoutResult) {
    super(FinancingOutcomeEvent.type, { bubbles: true, composed: true });
    this.outcome = result.outcome;
    this.checkoutId = result.checkoutId;
    this.merchantOrderId = result.merchantOrderId;
    this.amount = result.amount;
    this.retrySafe = result.retrySafe;
    this.linkExpiresAt = result.linkExpiresAt;
    this.reversal = result.reversal;
    this.restored = result.restored;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-outcome': FinancingOutcomeEvent;
  }
}
