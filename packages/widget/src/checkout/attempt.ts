import { FinancingOrderChangeEvent } from '../events/order-change-event.ts';
import type { CheckoutResult, Money, Outcome } from '../outcome.ts';
import type { Play } from '../scenario/play.ts';
import type { Ended } from '../views/view.ts';
import { Showing } from '../presentations/showing.ts';
import type { ShowingOptions } from '../presentations/showing.ts';
import { aborted, BlockedError } from '../presentations/presentation.ts';
import type { Ending } from '../presentations/presentation.ts';
import type { Returned } from '../presentations/return.ts';
import { endOf } from '../presentations/returned.ts';
import type { Amounts, Checkout } from './answer.ts';
import { Companion, CompanionError } from './companion.ts';
import type { Confirmation } from './companion.ts';
import { configure, settingsOf } from './configuration.ts';
import type { Attributes, Configuration, Settings } from './configuration.ts';
import { Memory } from './memory.ts';
import { open, prime } from './opening.ts';
import { isKnown, Settling } from './settling.ts';
import { readTicket } from './ticket.ts';

export { Companion, CompanionError } from './companion.ts';
export { ConfigurationError, configure, settingsOf } from './configuration.ts';
export { readTicket } from './ticket.ts';
export { takeReturn } from '../presentations/return.ts';
export { formatMoney } from '../texts/money.ts';
export { tell } from '../views/notice.ts';

/**
 * Where an attempt is:
 * - `opening`: the companion is asked to open the checkout, or to find it again.
 * - `loading`: the hosted page was asked for; `slow` when it does not come; `shown` when it is there;
 *   `silent` when another page has come in its place, and does not say that it can be used.
 * - `away`: it is in a window of its own, or shown by the service's SDK.
 * - `leaving`: the shopper left, or the page ended; the companion is asked what became of it.
 * - `confirming`: an offer was confirmed; the charge is being made.
 * - `changed`: the order is not the one that was approved: the shopper has to choose.
 * - `checking`: whether there is a charge is unknown; the companion is asked until it knows.
 */
export type Step =
  | 'opening'
  | 'loading'
  | 'slow'
  | 'shown'
  | 'silent'
  | 'away'
  | 'leaving'
  | 'confirming'
  | 'changed'
  | 'checking';

/** What an attempt needs of whoever runs it. */
export interface AttemptOptions extends ShowingOptions {
  /** Its attributes are read whenever they are needed. */
  readonly element: HTMLElement & Attributes;
  readonly locale: string;
  /** What a redirect came back with, where this goes on with one. */
  readonly returned: Returned | undefined;
  readonly onStep: (step: Step, amount: Money | undefined) => void;
  /** Whether there is a charge is unknown. Called once, with `checking`. */
  readonly onUnknown: (result: CheckoutResult) => void;
  /** For the developer of the page. */
  readonly onError: (error: { code: string; message: string }) => void;
}

/**
 * An attempt that is set up as the attributes say.
 * @throws {ConfigurationError}
 */
export async function prepare(options: AttemptOptions): Promise<Attempt> {
  const { element, locale } = options;
  const { scenario } = element;
  const settings = settingsOf(element, locale);
  if (!scenario) return new Attempt(options, settings, undefined);
  // No shopper ever waits for this.
  const { play, rehearsed } = await import('../scenario/play.ts');
  const filled = rehearsed(settings);
  return new Attempt(options, filled, play(scenario, filled));
}

/** One attempt of one shopper: from the click to an outcome. Runs once. */
export class Attempt {
  readonly #options: AttemptOptions;
  readonly #life: AbortSignal;
  #leaving: AbortSignal;
  readonly #wake = new EventTarget();
  readonly #settings: Settings;
  readonly #play: Play | undefined;
  #configuration: Configuration;
  readonly #companion: Companion;
  #memory: Memory;
  readonly #settling: Settling;
  #step: Step = 'opening';
  /** What is on show, and can be shown again or in another way. Set here alone. */
  declare showing: Showing | undefined;
  #choose: ((order: string | undefined) => void) | undefined;
  /** After `changed`: what the order costs now. Set here alone. */
  declare current: Money | undefined;
  #restore: (() => Promise<string>) | undefined;
  /**
   * Whether it goes on while the element is out of the document: the service's dialog is open, or
   * has confirmed an offer, and its confirmation token is known to this attempt alone.
   */
  declare held: boolean | undefined;
  /** The companion's latest word. */
  #seen: Checkout | undefined;

