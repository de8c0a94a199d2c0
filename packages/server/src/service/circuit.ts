import type { Clock } from '../platform/clock.ts';
import type { CircuitState } from '../platform/meter.ts';
import type { CallResult } from './result.ts';

/** How a try at the service ended, seen by whether the service works. */
export type Health = 'up' | 'down' | 'unclear';

/** What a result says about the service as a whole: an odd answer to one call says nothing. */
export function healthOf(result: CallResult<unknown>): Health {
  if (result.kind === 'accepted' || result.kind === 'rejected') return 'up';
  if (result.kind === 'not-sent') return result.reason === 'unreachable' ? 'down' : 'up';
  const { reason } = result;
  return reason === 'timeout' || reason === 'connection-lost' || reason === 'server-error'
    ? 'down'
    : 'unclear';
}

/** Leave to try once, whose end has to be reported; or the milliseconds to wait for one. */
export type Admittance = { report: (health: Health) => void } | { waitMs: number };

export interface CircuitOptions {
  clock: Clock;
  /** Tries that must fail one after the other to open it. @default 5 */
  failures?: number;
  /** Milliseconds it stays open first; doubles with each probe that fails. @default 2_000 */
  openMs?: number;
  /** @default 30_000 */
  maxOpenMs?: number;
  onChange?: (state: CircuitState) => void;
}

/**
 * Stops asking a service that does not answer, so that shoppers hear at once that nothing was done
 * instead of waiting for a deadline, and a service that comes back is not met by everyone at once.
 *
 * Written here, against the rule to take a library: cockatiel and opossum read the machine's clock,
 * so no test could decide what time it is, and count what is thrown, while a call of ours ends in a
 * result, one kind of which ("unclear") counts for neither side. Neither tells how long is left,
 * which is what Retry-After says. What would remain of them is the counter below.
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #failures: number;
  readonly #openMs: number;
  readonly #maxOpenMs: number;
  readonly #onChange: (state: CircuitState) => void;
  #state: CircuitState = 'closed';
  #failed = 0;
  #currentOpenMs: number;
  #openUntil = 0;
  /** Counts changes of state: a try that began before the last one says nothing of the present. */
  #epoch = 0;
  #probing = false;

  constructor(options: CircuitOptions) {
    const { clock, failures = 5, openMs = 2_000, maxOpenMs = 30_000 } = options;
    this.#clock = clock;
    this.#failures = failures;
    this.#openMs = openMs;
    this.#maxOpenMs = maxOpenMs;
    this.#currentOpenMs = openMs;
    this.#onChange = options.onChange ?? (() => undefined);
  }

  get state(): CircuitState {
    return this.#state;
  }

  admit(): Admittance {
    const now = this.#clock.now();
    // A clock that was set back must not keep it open for as long as it was off.
    this.#openUntil = Math.min(this.#openUntil, now + this.#maxOpenMs);
    const left = this.#openUntil - now;
    if (this.#state === 'open' && left <= 0) this.#become('half-open');
    if (this.#state === 'open') return { waitMs: left };
    // One probe at a time: the others wait for what it says.
    if (this.#state === 'half-open' && this.#probing) return { waitMs: 1_000 };
    this.#probing = this.#state === 'half-open';
    const epoch = this.#epoch;
    return {
      report: (health) => {
        if (epoch === this.#epoch) this.#report(health);
      },
    };
  }

  #report(health: Health): void {
    this.#probing = false;
    if (health === 'unclear') return;
    if (health === 'up') {
      this.#failed = 0;
      if (this.#state === 'closed') return;
      this.#currentOpenMs = this.#openMs;
      this.#become('closed');
      return;
    }
    this.#failed++;
    if (this.#state === 'closed' && this.#failed < this.#failures) return;
    this.#openUntil = this.#clock.now() + this.#currentOpenMs;
    this.#currentOpenMs = Math.min(this.#maxOpenMs, this.#currentOpenMs * 2);
    this.#become('open');
  }

  #become(state: CircuitState): void {
    this.#state = state;
    this.#epoch++;
    this.#failed = 0;
    this.#probing = false;
    this.#onChange(state);
  }
}
