import { type Clock, delay } from '@financing-checkout/kit';
import { describeError, type Logger } from '../platform/log.ts';

/**
 * A pass may wait for a sync or a check of all orders, so a person gets a response before the pass
 * ends.
 */
const WAIT_MS = 3_000;

export interface MovedMoneyOptions {
  /** Reads the companion's ledger, judges its orders and updates their cases. */
  pass: () => Promise<unknown>;
  clock: Clock;
  logger: Logger;
  ending: AbortSignal;
  /** Milliseconds to wait for a pass. @default 3_000 */
  waitMs: number | undefined;
}

/**
 * Updates figures and cases after the companion moved money. Operations that arrive during a pass
 * share the next one.
 */
export class MovedMoney {
  readonly #options: MovedMoneyOptions;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: MovedMoneyOptions) {
    this.#options = options;
  }

  /** Resolves after a pass that includes the moved money, or after a short time. Never rejects. */
  async follow(): Promise<void> {
    const { clock, ending, waitMs = WAIT_MS } = this.#options;
    const waiting = new AbortController();
    await Promise.race([
      this.#pass(),
      delay(clock, waitMs, AbortSignal.any([ending, waiting.signal])),
    ]);
    waiting.abort();
  }

  #pass(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#passOnce();
      return this.#running;
    });
    return this.#next;
  }

  async #passOnce(): Promise<void> {
    const { pass, logger, ending } = this.#options;
    try {
      await pass();
    } catch (error) {
      // The next periodic pass will do this work.
      if (!ending.aborted) logger.log('warn', 'moved-money-not-followed', describeError(error));
    }
  }
}
