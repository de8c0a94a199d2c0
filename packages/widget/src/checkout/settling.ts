import type { Checkout } from './answer.ts';
import { CompanionError } from './companion.ts';
import type { Companion, Confirmation } from './companion.ts';
import { pause } from './pause.ts';
import { isElsewhere } from './tabs.ts';

/** The first wait between two questions, and the longest; each wait is twice the one before. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

/** What settling needs of the attempt it is part of. */
export interface SettlingOptions {
  readonly companion: Companion;
  /** Aborted when the element goes away. */
  readonly life: AbortSignal;
  /** Told `wake` when the shopper does not want to wait for the next question. */
  readonly wake: EventTarget;
  /** Each answer. */
  readonly onSeen: (checkout: Checkout) => void;
  /** It is not known whether there is a charge. May be told more than once. */
  readonly onUnknown: (checkoutId: string) => void;
  readonly onError: (error: CompanionError) => void;
}

/** Finds out what became of a checkout, however long that takes. */
export class Settling {
  readonly #options: SettlingOptions;

  constructor(options: SettlingOptions) {
    this.#options = options;
  }

  /**
   * Asks the companion until it knows what became of a checkout. With a confirmation the charge is
   * asked for; an answer that was lost is asked for again, which is harmless.
   * @throws {CompanionError} when it refuses, `order-changed` among others
   */
  async follow(id: string, signal: AbortSignal, confirmation?: Confirmation): Promise<Checkout> {
    const { companion, onError, onSeen, onUnknown } = this.#options;
    let send = confirmation;
    let lost = false;
    let taken = false;
    for (let tries = 0; ; tries++) {
      try {
        const checkout = await (send
          ? companion.confirm(id, send, signal)
          : companion.find(id, signal));
        onSeen(checkout);
        const { status } = checkout;
        if (status === 'open' ? !confirmation : isKnown(checkout)) return checkout;
        send = status === 'open' ? confirmation : undefined;
        // `confirming` is known: the charge is being made, and the page says so.
        if (status === 'unavailable' || (tries > 1 && status !== 'confirming')) onUnknown(id);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CompanionError)) throw error;
        // Nothing was charged, and nothing will be: not by this request, nor by one before it.
        if (error.code === 'order-changed') throw error;
        // Somebody else ended it: ask how. A charge that is refused was not made, unless it was by
        // a request whose answer was lost. A question that is refused answers nothing.
        if (error.code === 'checkout-not-open' && send) {
          // It was open all the same: the charge of this order is another checkout's.
          if (taken) throw error;
          send = undefined;
          taken = !error.retrySafe;
        } else if (error.refused && !lost && (send || error.code === 'checkout-not-found')) {
          throw error;
        } else {
          // Too many requests: the companion has not looked at this one.
          lost ||= send !== undefined && error.code !== 'rate-limited';
          if (error.refused && tries === 0) onError(error);
          if (tries > 0) onUnknown(id);
        }
      }
      await this.wait(tries, signal);
    }
  }

  /** Asks, without a word to anybody, until a checkout that is open is no more. */
  async watch(id: string, signal: AbortSignal): Promise<Checkout> {
    for (let tries = 0; ; tries++) {
      await this.wait(Math.min(tries, 3), signal);
      try {
        const checkout = await this.#options.companion.find(id, signal);
        if (checkout.status !== 'open') return checkout;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CompanionError) || error.refused) throw error;
      }
    }
  }

  /**
   * Says that the shopper left. The answer counts, not the claim: a lender may have approved
   * meanwhile. The claim stands in where no answer can be had and nothing was confirmed here. What
   * another tab shows as well is left here alone.
   */
  async cancel(id: string, claim?: Checkout): Promise<Checkout> {
    const { companion, life: signal, onError } = this.#options;
    const left = (claim?.status ?? 'cancelled') === 'cancelled' && (await isElsewhere(id));
    for (let tries = 0; tries < 2; tries++) {
      try {
        const checkout = await companion[left ? 'find' : 'cancel'](id, signal);
        if (left && checkout.status === 'open') return { ...checkout, status: 'cancelled' };
        return isKnown(checkout) ? checkout : await this.follow(id, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CompanionError)) throw error;
        if (error.code === 'checkout-not-open') return this.follow(id, signal);
        if (error.refused) {
          onError(error);
          break;
        }
      }
      if (tries === 0) await this.wait(tries, signal);
    }
    return claim ?? this.follow(id, signal);
  }

  /** Waits before asking again. */
  wait(tries: number, signal: AbortSignal): Promise<void> {
    // Up to a quarter less, so that many pages do not ask at the same moment.
    const ms = Math.min(FIRST_WAIT * 2 ** tries, LONGEST_WAIT) * (1 - Math.random() / 4);
    return pause(ms, signal, this.#options.wake);
  }
}

/** Whether a checkout has ended in a way that is not still to be found out. */
export function isKnown({ status, retrySafe }: Checkout): boolean {
  return (
    status !== 'open' && status !== 'confirming' && (status !== 'unavailable' || retrySafe === true)
  );
}
