import type { Clock } from '@financing-checkout/kit';
import type { CircuitState } from '../platform/meter.ts';
import type { CallResult } from './result.ts';

/** What one attempt indicates about the service as a whole. */
export type Health = 'up' | 'down' | 'unclear';

/**
 * Returns what a result indicates about the service; an odd response to a single call indicates
 * nothing.
 */
export function healthOf(result: CallResult<unknown>): Health {
  if (result.kind === 'accepted' || result.kind === 'rejected') return 'up';
  if (result.kind === 'not-sent') return result.reason === 'unreachable' ? 'down' : 'up';
  return ['timeout', 'connection-lost', 'server-error'].includes(result.reason)
    ? 'down'
    : 'unclear';
}

/**
 * Permission for one attempt, whose result must be reported, or the milliseconds to wait for
 * permission.
 */
export type Admittance = { report: (health: Health) => void } | { waitMs: number };

const MAX_FAILURES = 5;
const OPEN_MS = 2_000;
const MAX_OPEN_MS = 30_000;

/**
 * Stops calls to a service that does not respond: shoppers learn immediately that nothing was done
 * instead of waiting for a timeout, and a recovering service is not hit by all callers at once. The
 * open time doubles with each failed probe.
 *
 * No library is used: cockatiel and opossum read the system clock, which tests cannot control. They
 * count exceptions, whereas a call here ends with a result, one kind of which ("unclear") counts as
 * neither success nor failure. Neither exposes the remaining time, which Retry-After needs.
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #onChange: (state: CircuitState) => void;
  #state: CircuitState = 'closed';
  #failures = 0;
  #openMs = OPEN_MS;
  #openUntil = 0;
  /**
   * Counts state changes: an attempt that started before the last change indicates nothing about
   * the current state.
   */
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
    // Setting the clock back must not keep the circuit open for longer.
    this.#openUntil = Math.min(this.#openUntil, now + MAX_OPEN_MS);
    const left = this.#openUntil - now;
    if (this.#state === 'open' && left <= 0) this.#become('half-open');
    if (this.#state === 'open') return { waitMs: left };
    // Only one probe at a time: other calls wait for its result.
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
