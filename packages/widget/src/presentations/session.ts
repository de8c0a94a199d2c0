import type { Presentation } from '../companion/answer.ts';
import { ConfigurationError } from '../companion/configuration.ts';
import type { PageConfiguration, PresentationName } from '../companion/configuration.ts';
import { digest } from '../companion/memory.ts';
import type { Memory } from '../companion/memory.ts';
import { aborted } from '../platform/abort.ts';
import { pause } from '../platform/pause.ts';
import { isOpenElsewhere, markOpen } from '../platform/tabs.ts';
import { embed } from './embedded.ts';
import { hostedUrl } from './hosted.ts';
import { BlockedError, loadFile } from './presentation.ts';
import type { Ending, Shown, Stage } from './presentation.ts';
import { openWindow } from './window.ts';

/** Timeouts for a page to respond to `close` and to send `ready`, in milliseconds. */
const CLOSE_TIMEOUT = 1_000;
const READY_TIMEOUT = 15_000;

/** What a presentation needs from the element. */
export interface SessionOptions {
  /** Aborted when the element is removed: everything stops, and no callback follows. */
  readonly life: AbortSignal;
  /** Aborted when the shopper leaves. Has no effect once an offer is confirmed. */
  readonly leaving: AbortSignal;
  /** The frame's container. Its owner sets the frame's title in the current language. */
  readonly container: Element | null;
  /** Text in a window until the hosted page loads. */
  readonly waiting: string;
  /** The window that the click opened; null if the browser blocked it. */
  readonly takeWindow: () => Window | null | undefined;
  /** Called when the frame can be used and may take the focus. */
  readonly onReady: (frame: HTMLElement) => void;
  /** Reports a problem to the page's developer. */
  readonly onError: (error: { code: string; message: string }) => void;
}

type SessionStep = 'loading' | 'slow' | 'shown' | 'silent' | 'away' | 'leaving';

/** Replaces the hosted page in a simulated checkout. */
export interface SimulatedPage {
  readonly show: (stage: Stage, container: Element) => Shown;
  /** Timeout for loading the page, in milliseconds. */
  readonly timeout: number;
}

interface SessionContext extends SessionOptions {
  readonly configuration: Pick<PageConfiguration, 'presentations'>;
  readonly memory: Memory;
  /** Polls the companion until the checkout is no longer open. */
  readonly watch: (signal: AbortSignal) => Promise<Ending>;
  /** Loads the code for the service's SDK, which few shops need, and presents the checkout. */
  readonly presentSdk: (settings: NonNullable<Presentation['sdk']>, stage: Stage) => Promise<Shown>;
  readonly onStep: (step: SessionStep) => void;
  readonly simulation: SimulatedPage | undefined;
  readonly attempt: {
    /** The session while it runs. */
    session: PresentationSession | undefined;
    /** Whether the attempt continues while the element is out of the document. */
    detached: boolean | undefined;
  };
}

/** Shows one checkout in the first presentation that works. */
export class PresentationSession {
  readonly #id: string;
  readonly #presentation: Presentation;
  readonly #context: SessionContext;
  /** Presentations still to be tried. */
  readonly #remaining: PresentationName[];
  readonly #over = new AbortController();
  #step: SessionStep | undefined;
  #shown: Shown | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;
  #window: Window | null | undefined;
  #skip: ((reason: BlockedError) => void) | undefined;

