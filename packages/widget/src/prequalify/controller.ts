import { Memory } from '../companion/memory.ts';
import { keepReturn } from '../companion/return-fragment.ts';
import type { Returned } from '../companion/return-fragment.ts';
import type { Phase } from '../model/phase.ts';
import { parse } from '../platform/address.ts';
import { report } from '../platform/report.ts';
import { openWindow } from '../presentations/window.ts';
import type { ElementTexts } from '../texts/element-texts.ts';
import type * as AttemptModule from './attempt.ts';
import type { PrequalifyAttempt, PrequalifyEnded, PrequalifyOptions } from './attempt.ts';
import type { PrequalifyAttributes } from './configuration.ts';
import { FinancingPrequalifyOutcomeEvent } from './outcome-event.ts';

/** Controls the application of one element: idle, in progress or ended. */
export class PrequalifyController {
  readonly #element: HTMLElement & PrequalifyAttributes;
  readonly #texts: ElementTexts;
  readonly #onPhase: (phase: Phase) => void;
  phase: Phase = 'idle';
  /** The code that loads on the first click. */
  declare module: typeof AttemptModule | undefined;
  declare attempt: PrequalifyAttempt | undefined;
  declare result: PrequalifyEnded | undefined;
  /** Set while an attempt is in progress; aborting it stops the attempt. */
  #life: AbortController | undefined;
  #leaving = new AbortController();
  /** The window that the click opened, until an attempt takes it. */
  #window: Window | null | undefined;
  /** Set while the element is in a document. */
  #page: AbortController | undefined;

  /** @param onPhase called on a new phase, and when something else to render has changed */
  constructor(
    element: HTMLElement & PrequalifyAttributes,
    texts: ElementTexts,
    onPhase: (phase: Phase) => void,
  ) {
    this.#element = element;
    this.#texts = texts;
    this.#onPhase = onPhase;
  }

  connect(): void {
    this.#page = new AbortController();
    const { signal } = this.#page;
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      // Restored from the back/forward cache: earlier timers and requests are lost.
      if (persisted) this.stop();
    };
    addEventListener('pageshow', onPageShow, { signal });
    const onOnline = () => {
      if (this.phase === 'slow') this.attempt?.session?.reload();
      this.#enter(this.phase);
    };
    addEventListener('online', onOnline, { signal });
    // Another element of the page may leave an application that can be continued here.
    const update = () => this.#enter(this.phase);
    document.addEventListener(FinancingPrequalifyOutcomeEvent.type, update, { signal });
  }

  disconnect(): void {
    this.#page?.abort();
    this.stop();
  }

  get isRunning(): boolean {
    return this.#life !== undefined;
  }

  get isResumable(): boolean {
    return this.#memory()?.recall()?.id !== undefined;
  }

  /** Starts an attempt. Call it in the shopper's click: it may open a window. */
  start(): void {
    if (/^\s*popup\b/.test(this.#element.presentation ?? '')) {
      this.#window = openWindow(this.#memory()?.name ?? '', this.#texts.current.loading);
    }
    void this.#run();
  }

  /** Leaves the application as the shopper would. */
  leave(): void {
    this.#enter('leaving');
    this.#leaving.abort();
  }

  /** Stops an attempt in progress; the result of an earlier one stays. */
  stop(): void {
    if (!this.#life) return;
    this.#life.abort();
    this.#life = this.attempt = undefined;
    this.#takeWindow()?.close();
    this.clear();
  }

  /** Stops, and forgets the application that could be continued. */
  reset(): void {
    this.stop();
    this.#memory()?.forget();
    this.clear();
  }

  /** Clears the result and returns to `idle`. */
  clear(): void {
    this.result = undefined;
    this.#enter('idle');
  }

  /** Continues after a redirect: the shopper has acted before. */
  async comeBack(): Promise<void> {
    if (!keepReturn()) return;
    const { takeReturn } = await import('../presentations/take-return.ts');
    const find = () => (this.#life || !this.#element.isConnected ? undefined : this.#memory());
    const returned = await takeReturn(find);
    if (returned) void this.#run(returned);
  }

  async #run(returned?: Returned): Promise<void> {
    const life = (this.#life = new AbortController());
    const isStopped = () => life.signal.aborted;
    this.#leaving = new AbortController();
    this.result = undefined;
    this.#enter(returned ? 'leaving' : 'opening');
    const module = await this.#load();
    if (isStopped()) return;
    let result: PrequalifyEnded;
    try {
      if (!module) throw new Error('A file did not load.');
      const attempt = await module.prepare(this.#options(life.signal, returned));
      if (isStopped()) return;
      this.attempt = attempt;
      result = await attempt.run();
    } catch (error) {
      // A stopped attempt changes nothing: another one may be in progress.
      if (isStopped()) return;
      const isMistake = module && error instanceof module.ConfigurationError;
      if (isMistake) report(this.#element, error.code, error.message);
      else report(this.#element, module ? 'internal' : 'script-unreachable', String(error));
      result = { status: isMistake ? 'failed' : 'unavailable' };
    }
    if (isStopped()) return;
    this.#life = this.attempt = undefined;
    this.#takeWindow()?.close();
    this.result = result;
    this.#enter('ended');
    this.#element.dispatchEvent(new FinancingPrequalifyOutcomeEvent(result));
  }

  async #load() {
    try {
      const [module] = await Promise.all([import('./attempt.ts'), this.#texts.complete()]);
      // The language may have changed during the load.
      await this.#texts.complete();
      this.module = module;
    } catch {
      return undefined;
    }
    this.#enter(this.phase);
    return this.module;
  }

  #options(life: AbortSignal, returned: Returned | undefined): PrequalifyOptions {
    const { current, locale } = this.#texts;
    const find = (selector: string) =>
      this.#element.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
    return {
      element: this.#element,
      locale,
      returned,
      life,
      leaving: this.#leaving.signal,
      get container() {
        return find('.frame');
      },
      waiting: current.loading,
      takeWindow: () => this.#takeWindow(),
      onStep: (step) => this.#enter(step),
      onReady: (frame) => {
        // Moves the focus only if the shopper has not moved it within the dialog.
        if (this.#element.shadowRoot?.activeElement === find('h2')) frame.focus();
      },
      onError: ({ code, message }) => report(this.#element, code, message),
    };
  }

  #enter(phase: Phase): void {
    // With a window of its own, the application does not need the dialog.
    this.phase = phase === 'opening' && this.#window ? 'away' : phase;
    this.#onPhase(this.phase);
  }

  #takeWindow(): Window | null | undefined {
    const opened = this.#window;
    this.#window = undefined;
    return opened;
  }

  #memory(): Memory | undefined {
    const { companion, environment, scenario } = this.#element;
    // A simulation needs neither.
    const address = parse(!companion && scenario ? '/' : (companion ?? ''));
    const where = !environment && scenario ? 'sandbox' : (environment ?? '');
    return address && (companion || scenario) ? new Memory(address, where, undefined) : undefined;
  }
}
