import { CommandFailure, exitCodes } from './exit.ts';

/** Gives a request up in which nothing comes for too long. */
export class Silence {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ms milliseconds after which nobody waits any more */
  constructor(ms: number) {
    this.#ms = ms;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From here on something is waited for. */
  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#ms);
  }

  /** For now nothing is. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** What to say when it was given up. @param state how things stand then */
  failure(state: string): CommandFailure | undefined {
    if (!this.signal.aborted) return undefined;
    return new CommandFailure(
      `Nothing came from the companion for ${this.#ms / 60_000} minutes: ${state}. Does it answer GET /livez, and what does its log say?`,
      exitCodes.unavailable,
    );
  }
}
