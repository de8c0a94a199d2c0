import { CommandFailure, exitCodes } from './exit.ts';

/** Inactivity timeout of a request. */
export class Silence {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitedMs: number;
  #isOver = false;

  /** @param ms maximum milliseconds without activity */
  constructor(ms: number) {
    this.#ms = ms;
    this.#waitedMs = ms;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts or restarts the timeout. */
  begin(ms: number = this.#ms): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#waitedMs = ms;
      this.#controller.abort();
    }, ms);
  }

  /** Pauses the timeout. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** Stops the timeout for good, even if more of a rejected body is read later. */
  close(): void {
    this.#isOver = true;
    this.end();
  }

  /**
   * Returns the failure if the request timed out. @param state describes the state of the request
   */
  failure(peer: string, state: string): CommandFailure | undefined {
    if (!this.signal.aborted) return undefined;
    return new CommandFailure(
      `${peer} sent nothing for ${this.#waitedMs / 60_000} minutes: ${state}. Does it answer GET /livez, and what does its log say?`,
      exitCodes.unavailable,
    );
  }
}
