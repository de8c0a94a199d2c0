import type { Memory } from '../companion/memory.ts';
import { keepReturn } from '../companion/return-fragment.ts';
import type { Returned } from '../companion/return-fragment.ts';
import type { Money } from '../model/outcome.ts';
import type { Phase } from '../model/phase.ts';
import { report } from '../platform/report.ts';
import { openWindow } from '../presentations/window.ts';
import type { ElementTexts } from '../texts/element-texts.ts';
import type { Flow, FlowAttempt, FlowHost, FlowModule, FlowOptions, FlowResult } from './flow.ts';

/** Controls one element's checkout or application: idle, in progress or ended. */
export class FlowController<Result extends FlowResult> {
  readonly #element: FlowHost;
  readonly #flow: Flow<Result>;
  readonly #texts: ElementTexts;
  readonly #onPhase: (phase: Phase) => void;
  phase: Phase = 'idle';
  /** The code that loads on the first click. */
  declare module: FlowModule<Result> | undefined;
  declare attempt: FlowAttempt<Result> | undefined;
  declare result: Result | undefined;
  declare amount: Money | undefined;
  /** Whether the order ticket has expired. */
  stale = false;
  /** The subject to which the result applies. */
  #subject: string | undefined;
  /** Set while an attempt is in progress. Aborting this controller stops the attempt. */
  #life: AbortController | undefined;
  #leaving = new AbortController();
  /** A redirect's parameters, until the outcome is known. */
  #returned: Returned | undefined;
  /** The window that the click opened, until an attempt takes it over. */
  #window: Window | null | undefined;
  /**
   * Set while the element is in a document. Aborting this controller removes its listeners from the
   * page.
   */
  #page: AbortController | undefined;

  /** @param onPhase called when the phase or anything else that is rendered changes */
  constructor(
    element: FlowHost,
    flow: Flow<Result>,
    texts: ElementTexts,
    onPhase: (phase: Phase) => void,
  ) {
    this.#element = element;
    this.#flow = flow;
    this.#texts = texts;
    this.#onPhase = onPhase;
  }

