import type { Clock } from '@financing-checkout/kit';
import type { CircuitState } from '../platform/meter.ts';
import type { CallResult } from './result.ts';

/** What one try says about the service as a whole. */
export type Health = 'up' | 'down' | 'unclear';

/** Returns what a result says about the service; an odd answer to one call says nothing. */
export function healthOf(result: CallResult<unknown>): Health {
  if (result.kind === 'accepted' || result.kind === 'rejected') return 'up';
  if (result.kind === 'not-sent') return result.reason === 'unreachable' ? 'down' : 'up';
  return ['timeout', 'connection-lost', 'server-error'].includes(result.reason)
    ? 'down'
    : 'unclear';
}

/** A permission for one try, whose result must be reported; or the milliseconds to wait for one. */
export type Admittance = { report: (health: Health) => void } | { waitMs: number };

/** Consecutive failures that open the circuit. */
const MAX_FAILURES = 5;
const OPEN_MS = 2_000;
const MAX_OPEN_MS = 30_000;

/**
 * Stops calls of a service that does not answer: shoppers learn at once that nothing was done instead
 * of waiting for a deadline, and a service that recovers is not met by all callers at once. The open
 * time doubles with each probe that fails.
 *
 * This is not a library: cockatiel and opossum read the machine's clock, which no test can control.
 * They count exceptions, while a call here ends in a result, one kind of which ("unclear") counts for
 * neither side. Neither states the remaining time, which Retry-After needs.
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #onChange: (state: CircuitState) => void;
  #state: CircuitState = 'closed';
  #failures = 0;
  #openMs = OPEN_MS;
  #openUntil = 0;
  /** Counts state changes: a try that began before the last change says nothing about the present. */
  #epoch = 0;
  #isProbing = false;

  constructor(options: { clock: Clock; onChange: (state: CircuitState) => void }) {
    this.#clock = options.clock;
    this.#onChange = options.onChange;
  }

  get state(): CircuitState {
    return this.#state;
  }

  admit(): Admittance {
    const now = this.#clock.now();
    // A clock that is set back must not prolong the open time.
    this.#openUntil = Math.min(this.#openUntil, now + MAX_OPEN_MS);
    const left = this.#openUntil - now;
    if (this.#state === 'open' && left <= 0) this.#become('half-open');
    if (this.#state === 'open') return { waitMs: left };
    // One probe at a time: the others wait for its result.
    if (this.#state === 'half-open' && this.#isProbing) return { waitMs: 1_000 };
    this.#isProbing = this.#state === 'half-open';
    const epoch = this.#epoch;
    return {
      report: (health) => {
        if (epoch === this.#epoch) this.#report(health);
      },
    };
  }

  #report(health: Health): void {
    this.#isProbing = false;
    if (health === 'unclear') return;
    if (health === 'up') {
      this.#failures = 0;
      if (this.#state === 'closed') return;
      this.#openMs = OPEN_MS;
      this.#become('closed');
      return;
    }
    this.#failures++;
    if (this.#state === 'closed' && this.#failures < MAX_FAILURES) return;
    this.#openUntil = this.#clock.now() + this.#openMs;
    this.#openMs = Math.min(MAX_OPEN_MS, this.#openMs * 2);
    this.#become('open');
  }

  #become(state: CircuitState): void {
    this.#state = state;
    this.#epoch++;
    this.#failures = 0;
    this.#isProbing = false;
    this.#onChange(state);
  }
}
