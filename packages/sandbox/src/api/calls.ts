import type { EnvironmentName } from '../environments/environment.ts';
import type { IdentifiedKey } from '../environments/keys.ts';
import type { StruckFault } from '../faults/fault.ts';

/** A call to the API, without keys, body and personal data. */
export interface Call {
  id: number;
  /** Time on the sandbox clock, ISO 8601. */
  at: string;
  requestId: string;
  environment: EnvironmentName;
  /** Name of the operation; null for an unknown path. */
  operation: string | null;
  method: string;
  /** Path and query, without keys and email addresses. */
  path: string;
  query: string;
  /** 0 when a wire fault suppressed the status. */
  status: number;
  /** The wire fault that was applied to the call; null if there was none. */
  fault: StruckFault | null;
  contentType: string | null;
  /** "TLSv1.3"; null for a call without TLS, which the listener does not allow. */
  tlsVersion: string | null;
  authorization: {
    /** "Bearer", "Basic", …; null if the header is absent. */
    scheme: string | null;
    /**
     * Environment, kind and slot of the key: current, previous (within its grace period) or
     * outdated; "unknown" for any other value, null if there is none.
     */
    key: IdentifiedKey | 'unknown' | null;
  };
  durationMs: number;
}

/** Maximum number of calls in the log; older calls are dropped. */
const MAX_CALLS = 10_000;

/** The most recent calls, in memory. */
export class CallLog {
  #calls: Call[] = [];
  #next = 1;

  add(call: Omit<Call, 'id'>): void {
    this.#calls.push({ id: this.#next++, ...call });
    if (this.#calls.length > 2 * MAX_CALLS) this.#calls = this.#calls.slice(-MAX_CALLS);
  }

  /** Returns the calls, oldest first. @param after returns only calls with a larger id */
  list(after = 0): readonly Call[] {
    return this.#calls.slice(-MAX_CALLS).filter((call) => call.id > after);
  }

  clear(): void {
    this.#calls = [];
  }
}
