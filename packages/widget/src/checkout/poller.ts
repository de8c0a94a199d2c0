import type { Checkout } from '../companion/answer.ts';
import { CompanionError } from '../companion/companion.ts';
import type { Companion, Confirmation } from '../companion/companion.ts';
import { backOff } from '../platform/pause.ts';

/** Maximum delay between two requests, in milliseconds. */
const LONGEST_WAIT = 60_000;

/** What the poller needs from the attempt. */
interface PollerOptions {
  readonly companion: Companion;
  /** Aborted when the element is removed. */
  readonly life: AbortSignal;
  /** Receives `wake` when the shopper asks to poll now. */
  readonly wake: EventTarget;
  /** Called for each response. */
  readonly onSeen: (checkout: Checkout) => void;
  /** Called, possibly more than once, when it is unknown whether a charge exists. */
  readonly onUnknown: (checkoutId: string) => void;
  readonly onError: (error: CompanionError) => void;
}

/** Polls the companion for a checkout's outcome, however long that takes. */
export class Poller {
  readonly #options: PollerOptions;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /**
   * Polls until the companion knows the outcome. Given a confirmation, requests the charge, and
   * safely retries the request if a response is lost.
   * @throws {CompanionError} if the companion refuses, for example with `order-changed`
   */
  async follow(id: string, signal: AbortSignal, confirmation?: Confirmation): Promise<Checkout> {
    const { companion, onError, onSeen, onUnknown } = this.#options;
    let send = confirmation;
    let lost = false;
    let chargedElsewhere = false;
    for (let tries = 0; ; tries++) {
      try {
        const checkout = await (send
          ? companion.confirm(id, send, signal)
          : companion.find(id, signal));
        onSeen(checkout);
        const { status } = checkout;
        if (status === 'open' ? !confirmation : isFinal(checkout)) return checkout;
        send = status === 'open' ? confirmation : undefined;
        // `confirming` does not count as unknown: the charge is in progress, and the page says so.
        if (status === 'unavailable' || (tries > 1 && status !== 'confirming')) onUnknown(id);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CompanionError)) throw error;
        // Nothing was charged, and neither this request nor an earlier one will charge anything.
        if (error.code === 'order-changed') throw error;
        // `checkout-not-open`: another page ended the checkout, so its outcome is looked up. A
        // refused charge was not made, unless by an earlier request whose response was lost. A
        // refused lookup proves nothing.
        if (error.code === 'checkout-not-open' && send) {
          // The checkout was still open, so another checkout has charged this order.
          if (chargedElsewhere) throw error;
          send = undefined;
          chargedElsewhere = !error.retrySafe;
        } else if (error.refused && !lost && (send || error.code === 'checkout-not-found')) {
          throw error;
        } else {
          // A rate-limited request was never processed.
          lost ||= send !== undefined && error.code !== 'rate-limited';
          if (error.refused && tries === 0) onError(error);
          if (tries > 0) onUnknown(id);
        }
      }
      await this.wait(tries, signal);
    }
  }

  /** Polls until the checkout is no longer open, without reporting failures. */
  async watch(id: string, signal: AbortSignal): Promise<Checkout> {
    for (let tries = 0; ; tries++) {
      await this.wait(Math.min(tries, 3), signal);
      try {
        const checkout = await this.#options.companion.find(id, signal);
        this.#options.onSeen(checkout);
        if (checkout.status !== 'open') return checkout;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CompanionError) || error.refused) throw error;
      }
    }
  }

  /** Returns a checkout with a known outcome. Polls until the companion knows it. */
  async settle(checkout: Checkout, signal: AbortSignal): Promise<Checkout> {
    return isFinal(checkout) ? checkout : this.follow(checkout.id, signal);
  }

  /** Waits for the backoff delay before the next request. */
  wait(tries: number, signal: AbortSignal): Promise<void> {
    return backOff(tries, LONGEST_WAIT, signal, this.#options.wake);
  }
}

/** Returns whether a checkout has ended with a known outcome. */
function isFinal({ status, retrySafe }: Checkout): boolean {
  return (
    status !== 'open' && status !== 'confirming' && (status !== 'unavailable' || retrySafe === true)
  );
}