  constructor(
    checkout: { readonly id: string; readonly presentation?: Presentation | undefined },
    context: SessionContext,
  ) {
    this.#context = context;
    this.#id = checkout.id;
    this.#window = context.takeWindow();
    this.#presentation = checkout.presentation ?? { sessionToken: '' };
    const { hosted, sdk } = this.#presentation;
    this.#remaining = context.configuration.presentations.filter((name) =>
      name === 'sdk' ? sdk : hosted?.modes.includes(name),
    );
  }

  /** Whether another presentation is left to try. */
  get hasNext(): boolean {
    return this.#remaining.length > 0;
  }

  /** Whether the checkout is in a window that can be brought to the front. */
  get isFocusable(): boolean {
    return this.#shown?.focus !== undefined;
  }

  /**
   * Shows the checkout until it ends. When the shopper leaves, waits briefly for the page's
   * response.
   * @throws {BlockedError} if every presentation is blocked
   * @throws {ConfigurationError} if the companion offers none of the page's presentations
   */
  async run(): Promise<Ending> {
    const { attempt, life, onError } = this.#context;
    attempt.session = this;
    markOpen(this.#id, this.#over.signal);
    try {
      // The element may have been reset since the companion's response arrived.
      life.throwIfAborted();
      if (this.#remaining[0] !== 'popup') this.#closeWindow();
      if (!this.hasNext) {
        throw new ConfigurationError('presentation-unsupported', 'The companion offers none.');
      }
      for (;;) {
        const name = this.#remaining.shift();
        if (!name) throw new BlockedError();
        try {
          return await this.#try(name);
        } catch (error) {
          life.throwIfAborted();
          if (!(error instanceof BlockedError)) throw error;
          const { code, message } = error;
          if (code) onError({ code, message });
        }
      }
    } finally {
      attempt.session = undefined;
      this.#over.abort();
      this.#closeWindow();
    }
  }

  /** Loads the hosted page again. */
  reload(): void {
    this.#enter('loading');
    this.#startTimeout();
    this.#shown?.reload?.();
  }

  /** Brings the window to the front. Must be called within the shopper's click. */
  focus(): void {
    this.#shown?.focus?.();
  }

  /**
   * Tries the next presentation. Must be called within the shopper's click, because it may open a
   * window.
   */
  next(): void {
    if (this.#remaining[0] === 'popup') this.#window = this.#open();
    this.#skip?.(new BlockedError());
  }

  #enter(step: SessionStep): void {
    this.#step = step;
    this.#context.onStep(step);
  }

  #startTimeout(late: SessionStep = 'slow'): void {
    clearTimeout(this.#late);
    const { timeout = READY_TIMEOUT } = this.#context.simulation ?? {};
    this.#late = setTimeout(() => this.#enter(late), timeout);
  }

  /** Closes a window that the click opened but no presentation uses. */
  #closeWindow(): void {
    this.#window?.close();
    this.#window = undefined;
  }

  #open(): Window | null {
    return openWindow(this.#context.memory.name, this.#context.waiting);
  }

  async #try(name: PresentationName): Promise<Ending> {
    const { leaving, life } = this.#context;
    // The shopper may skip a presentation that is still loading.
    const skipped = new Promise<never>((_, reject) => (this.#skip = reject));
    const left = aborted(leaving, this.#over.signal).catch(() => undefined);
    const over = new AbortController();
    const coming = this.#show(name, AbortSignal.any([life, over.signal]));
    try {
      const early = await Promise.race([coming, skipped, left]);
      if (!early) return { type: 'ended', reason: 'cancelled' };
      this.#shown = early;
      this.#context.attempt.detached = early.detached;
      // The available actions have changed.
      if (this.#step) this.#enter(this.#step);
      let end = await Promise.race([early.end, skipped, left]);
      if (end) return end;
      clearTimeout(this.#late);
      const isLoaded = this.#step !== 'loading' && this.#step !== 'slow';
      this.#enter('leaving');
      // The lender's page would also end the application in another tab that shows it.
      if (isLoaded && !(await isOpenElsewhere(this.#id))) {
        early.askToClose?.();
        const late = pause(CLOSE_TIMEOUT, life).then(() => undefined);
        end = await Promise.race([early.end, late]);
      }
      return end ?? { type: 'ended', reason: 'cancelled' };
    } finally {
      clearTimeout(this.#late);
      over.abort();
      this.#shown = undefined;
      // Also removes a presentation that is still loading.
      coming
        .then((shown) => {
          shown.remove?.();
          return shown.end;
        })
        .catch(() => undefined);
    }
  }

  async #show(name: PresentationName, signal: AbortSignal): Promise<Shown> {
    const { container, memory, onReady, simulation, watch } = this.#context;
    const { sdk, sessionToken } = this.#presentation;
    const stage: Stage = {
      sessionToken,
      signal,
      onReady: (frame) => {
        clearTimeout(this.#late);
        if (this.#step === 'shown' || this.#step === 'leaving') return;
        this.#enter('shown');
        onReady(frame);
      },
      onSilent: () => {
        if (this.#step === 'leaving') return;
        if (!navigator.onLine) {
          // The browser shows its own error page, which cannot navigate back.
          clearTimeout(this.#late);
          this.#enter('slow');
        } else if (this.#step === 'shown') {
          // The timeout of the first page is already running.
          this.#startTimeout('silent');
        }
      },
      onModal: async () => {
        this.#enter('away');
        // The element renders first.
        await new Promise((done) => setTimeout(done));
        signal.throwIfAborted();
      },
    };
    if (sdk && name === 'sdk') {
      this.#enter('loading');
      return this.#context.presentSdk(sdk, stage);
    }
    if (!container) throw new BlockedError();
    if (simulation) {
      this.#enter('loading');
      this.#startTimeout();
      return simulation.show(stage, container);
    }
    const url = hostedUrl(this.#presentation);
    if (name === 'popup') {
      const opened = this.#window === undefined ? this.#open() : this.#window;
      this.#window = undefined;
      if (!opened) throw new BlockedError();
      // Done immediately: until the window is closed, the next click would reuse it by its name.
      signal.onabort = () => opened.close();
      this.#enter('away');
      const { showInWindow } = await loadFile(import('./popup.ts'));
      signal.throwIfAborted();
      return showInWindow(url, stage, opened, () => this.#open(), watch);
    }
    this.#enter('loading');
    this.#startTimeout();
    if (name === 'embedded') return embed(url, stage, container);
    const known = memory.recall();
    // Without storage, the page could not recognize the returning shopper.
    if (!known || !memory.remember({ ...known, session: digest(sessionToken) })) {
      throw new BlockedError();
    }
    const { redirectTo } = await loadFile(import('./redirect.ts'));
    signal.throwIfAborted();
    return redirectTo(url, stage);
  }
}
