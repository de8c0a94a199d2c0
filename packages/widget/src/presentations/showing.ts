import type { Checkout, Presentation } from '../checkout/answer.ts';
import { ConfigurationError } from '../checkout/configuration.ts';
import type { Attributes, Configuration, PresentationName } from '../checkout/configuration.ts';
import { digest } from '../checkout/memory.ts';
import type { Memory } from '../checkout/memory.ts';
import { pause } from '../checkout/pause.ts';
import { hold, isElsewhere } from '../checkout/tabs.ts';
import type { Play } from '../scenario/play.ts';
import { embed } from './embedded.ts';
import { hostedUrl } from './hosted.ts';
import { show } from './popup.ts';
import { aborted, BlockedError } from './presentation.ts';
import type { Ending, Shown, Stage } from './presentation.ts';
import { leaveFor } from './redirect.ts';
import { openWindow } from './window.ts';

/** How long a page may take to answer `close`, and to say `ready`, in milliseconds. */
const CLOSE_PATIENCE = 1_000;
const READY_PATIENCE = 15_000;

/** What the page brings along. */
export interface ShowingOptions {
  /** Aborted when the element goes away: everything stops, nothing more is told. */
  readonly life: AbortSignal;
  /** Aborted when the shopper wants out. Once an offer is confirmed, that stops nothing. */
  readonly leaving: AbortSignal;
  /** Where the hosted page is shown. Its owner names the frame, in the language of the moment. */
  readonly container: Element | null;
  /** What a window says until the hosted page is in it. */
  readonly waiting: string;
  /** The window that the click has opened; null when that was not let through. */
  readonly takeWindow: () => Window | null | undefined;
  /** The frame can be used: where to put the focus. */
  readonly onReady: (frame: HTMLElement) => void;
  /** For the developer of the page. */
  readonly onError: (error: { code: string; message: string }) => void;
}

type ShowingStep = 'loading' | 'slow' | 'shown' | 'silent' | 'away' | 'leaving';

interface Surroundings extends ShowingOptions {
  readonly configuration: Configuration;
  readonly memory: Memory;
  /** Asks the companion until the checkout is not open any more. */
  readonly watch: (signal: AbortSignal) => Promise<Checkout>;
  readonly onStep: (step: ShowingStep) => void;
  /** Plays the lender's page, where it is only played. */
  readonly play: Play | undefined;
  readonly element: HTMLElement & Attributes;
  readonly attempt: {
    /** Whether it goes on while the element is out of the document. */
    held: boolean | undefined;
  };
}

/** Shows one checkout, by the first presentation that works. */
export class Showing {
  readonly #id: string;
  readonly #presentation: Presentation;
  readonly #around: Surroundings;
  /** Ways that are left to try. */
  readonly #left: PresentationName[];
  readonly #gone = new AbortController();
  #step: ShowingStep | undefined;
  #shown: Shown | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;
  #window: Window | null | undefined;
  #giveUp: ((reason: BlockedError) => void) | undefined;

