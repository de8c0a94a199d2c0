import { FinancingOutcomeEvent } from '../events/outcome-event.ts';
import type { CheckoutResult, Money } from '../outcome.ts';
import type { Returned } from '../presentations/return.ts';
import { openWindow } from '../presentations/window.ts';
import { report } from '../report.ts';
import type { Spoken } from '../texts/texts.ts';
import type { Ended, Phase } from '../views/view.ts';
import { parse } from './address.ts';
import type * as AttemptModule from './attempt.ts';
import type { Attempt, AttemptOptions } from './attempt.ts';
import type { Attributes } from './configuration.ts';
import { Memory } from './memory.ts';
import { readTicket } from './ticket.ts';

/** What a course needs of its element. */
export interface Surroundings {
  readonly locale: () => string;
  readonly words: () => Spoken;
  /** Sees to it that no word is missing. */
  readonly learn: () => Promise<void>;
  /** Something in the element's own tree. */
  readonly find: (selector: string) => HTMLElement | null;
  /** Another phase, or something else to draw in the same one. */
  readonly onPhase: (phase: Phase) => void;
}

/**
 * What a redirect came back with for an element that was taken out before there was an outcome: a
 * router draws its page anew, and the next element for the order goes on. Sending it again is harmless.
 */
let kept: Returned | undefined;

/** What goes on in one element: nothing, an attempt on its way, or how one ended. */
export class Course {
  readonly #element: HTMLElement & Attributes;
  readonly #around: Surroundings;
  phase: Phase = 'idle';
  /** What only a shopper who acts needs. */
  declare module: typeof AttemptModule | undefined;
  declare attempt: Attempt | undefined;
  declare result: Ended | undefined;
  declare amount: Money | undefined;
  /** The ticket was too old. */
  stale = false;
  /** There while an attempt is on its way; aborting it stops that. */
  #life: AbortController | undefined;
  #leaving = new AbortController();
  /** What a redirect came back with, until there is an outcome. */
  #returned: Returned | undefined;
  /** What the click has opened, until an attempt takes it. */
  #window: Window | null | undefined;

  constructor(element: HTMLElement & Attributes, around: Surroundings) {
    this.#element = element;
    this.#around = around;
  }

  get isOnItsWay(): boolean {
    return this.#life !== undefined;
  }

  get isResumable(): boolean {
    return this.#memory()?.recall()?.id !== undefined;
  }