  /** @throws {ConfigurationError} */
  constructor(options: AttemptOptions, settings: Settings, play: Play | undefined) {
    this.#options = options;
    this.#life = options.life;
    this.#leaving = options.leaving;
    this.#settings = settings;
    this.#play = play;
    this.#configuration = configure(settings);
    const { complaint } = this.#configuration;
    if (complaint) options.onError(complaint);
    this.#companion = new Companion(this.#configuration, play?.fetch);
    this.#memory = memoryOf(this.#configuration);
    this.#settling = new Settling({
      companion: this.#companion,
      life: this.#life,
      wake: this.#wake,
      onSeen: (checkout) => {
        this.#seen = checkout;
        const { status } = checkout;
        if (status === 'confirming' && this.#step !== status && this.#step !== 'checking') {
          this.#enter(status);
        }
      },
      onUnknown: (checkoutId) => this.#check(checkoutId),
      onError: options.onError,
    });
  }

  /**
   * @returns how it ended; undefined when it turned out to be still open after the shopper was
   * told of a check, so that they may continue it.
   * @throws the abort reason when `life` is aborted, and ConfigurationError.
   */
  async run(): Promise<Ended | undefined> {
    let checkout: Checkout;
    try {
      checkout = await this.#pursue();
    } catch (error) {
      this.#life.throwIfAborted();
      if (this.#leaving.aborted && error === this.#leaving.reason) {
        return { outcome: 'cancelled' };
      }
      if (error instanceof BlockedError) {
        // Nothing was shown, so nothing was confirmed; what was opened waits to be continued.
        return { outcome: 'unavailable', checkoutId: this.#seen?.id, retrySafe: true };
      }
      if (!(error instanceof CompanionError)) throw error;
      this.#options.onError(error);
      // What is remembered is not what is asked about from now on.
      if (elsewhere.includes(error.code)) this.#memory.forget();
      const checkoutId = this.#memory.recall()?.id;
      return { ...outcomeOf(error), checkoutId, offline: this.#play?.offline };
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

  /** After `changed`: whether the shop can bring back what was approved. */
  get keepable(): boolean {
    return this.#restore !== undefined;
  }

  /**
   * After `changed`: starts again with the order as it is now.
   * @param leaving of the shopper who starts: they may have left before, as the confirmation came.
   */
  startAgain(leaving: AbortSignal): void {
    this.#leaving = leaving;
    this.#choose?.(undefined);
  }

  /** After `changed`: has the shop bring back what was approved, and goes on with that. */
  async keep(): Promise<void> {
    const restore = this.#restore;
    if (!restore) return;
    // Taken before it is awaited: the second press of a double click asks nothing more of the shop.
    this.#restore = undefined;
    try {
      this.#choose?.(await restore());
    } catch (error) {
      // Then it cannot be kept, and the other choice is left.
      this.#options.onError({ code: 'order-not-restored', message: String(error) });
    }
  }

  #enter(step: Step, amount = this.#seen?.amount): void {
    this.#step = step;
    this.#options.onStep(step, amount);
  }

  /** @throws the reason of `leaving` when the shopper left before there was a checkout. */
  async #pursue(): Promise<Checkout> {
    const { returned } = this.#options;
    const { id, key } = this.#memory.recall() ?? {};
    this.#companion.key = key;
    let checkout =
      returned && id
        ? await this.#conclude(id, endOf(returned.token, returned.reason))
        : await open(this.#opening());
    for (;;) {
      this.#life.throwIfAborted();
      // Found open while the shopper was looking at something else: for them to continue.
      if (checkout.status !== 'open' || this.#step !== 'opening') return checkout;
      if (this.#leaving.aborted) {
        this.#enter('leaving');
        return this.#settling.cancel(checkout.id, { ...checkout, status: 'cancelled' });
      }
      const ending = await this.#present(checkout);
      checkout = await this.#conclude(checkout.id, ending, checkout);
    }
  }

  #opening() {
    return {
      companion: this.#companion,
      memory: this.#memory,
      settling: this.#settling,
      order: this.#configuration.order,
      life: this.#life,
      leaving: this.#leaving,
      onLeaving: () => this.#enter('leaving'),
    };
  }

  async #present(checkout: Checkout): Promise<Ending> {
    this.#seen = checkout;
    const showing = (this.showing = new Showing(checkout, {
      ...this.#options,
      leaving: this.#leaving,
      configuration: this.#configuration,
      memory: this.#memory,
      play: this.#play,
      watch: (signal) => this.#settling.watch(checkout.id, signal),
      onStep: (step) => this.#enter(step),
      attempt: this,
    }));
    try {
      return await showing.run();
    } finally {
      this.showing = undefined;
    }
  }

  /** @returns a checkout that is open, and `opening`, where the shopper chose to start again. */
  async #conclude(id: string, ending: Ending, opened?: Checkout): Promise<Checkout> {
    if (ending.type === 'settled') return this.#known(ending.checkout);
    if (ending.type === 'updated') return this.#again(id);
    if (ending.type === 'ended') {
      this.#enter('leaving');
      const { reason, firm = reason === 'failed' } = ending;
      // Whatever a page says that was asked to close: the shopper left.
      const status = this.#leaving.aborted ? 'cancelled' : reason;
      const claim = { status, retrySafe: status === 'unavailable' || undefined };
      const ended = await this.#settling.cancel(id, opened && { ...opened, ...claim });
      // Of a page that could not go on the service knows nothing, and takes it for one that was left.
      return ended.status === 'cancelled' && firm ? { ...ended, ...claim } : ended;
    }
    const { confirmationToken, closed } = ending;
    let order = this.#currentOrder();
    for (;;) {
      this.#enter('confirming');
      try {
        const charged = await this.#settling.follow(id, this.#life, { confirmationToken, order });
        // Charged at once, and told once the shopper has read the lender's last page.
        await closed;
        return charged;
      } catch (error) {
        if (!(error instanceof CompanionError) || error.code !== 'order-changed') throw error;
        const chosen = new Promise<string | undefined>((resolve) => (this.#choose = resolve));
        this.#tellOfChange(error.amounts);
        order = await Promise.race([chosen, aborted(this.#life)]);
        if (order === undefined) return this.#again(id);
      }
    }
  }

  #tellOfChange(amounts: Amounts | undefined): void {
    this.current = amounts?.current;
    this.#restore = undefined;
    this.#enter('changed', amounts?.approved);
    const offer = (restore: () => Promise<string>) => (this.#restore = restore);
    const event = new FinancingOrderChangeEvent(amounts?.approved, amounts?.current, offer);
    this.#options.element.dispatchEvent(event);
    // There may be one choice more.
    this.#enter('changed', amounts?.approved);
  }

  /** Ends what was approved, which is charged to nobody, and opens a checkout for the order of now. */
  async #again(id: string): Promise<Checkout> {
    this.#enter('opening');
    const ended = await this.#settling.cancel(id);
    // An application that was approved waits at the service for a charge that the companion has
    // refused for good. A charge that somebody else had made meanwhile would be another matter.
    if (ended.status === 'approved') return ended;
    this.#memory.forget();
    const { order } = this.#options.element;
    this.#configuration = configure(order ? { ...this.#settings, order } : this.#settings);
    // The same companion: what settles the checkout asks it, too, with the key of the next prime.
    this.#companion.configuration = this.#configuration;
    this.#memory = memoryOf(this.#configuration);
    this.#seen = undefined;
    return prime(this.#opening());
  }

  /**
   * The ticket of the page as it is now, unless it is another order's: this checkout is not for
   * that one, and the shopper has confirmed this one.
   */
  #currentOrder(): Confirmation['order'] {
    const order = this.#options.element.order ?? '';
    const of = (ticket: string) => readTicket(ticket)?.merchantOrderId;
    return order && of(order) === of(this.#configuration.order) ? order : undefined;
  }

  async #known(checkout: Checkout): Promise<Checkout> {
    this.#seen = checkout;
    return isKnown(checkout) ? checkout : this.#settling.follow(checkout.id, this.#life);
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
}

function memoryOf({ companion, environment, order }: Configuration): Memory {
  return new Memory(new URL(companion), environment, order);
}

function resultOf(checkout: Checkout): CheckoutResult | undefined {
  const { id: checkoutId, reversal, status } = checkout;
  if (status === 'open' || status === 'confirming') return undefined;
  // What pays the order no more is no approval for the page either.
  const outcome = reversal && reversal.kind !== 'reduced' ? 'failed' : status;
  return { ...checkout, outcome, checkoutId };
}

/** The order has a charge already, or may get one: from another tab, or another device. */
const elsewhere: readonly string[] = ['checkout-not-open', 'order-ticket-used'];

/**
 * What it means for the shopper that no checkout could be opened. Nothing can have been charged
 * from here; where it may have been elsewhere, nobody is sent to pay another way.
 */
function outcomeOf({ code, refused, retrySafe }: CompanionError): {
  outcome: Outcome;
  retrySafe?: boolean;
} {
  if (elsewhere.includes(code)) return { outcome: 'unavailable', retrySafe: false };
  if (code === 'order-ticket-expired') return { outcome: 'expired' };
  return !refused && retrySafe
    ? { outcome: 'unavailable', retrySafe: true }
    : { outcome: 'failed' };
}
