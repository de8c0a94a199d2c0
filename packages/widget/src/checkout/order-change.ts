import { FinancingOrderChangeEvent } from '../events/order-change-event.ts';
import type { Amounts } from '../companion/answer.ts';
import type { Money } from '../model/outcome.ts';

/** Reports a problem to the page's developer. */
type OnError = (error: { code: string; message: string }) => void;

interface ChangeOptions {
  readonly element: HTMLElement;
  readonly onError: OnError;
}

/**
 * Lets the shopper choose between the approved order and the current one.
 * @param onChange called when the choices have changed
 * @returns the restored order's ticket, or undefined to start again
 */
export function settleOrderChange(
  amounts: Amounts | undefined,
  { element, onError }: ChangeOptions,
  onChange: (change: OrderChange, approved: Money | undefined) => void,
): Promise<string | undefined> {
  const { approved, current } = amounts ?? {};
  const change = new OrderChange(current, onError);
  onChange(change, approved);
  change.announce(element, approved);
  // The shop may have offered a second choice.
  onChange(change, approved);
  return change.choice;
}

/** The shopper's decision after the order changed: keep the approved order or start again. */
export class OrderChange {
  /** The order's current price. */
  declare readonly current: Money | undefined;
  /** Resolves with the shopper's choice: the restored order's ticket, or undefined to start over. */
  declare readonly choice: Promise<string | undefined>;
  #choose!: (order: string | undefined) => void;
  #restore: (() => Promise<string>) | undefined;
  readonly #onError: OnError;

  constructor(current: Money | undefined, onError: OnError) {
    this.current = current;
    this.#onError = onError;
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
   * Asks the shop to restore the approved order, and chooses that order. If restoring fails,
   * starting again is the only option left.
   */
  async keep(): Promise<void> {
    const restore = this.#restore;
    if (!restore) return;
    // Cleared before the await, so that the second click of a double-click does not ask the shop
    // again.
    this.#restore = undefined;
    try {
      this.#choose(await restore());
    } catch (error) {
      this.#onError({ code: 'order-not-restored', message: String(error) });
    }
  }
}
