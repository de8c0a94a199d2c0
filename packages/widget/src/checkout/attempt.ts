import type { CheckoutResult, Outcome } from '../outcome.ts';
import type { Checkout } from './answer.ts';
import { Companion, CompanionError } from './companion.ts';
import { configure } from './configuration.ts';
import type { Configuration, Settings } from './configuration.ts';
import { embed } from './embedded.ts';
import type { End, Shown } from './embedded.ts';
import { Memory } from './memory.ts';
import { pause } from './pause.ts';
import { readTicket } from './ticket.ts';

export { ConfigurationError } from './configuration.ts';

/**
 * Where an attempt is:
 * - `opening`: the companion is asked to open the checkout, or to find it again.
 * - `loading`: the hosted page was asked for; `slow` when it does not come; `shown` when it is there.
 * - `leaving`: the shopper left, or the page ended; the companion is asked what became of it.
 * - `confirming`: an offer was confirmed; the charge is being made.
 * - `checking`: whether there is a charge is unknown; the companion is asked until it knows.
 */
export type Step = 'opening' | 'loading' | 'slow' | 'shown' | 'leaving' | 'confirming' | 'checking';

/** What an attempt needs of whoever runs it. */
export interface AttemptOptions {
  readonly settings: Settings;
  /** Aborted when the element goes away: everything stops, nothing more is told. */
  readonly life: AbortSignal;
  /** Aborted when the shopper wants out. Once an offer is confirmed, that stops nothing. */
  readonly leaving: AbortSignal;
  /** Where the hosted page is shown, and what it is called. */
  readonly container: Element;
  readonly title: string;
  readonly onStep: (step: Step, checkout: Checkout | undefined) => void;
  /** Whether there is a charge is unknown. Called once, with `checking`. */
  readonly onUnknown: (result: CheckoutResult) => void;
  /** The frame can be used: where to put the focus. */
  readonly onReady: (frame: HTMLElement) => void;
  /** For the developer of the page. */
  readonly onError: (error: CompanionError) => void;
}

/** How long a page may take to answer `close`, and to say `ready`, in milliseconds. */
const CLOSE_PATIENCE = 1_000;
const READY_PATIENCE = 15_000;
/** The first wait between two questions, and the longest; each wait is twice the one before. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

/** One attempt of one shopper: from the click to an outcome. Runs once. */
export class Attempt {
  readonly #options: AttemptOptions;
  readonly #configuration: Configuration;
  readonly #companion: Companion;
  readonly #memory: Memory;
  readonly #life: AbortSignal;
  readonly #leaving: AbortSignal;
  readonly #wake = new EventTarget();
  #step: Step = 'opening';
  #shown: Shown | undefined;
  /** The companion's latest word. */
  #seen: Checkout | undefined;

