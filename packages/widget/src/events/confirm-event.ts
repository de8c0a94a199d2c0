import type { Money } from '../model/outcome.ts';

/**
 * Fired when the shopper confirmed a lender's offer, before the charge. Proves nothing: the charge may
 * still fail, and `financing-outcome` follows.
 */
export class FinancingConfirmEvent extends Event {
  static readonly type = 'financing-confirm';
  /** The companion's ID. */
  declare readonly checkoutId: string;
  /** In minor units; undefined after a redirect. */
  declare readonly amount: Money | undefined;

  constructor(checkoutId: string, amount: Money | undefined) {
    super(FinancingConfirmEvent.type, { bubbles: true, composed: true });
    this.checkoutId = checkoutId;
    this.amount = amount;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-confirm': FinancingConfirmEvent;
  }
}