  /** Listens to the page's events while the element is connected. */
  connect(): void {
    this.#page = new AbortController();
    const { signal } = this.#page;
    const update = () => {
      this.#enter(this.phase);
      this.#follow();
    };
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      // After a restore from the back/forward cache, earlier timers and requests are lost.
      this.stop();
      // The shopper may have paid on a later page.
      if (!this.#life && this.#remembered?.outcome) this.clear();
      this.#follow();
    };
    addEventListener('pageshow', onPageShow, { signal });
    const onOnline = () => {
      // A page that did not load because the network was down can load now.
      if (this.phase === 'slow') this.attempt?.session?.reload();
      update();
    };
    addEventListener('online', onOnline, { signal });
    // Another element on the page may have paid the order, or left something to continue here.
    document.addEventListener(this.#flow.outcome, update, { signal });
  }

  disconnect(): void {
    this.#page?.abort();
    this.stop();
  }

  get isRunning(): boolean {
    return this.#life !== undefined;
  }

  get isResumable(): boolean {
    return this.#remembered?.id !== undefined;
  }

  /**
   * Clears a result that no longer applies because the order or the setup has changed. A shop may
   * re-sign the same order at any time, which changes neither.
   */
  clearOutdated(): void {
    if (this.phase !== 'ended' || !this.#element.order) return;
    if (this.#currentSubject !== this.#subject) this.clear();
  }

  /**
   * Starts an attempt. Must be called within the shopper's click, because it may open a window.
   * @param via `link`: on another device
   */
  start(via?: 'link'): void {
    if (!via) this.#openWindow();
    void this.#run(undefined, via);
  }

  /** Leaves the attempt as if the shopper had left. */
  leave(): void {
    this.#enter('leaving');
    this.#leaving.abort();
  }

  /**
   * Stops an attempt in progress. An earlier attempt's result is kept.
   * @param force also stops a detached attempt, in which the shopper may still confirm in the
   * service's own dialog; only the attempt can send that token
   */
  stop(force?: boolean): void {
    if (!this.#life || (this.attempt?.detached && !force)) return;
    this.#life.abort();
    this.#life = this.attempt = undefined;
    // A router may render the page again, and the next element then continues. Sending the
    // parameters again is safe.
    globalThis.financingReturn ??= this.#returned;
    this.#takeWindow()?.close();
    this.clear();
  }

  /** Stops the attempt and forgets any checkout that could be continued. */
  reset(): void {
    this.#returned = undefined;
    this.stop(true);
    this.#memory?.forget();
    this.clear();
  }

  /** Clears the result and returns to `idle`. */
  clear(): void {
    this.result = this.amount = undefined;
    this.#enter('idle');
  }

  /**
   * Continues after a redirect, after a confirmed offer, or when the shopper is on another device.
   */
  async comeBack(): Promise<void> {
    if (keepReturn()) {
      const { takeReturn } = await import('../presentations/take-return.ts');
      const find = () => (this.#life || !this.#element.isConnected ? undefined : this.#memory);
      const returned = await takeReturn(find);
      if (returned) void this.#run(returned);
      // An attempt is in progress, or the element was removed.
      if (!find()) return;
    }
    this.#follow();
  }

  /** Restores what the shopper did before by showing the outcome or the link for another device. */
  #follow(): void {
    const { link, outcome } = this.#remembered ?? {};
    if (this.phase === 'idle' && (link ?? outcome)) void this.#run(undefined, 'follow');
  }

  /**
   * After `changed`: starts again with the current order. Must be called within the shopper's
   * click.
   */
  startAgain(): void {
    this.#openWindow();
    this.#leaving = new AbortController();
    this.attempt?.startAgain?.(this.#leaving.signal);
  }

  async #run(returned?: Returned, via?: FlowOptions['via']): Promise<void> {
    const life = (this.#life = new AbortController());
    const isStopped = () => life.signal.aborted;
    this.#leaving = new AbortController();
    this.#returned = returned;
    this.amount = this.result = undefined;
    this.stale = false;
    // Continuing on another device needs no dialog here.
    this.#enter(returned ? this.#flow.phaseOf(returned) : via ? 'leaving' : 'opening');
    const module = await this.#load();
    if (isStopped()) return;
    let result: Result | undefined;
    try {
      if (!module) throw new Error('A file did not load.');
      const attempt = await module.prepare(this.#options(life.signal, returned, via));
      if (isStopped()) return;
      this.attempt = attempt;
      result = await attempt.run();
    } catch (error) {
      // A stopped attempt must change nothing, because another one may be in progress.
      if (isStopped()) return;
      const isMistake = module !== undefined && error instanceof module.ConfigurationError;
      if (isMistake) report(this.#element, error.code, error.message);
      else report(this.#element, module ? 'internal' : 'script-unreachable', String(error));
      // Without a result, the button would stop responding.
      result = this.#flow.failure(isMistake, this.#remembered?.id);
    }
    if (isStopped()) return;
    this.#life = this.attempt = undefined;
    this.#takeWindow()?.close();
    if (result) this.#end(result);
    else this.clear();
  }

  async #load() {
    try {
      const [module] = await Promise.all([this.#flow.load(), this.#texts.complete()]);
      // The language may have changed during the load.
      await this.#texts.complete();
      this.#texts.lock(module.locked);
      this.module = module;
    } catch {
      return undefined;
    }
    this.#enter(this.phase);
    // The dialog contains the frame's container.
    await this.#element.updateComplete;
    return this.module;
  }

  #options(
    life: AbortSignal,
    returned: Returned | undefined,
    via: FlowOptions['via'],
  ): FlowOptions {
    const { current, locale } = this.#texts;
    const find = (selector: string) =>
      this.#element.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
    return {
      element: this.#element,
      locale,
      returned,
      via,
      life,
      leaving: this.#leaving.signal,
      get container() {
        return find('.frame');
      },
      waiting: current.loading,
      takeWindow: () => this.#takeWindow(),
      onStep: (step, amount) => {
        this.amount = amount;
        // No lender's page will follow, and a window still waiting for one would cover the notice.
        if (step === 'checking' || step === 'confirming') this.#takeWindow()?.close();
        this.#enter(step);
      },
      onReady: (frame) => {
        // Moves the focus only if the shopper has not moved it within the dialog.
        if (this.#element.shadowRoot?.activeElement === find('h2')) frame.focus();
      },
      onUnknown: (result) => this.#fireOutcome(result as Result),
      onError: ({ code, message }) => {
        this.stale = code === 'order-ticket-expired';
        report(this.#element, code, message);
        this.#enter(this.phase);
      },
    };
  }

  #end(result: Result): void {
    this.result = result;
    this.#subject = this.#currentSubject;
    this.amount = result.amount;
    this.#enter('ended');
    this.#fireOutcome(result);
  }

  get #currentSubject(): string | undefined {
    return this.module?.subjectOf?.(this.#element, this.stale);
  }

  #fireOutcome(result: Result): void {
    this.#returned = undefined;
    this.#element.dispatchEvent(this.#flow.eventOf(result));
  }

  #enter(phase: Phase): void {
    // A lender's page in its own window does not need the dialog.
    this.phase = phase === 'opening' && this.#window ? 'away' : phase;
    this.#onPhase(this.phase);
  }

  #openWindow(): void {
    if (!/^\s*popup\b/.test(this.#element.presentation ?? '')) return;
    this.#window = openWindow(this.#memory?.name ?? '', this.#texts.current.loading);
  }

  #takeWindow(): Window | null | undefined {
    const opened = this.#window;
    this.#window = undefined;
    return opened;
  }

  get #memory(): Memory | undefined {
    return this.#flow.memoryOf(this.#element);
  }

  get #remembered() {
    return this.#memory?.recall();
  }
}