  /** @throws {ConfigurationError} */
  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#configuration = configure(options.settings);
    this.#companion = new Companion(this.#configuration);
    const { companion, environment, order } = this.#configuration;
    this.#memory = new Memory(new URL(companion), environment, order);
    this.#life = options.life;
    this.#leaving = options.leaving;
  }

  /**
   * @returns how it ended; undefined when it turned out to be still open after the shopper was
   * told of a check, so that they may continue it.
   * @throws the abort reason when `life` is aborted, and ConfigurationError.
   */
  async run(): Promise<CheckoutResult | undefined> {
    let checkout: Checkout;
    try {
      checkout = await this.#pursue();
    } catch (error) {
      this.#life.throwIfAborted();
      if (this.#leaving.aborted && error === this.#leaving.reason) {
        return { outcome: 'cancelled' };
      }
      if (!(error instanceof CompanionError)) throw error;
      this.#options.onError(error);
      return { ...outcomeOf(error), checkoutId: this.#memory.recall()?.id };
    } finally {
      this.#shown?.remove();
    }
    const result = resultOf(checkout);
    if (!result) return undefined;
    // What is, or may become, a charge stays remembered: a reload must not invite to pay twice.
    if (result.outcome !== 'approved' && result.outcome !== 'pending') this.#memory.forget();
    return result;
  }

  /** Asks the companion now instead of after the wait. */
  hurry(): void {
    this.#wake.dispatchEvent(new Event('wake'));
  }

  /** Loads the hosted page again. */
  reload(): void {
    this.#enter('loading');
    this.#shown?.reload();
  }

  #enter(step: Step): void {
    this.#step = step;
    this.#options.onStep(step, this.#seen);
  }

  /** @throws the reason of `leaving` when the shopper left before there was a checkout. */
  async #pursue(): Promise<Checkout> {
    const opened = await this.#open();
    // Found open while the shopper was looking at something else: for them to continue.
    if (opened.status !== 'open' || this.#step !== 'opening') return opened;
    if (this.#leaving.aborted) {
      this.#enter('leaving');
      return this.#cancel(opened.id, { ...opened, status: 'cancelled' });
    }
    const end = await this.#present(opened);
    if (end.type === 'confirmed') {
      this.#enter('confirming');
      return this.#follow(opened.id, this.#life, end.confirmationToken);
    }
    this.#enter('leaving');
    return this.#cancel(opened.id, { ...opened, status: end.reason });
  }

  /** The checkout of before a reload, where there is one to go on with; otherwise a new one. */
  async #open(): Promise<Checkout> {
    const id = this.#memory.recall()?.id;
    if (!id) return this.#prime();
    const here = AbortSignal.any([this.#life, this.#leaving]);
    let found: Checkout;
    try {
      found = await this.#follow(id, here);
    } catch (error) {
      this.#life.throwIfAborted();
      if (here.aborted) {
        this.#enter('leaving');
        return this.#cancel(id);
      }
      if (!(error instanceof CompanionError) || error.code !== 'checkout-not-found') throw error;
      this.#memory.forget();
      return this.#prime();
    }
    const claims = readTicket(this.#configuration.order);
    const drifted =
      claims !== undefined &&
      (claims.totalAmount !== found.amount.value || claims.currency !== found.amount.currency);
    if (found.status === 'open' && drifted) {
      // The cart is another one now: what is still open for the old one is closed first.
      found = await this.#cancel(id, { ...found, status: 'cancelled' });
    }
    if (found.status !== 'cancelled' && found.status !== 'expired') return found;
    this.#memory.forget();
    return this.#prime();
  }

  async #prime(): Promise<Checkout> {
    const here = AbortSignal.any([this.#life, this.#leaving]);
    for (let tries = 0; ; tries++) {
      const used = this.#memory.recall()?.key;
      const key = used ?? crypto.randomUUID();
      // Before it is sent: whatever happens to the answer, the same key asks for the same checkout.
      this.#memory.remember({ key });
      try {
        const checkout = await this.#companion.prime(key, here);
        if (!used || checkout.status === 'open' || tries > 0) {
          this.#memory.remember({ key, id: checkout.id });
          return checkout;
        }
        this.#memory.forget(); // An answer from before the reload, to a checkout that is over.
      } catch (error) {
        if (!(error instanceof CompanionError) || !error.settled) throw error;
        if (error.code === 'idempotency-in-flight') {
          if (tries > 4) throw error;
          await pause(wait(tries), here, this.#wake);
          continue;
        }
        this.#memory.forget();
        // The ticket was signed anew since: a request of its own.
        if (error.code !== 'idempotency-key-reused' || tries > 0) throw error;
      }
    }
  }

  /** Shows the hosted page until it ends, or until the shopper leaves and it had its say. */
  async #present(checkout: Checkout): Promise<End> {
    const signal = this.#life;
    const { container, title, onReady } = this.#options;
    this.#seen = checkout;
    this.#enter('loading');
    let late = setTimeout(() => this.#enter('slow'), READY_PATIENCE);
    const shown = embed({
      presentation: checkout.presentation,
      container,
      title,
      signal,
      onReady: (frame) => {
        clearTimeout(late);
        if (this.#step !== 'loading' && this.#step !== 'slow') return;
        this.#enter('shown');
        onReady(frame);
      },
    });
    this.#shown = {
      ...shown,
      reload: () => {
        clearTimeout(late);
        late = setTimeout(() => this.#enter('slow'), READY_PATIENCE);
        shown.reload();
      },
    };
    try {
      const left = until(this.#leaving);
      let end = await Promise.race([shown.end, left]);
      if (end) return end;
      clearTimeout(late);
      const asked = this.#step === 'shown';
      this.#enter('leaving');
      if (asked) {
        shown.askToClose();
        const patience = pause(CLOSE_PATIENCE, signal, new EventTarget()).then(() => undefined);
        end = await Promise.race([shown.end, patience]);
      }
      return end ?? { type: 'ended', reason: 'cancelled' };
    } finally {
      clearTimeout(late);
      shown.remove();
    }
  }

  /**
   * Asks the companion until it knows what became of a checkout. With a confirmation token the
   * charge is asked for; an answer that was lost is asked for again, which is harmless.
   */
  async #follow(id: string, signal: AbortSignal, token?: string): Promise<Checkout> {
    let send = token;
    let lost = false;
    for (let tries = 0; ; tries++) {
      try {
        const checkout = await (send
          ? this.#companion.confirm(id, send, signal)
          : this.#companion.find(id, signal));
        this.#seen = checkout;
        const { status } = checkout;
        if (status === 'open' ? !token : isKnown(checkout)) return checkout;
        send = status === 'open' ? token : undefined;
        if (tries > 1 || status === 'unavailable') this.#check(id);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CompanionError)) throw error;
        // Somebody else ended it: ask how. A charge that is refused was not made, unless it was by
        // a request whose answer was lost. A question that is refused answers nothing.
        if (error.code === 'checkout-not-open' && send) send = undefined;
        else if (error.refused && !lost && (send || error.code === 'checkout-not-found')) {
          throw error;
        } else {
          lost ||= send !== undefined;
          if (error.refused && tries === 0) this.#options.onError(error);
          if (tries > 0) this.#check(id);
        }
      }
      await pause(wait(tries), signal, this.#wake);
    }
  }

  #check(checkoutId: string): void {
    if (this.#step === 'checking') return;
    this.#enter('checking');
    const { merchantOrderId, amount } = this.#seen ?? {};
    this.#options.onUnknown({
      outcome: 'unavailable',
      checkoutId,
      merchantOrderId,
      amount,
      retrySafe: false,
    });
  }

  /**
   * Says that the shopper left. The answer counts, not the claim: a lender may have approved
   * meanwhile. The claim stands in where no answer can be had and nothing was confirmed here.
   */
  async #cancel(id: string, claim?: Checkout): Promise<Checkout> {
    const signal = this.#life;
    for (let tries = 0; tries < 2; tries++) {
      try {
        const checkout = await this.#companion.cancel(id, signal);
        return isKnown(checkout) ? checkout : await this.#follow(id, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CompanionError)) throw error;
        if (error.code === 'checkout-not-open') return this.#follow(id, signal);
        if (error.refused) {
          this.#options.onError(error);
          break;
        }
      }
      if (tries === 0) await pause(FIRST_WAIT, signal, this.#wake);
    }
    return claim ?? this.#follow(id, signal);
  }
}

function resultOf(checkout: Checkout): CheckoutResult | undefined {
  const { status: outcome, id: checkoutId, merchantOrderId, amount, retrySafe } = checkout;
  if (outcome === 'open' || outcome === 'confirming') return undefined;
  return { outcome, checkoutId, merchantOrderId, amount, retrySafe };
}

/** Whether a checkout has ended in a way that is not still to be found out. */
function isKnown({ status, retrySafe }: Checkout): boolean {
  return (
    status !== 'open' && status !== 'confirming' && (status !== 'unavailable' || retrySafe === true)
  );
}

/** How long to wait before asking again, in milliseconds. */
function wait(tries: number): number {
  // Up to a quarter less, so that many pages do not ask at the same moment.
  return Math.min(FIRST_WAIT * 2 ** tries, LONGEST_WAIT) * (1 - Math.random() / 4);
}

function until(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** What it means for the shopper that no checkout could be opened. Nothing can have been charged. */
function outcomeOf({ code, refused, retrySafe }: CompanionError): {
  outcome: Outcome;
  retrySafe?: boolean;
} {
  if (code === 'order-ticket-expired') return { outcome: 'expired' };
  return !refused && retrySafe
    ? { outcome: 'unavailable', retrySafe: true }
    : { outcome: 'failed' };
}
