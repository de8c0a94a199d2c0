import { CommandFailure, exitCodes } from './exit.ts';

/** Gives a request up in which nothing comes for too long. */
export class Silence {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitedMs: number;
  #isOver = false;

  /** @param ms milliseconds after which nobody waits any more */
  constructor(ms: number) {
    this.#ms = ms;
    this.#waitedMs = ms;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From here on something is waited for. */
  begin(ms: number = this.#ms): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#waitedMs = ms;
      this.#controller.abort();
    }, ms);
  }

  /** For now nothing is. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing will be: not for what is taken late of a body that is refused already, either. */
  close(): void {
    this.#isOver = true;
    this.end();
  }

  /** What to say when it was given up. @param state how things stand then */
  failure(state: string): CommandFailure | undefined {
    if (!this.signal.aborted) return undefined;
    return new CommandFailure(
      `Nothing came from the program for ${this.#waitedMs / 60_000} minutes: ${state}. Does it answer GET /livez, and what does its log say?`,
      exitCodes.unavailable,
    );
  }
}