  /** Whether the order of the element has been financed, whatever has become of it since. */
  get isFinanced(): boolean {
    const { outcome, merchantOrderId } = this.result ?? {};
    return (
      (outcome === 'approved' || outcome === 'pending') &&
      readTicket(this.#element.order)?.merchantOrderId === merchantOrderId
    );
  }

  /** To be called in the shopper's click: that may open a window. */
  start(): void {
    this.#openWindow();
    void this.#run();
  }

  /** Leaves the checkout as the shopper would. */
  leave(): void {
    this.#enter('leaving');
    this.#leaving.abort();
  }

  /**
   * Stops an attempt on its way; how an earlier one ended stays.
   * @param held whether also one that goes on without the element: the shopper may still confirm in
   *   the service's own dialog, and only the attempt can send that token
   */
  stop(held?: boolean): void {
    if (!this.#life || (this.attempt?.held && !held)) return;
    this.#life.abort();
    this.#life = this.attempt = undefined;
    kept = this.#returned ?? kept;
    this.#takeWindow()?.close();
    this.rest();
  }

  /** Stops, and forgets what could be continued. */
  reset(): void {
    this.stop(true);
    kept = undefined;
    this.#memory()?.forget();
    this.rest();
  }

  rest(): void {
    this.result = this.amount = undefined;
    this.#enter('idle');
  }

  /** Goes on where a redirect left off: the shopper has acted before. */
  async comeBack(): Promise<void> {
    if (!kept && !location.hash.includes('financing-session=')) return;
    const module = await this.#load();
    const memory = this.#memory();
    const isFree = () => !this.#life && this.#element.isConnected;
    if (memory && isFree()) kept ??= module?.takeReturn(memory);
    // A router that hears of the address draws its page anew first.
    await new Promise((done) => setTimeout(done));
    if (!kept || kept.name !== memory?.name || !isFree()) return;
    void this.#run(kept);
    kept = undefined;
  }

  /** After `changed`: starts again with the order as it is now. In the shopper's click. */
  startAgain(): void {
    this.#openWindow();
    this.#leaving = new AbortController();
    this.attempt?.startAgain(this.#leaving.signal);
  }

  async #run(returned?: Returned): Promise<void> {
    const life = (this.#life = new AbortController());
    const isGone = () => life.signal.aborted;
    this.#leaving = new AbortController();
    this.#returned = returned;
    this.amount = this.result = undefined;
    this.stale = false;
    this.#enter(returned ? (returned.token ? 'confirming' : 'leaving') : 'opening');
    const module = await this.#load();
    if (isGone()) return;
    let ended: () => void;
    try {
      if (!module) throw new Error('A part of the widget did not load.');
      const attempt = await module.prepare(this.#options(life.signal, returned));
      if (isGone()) return;
      this.attempt = attempt;
      const result = await attempt.run();
      ended = () => (result ? this.#end(result) : this.rest());
    } catch (error) {
      // After an abort this attempt has no say any more, and another one may be going on.
      if (isGone()) return;
      if (module && error instanceof module.ConfigurationError) {
        report(this.#element, error.code, error.message);
        ended = () => this.#end({ outcome: 'failed' });
      } else {
        // Told as an error, and still never a button that does nothing. What became of a checkout
        // of before a reload is as unknown as before.
        report(this.#element, module ? 'internal' : 'script-unreachable', String(error));
        const checkoutId = this.#memory()?.recall()?.id;
        ended = () => this.#end({ outcome: 'unavailable', checkoutId, retrySafe: !checkoutId });
      }
    }
    if (isGone()) return;
    this.#life = this.attempt = undefined;
    this.#takeWindow()?.close();
    ended();
  }

  async #load() {
    const { learn } = this.#around;
    try {
      const [module] = await Promise.all([import('./attempt.ts'), learn()]);
      // The language may have become another one meanwhile.
      await learn();
      this.module = module;
    } catch {
      return undefined;
    }
    this.#enter(this.phase);
    return this.module;
  }

  #options(life: AbortSignal, returned: Returned | undefined): AttemptOptions {
    const { locale, words, find } = this.#around;
    return {
      element: this.#element,
      locale: locale(),
      returned,
      life,
      leaving: this.#leaving.signal,
      get container() {
        return find('.frame');
      },
      waiting: words().loading,
      takeWindow: () => this.#takeWindow(),
      onStep: (step, amount) => {
        this.amount = amount;
        // No lender's page comes after this: a window that waits for one would lie over the news.
        if (step === 'checking' || step === 'confirming') this.#takeWindow()?.close();
        this.#enter(step);
      },
      onReady: (frame) => {
        // Only from where it was put: not away from a shopper who went elsewhere in the dialog.
        if (this.#element.shadowRoot?.activeElement === find('h2')) frame.focus();
      },
      onUnknown: (result) => this.#tell(result),
      onError: ({ code, message }) => {
        this.stale = code === 'order-ticket-expired';
        report(this.#element, code, message);
        this.#enter(this.phase);
      },
    };
  }

  #end(result: Ended): void {
    this.result = result;
    this.amount = result.amount;
    this.#enter('ended');
    this.#tell(result);
  }

  #tell(result: CheckoutResult): void {
    this.#returned = undefined;
    this.#element.dispatchEvent(new FinancingOutcomeEvent(result));
  }

  #enter(phase: Phase): void {
    // With a window of its own there is nothing to see in the dialog.
    this.phase = phase === 'opening' && this.#window ? 'away' : phase;
    this.#around.onPhase(this.phase);
  }

  #openWindow(): void {
    if (!/^\s*popup\b/.test(this.#element.presentation ?? '')) return;
    this.#window = openWindow(this.#memory()?.name ?? '', this.#around.words().loading);
  }

  #takeWindow(): Window | null | undefined {
    const opened = this.#window;
    this.#window = undefined;
    return opened;
  }

  #memory(): Memory | undefined {
    const { companion, environment, order } = this.#element;
    const address = companion && parse(companion);
    return address && order ? new Memory(address, environment ?? '', order) : undefined;
  }
}
