import type { Money } from '../outcome.ts';

/**
 * Fired when the shopper has confirmed an offer and the order is another one by then. Nothing was
 * charged. The shopper is shown both amounts and can start again with the order as it is now.
 */
export class FinancingOrderChangeEvent extends Event {
  static readonly type = 'financing-order-change';
  /** What was approved; undefined where the companion does not tell. */
  declare readonly approved: Money | undefined;
  /** What the order costs now. */
  declare readonly current: Money | undefined;
  readonly #offer: (restore: () => Promise<string>) => void;

  constructor(
    approved: Money | undefined,
    current: Money | undefined,
    offer: (restore: () => Promise<string>) => void,
  ) {
    super(FinancingOrderChangeEvent.type, { bubbles: true, composed: true });
    this.approved = approved;
    this.current = current;
    this.#offer = offer;
  }

  /**
   * Lets the shopper keep what was approved, too. To be called while the event is dispatched.
   * @param restore brings the order back to what was approved, at the shop's backend, and resolves
   *   with a ticket of it: the companion charges for nothing else
   */
  restoreWith(restore: () => Promise<string>): void {
    this.#offer(restore);
  }
}

declare global {
  interface HTMLElementEventMap {
    'financing-order-change': FinancingOrderChangeEvent;
  }
}
