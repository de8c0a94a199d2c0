import type { Money } from '../model/outcome.ts';

/**
 * Fired when the shopper confirmed an offer but the order has changed. Nothing was charged. The
 * shopper sees both amounts and can start again with the current order.
 */
export class FinancingOrderChangeEvent extends Event {
  static readonly type = 'financing-order-change';
  /** The approved amount; undefined if the companion does not report it. */
  declare readonly approved: Money | undefined;
  /** The order's current price. */
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
   * Also offers the shopper the choice to keep the approved order. Call it while the event is
   * dispatched.
   * @param restore restores the approved order at the shop's backend, and resolves with a ticket
   * for it; the companion charges no other order
   */
  restoreWith(restore: () => Promise<string>): void {
    this.#offer(restore);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-order-change': FinancingOrderChangeEvent;
  }
}
