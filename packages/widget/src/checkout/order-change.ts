import { FinancingOrderChangeEvent } from '../events/order-change-event.ts';
import type { Money } from '../model/outcome.ts';

/** The shopper's decision after the order changed: keep the approved order or start again. */
export class OrderChange {
  /** The current price of the order. */
  declare readonly current: Money | undefined;
  /**
   * Resolves with the shopper's choice: the ticket of the restored order, or undefined to start
   * over.
   */
  declare readonly choice: Promise<string | undefined>;
  #choose!: (order: string | undefined) => void;
  #restore: (() => Promise<string>) | undefined;

  constructor(current: Money | undefined) {
    this.current = current;
    this.choice = new Promise((resolve) => (this.#choose = resolve));
  }

  /** Whether the shop can restore the approved order. */
  get isKeepable(): boolean {
    return this.#restore !== undefined;
  }

  /** Fires the event in which the shop can offer to restore the approved order. */
  announce(element: HTMLElement, approved: Money | undefined): void {
    const offer = (restore: () => Promise<string>) => (this.#restore = restore);
    element.dispatchEvent(new FinancingOrderChangeEvent(approved, this.current, offer));
  }

  startAgain(): void {
    this.#choose(undefined);
  }

  /**
   * Asks the shop to restore the approved order, and chooses that order.
   * @throws the shop's error; the order cannot be kept then, and starting again is the only option
   *   left
   */
  async keep(): Promise<void> {
    const restore = this.#restore;
    if (!restore) return;
    // Cleared before the await, so that the second click of a double-click does not ask the shop
    // again.
    this.#restore = undefined;
    this.#choose(await restore());
  }
}