  constructor(checkout: Checkout, around: Surroundings) {
    this.#around = around;
    this.#id = checkout.id;
    this.#window = around.takeWindow();
    this.#presentation = checkout.presentation ?? { sessionToken: '' };
    const { hosted, sdk } = this.#presentation;
    this.#left = around.configuration.presentations.filter((name) =>
      name === 'sdk' ? sdk : hosted?.modes.includes(name),
    );
  }

  /** Whether there is another way to show it. */
  get further(): boolean {
    return this.#left.length > 0;
  }

  /** Whether what is shown can be brought to the shopper again. */
  get recallable(): boolean {
    return this.#shown?.recall !== undefined;
  }

  /**
   * Until it ends, or until the shopper leaves and it had its say.
   * @throws {BlockedError} when no way was let through
   * @throws {ConfigurationError} when the companion offers none of those that the page wants
   */
  async run(): Promise<Ending> {
    const { life, onError } = this.#around;
    hold(this.#id, this.#gone.signal);
    try {
      if (this.#left[0] !== 'popup') this.#closeWindow();
      if (!this.further) {
        throw new ConfigurationError(
          'presentation-unsupported',
          'The companion offers none of these.',
        );
      }
      for (;;) {
        const name = this.#left.shift();
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
      this.#gone.abort();
      this.#closeWindow();
    }
  }

  /** Loads the hosted page again. */
  reload(): void {
    this.#enter('loading');
    this.#wait();
    this.#shown?.reload?.();
  }

  /** Brings it to the shopper again. To be called in their click. */
  recall(): void {
    this.#shown?.recall?.();
  }

  /** Shows it in the next way. To be called in the shopper's click: that may open a window. */
  next(): void {
    if (this.#left[0] === 'popup') this.#window = this.#open();
    this.#giveUp?.(new BlockedError());
  }

  #enter(step: ShowingStep): void {
    this.#step = step;
    this.#around.onStep(step);
  }

  #wait(late: ShowingStep = 'slow'): void {
    clearTimeout(this.#late);
    const { patience = READY_PATIENCE } = this.#around.play ?? {};
    this.#late = setTimeout(() => this.#enter(late), patience);
  }

  /** What the click has opened, and nothing came of. */
  #closeWindow(): void {
    this.#window?.close();
    this.#window = undefined;
  }

  #open(): Window | null {
    return openWindow(this.#around.memory.name, this.#around.waiting);
  }

  async #try(name: PresentationName): Promise<Ending> {
    const { leaving, life } = this.#around;
    // The shopper may ask for another way while this one is still on its way.
    const givenUp = new Promise<never>((_, reject) => (this.#giveUp = reject));
    const left = aborted(leaving, this.#gone.signal).catch(() => undefined);
    const over = new AbortController();
    const showing = this.#show(name, AbortSignal.any([life, over.signal]));
    try {
      const early = await Promise.race([showing, givenUp, left]);
      if (!early) return { type: 'ended', reason: 'cancelled' };
      this.#shown = early;
      this.#around.attempt.held = early.held;
      // What can be done with it is another matter now.
      if (this.#step) this.#enter(this.#step);
      let end = await Promise.race([early.end, givenUp, left]);
      if (end) return end;
      clearTimeout(this.#late);
      const asked = this.#step !== 'loading' && this.#step !== 'slow';
      this.#enter('leaving');
      // The lender's page would end the application for the other tab as well.
      if (asked && !(await isElsewhere(this.#id))) {
        early.askToClose?.();
        const patience = pause(CLOSE_PATIENCE, life, new EventTarget()).then(() => undefined);
        end = await Promise.race([early.end, patience]);
      }
      return end ?? { type: 'ended', reason: 'cancelled' };
    } finally {
      clearTimeout(this.#late);
      over.abort();
      this.#shown = undefined;
      // Also where it was only on its way.
      showing
        .then((shown) => {
          shown.remove?.();
          return shown.end;
        })
        .catch(() => undefined);
    }
  }

  async #show(name: PresentationName, signal: AbortSignal): Promise<Shown> {
    const { container, memory, onReady, play, watch } = this.#around;
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
          // The browser has put a page of its own there, and nothing in that leads back.
          clearTimeout(this.#late);
          this.#enter('slow');
        } else if (this.#step === 'shown') {
          // Only then: the page that comes first is waited for already.
          this.#wait('silent');
        }
      },
    };
    if (sdk && name === 'sdk') {
      this.#enter('loading');
      // By itself: few shops use it, and the script it loads is many times its size.
      const { presentSdk } = await import('./sdk.ts').catch(() => {
        throw new BlockedError('script-unreachable', 'A part of the widget did not load.');
      });
      const shown = await presentSdk(sdk, stage, this.#around);
      // It has a dialog of its own, and ours would lie over it.
      this.#enter('away');
      return shown;
    }
    if (!container) throw new BlockedError();
    if (play) {
      this.#enter('loading');
      this.#wait();
      return play.show(stage, container);
    }
    const url = hostedUrl(this.#presentation);
    if (name === 'popup') {
      const opened = this.#window === undefined ? this.#open() : this.#window;
      this.#window = undefined;
      if (!opened) throw new BlockedError();
      this.#enter('away');
      const ask = async (signal: AbortSignal): Promise<Ending> => ({
        type: 'settled',
        checkout: await watch(signal),
      });
      return show(url, stage, opened, () => this.#open(), ask);
    }
    this.#enter('loading');
    this.#wait();
    if (name === 'embedded') return embed(url, stage, container);
    const known = memory.recall();
    // Where nothing can be remembered, nobody would know the one who comes back.
    if (!known || !memory.remember({ ...known, session: digest(sessionToken) })) {
      throw new BlockedError();
    }
    return leaveFor(url, stage);
  }
}
