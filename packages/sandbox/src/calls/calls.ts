import type { EnvironmentName } from '../environments/environment.ts';
import type { IdentifiedKey } from '../environments/keys.ts';
import type { StruckFault } from '../faults/fault.ts';

/** A call that arrived at the API. It holds no key, no body and nothing personal. */
export interface Call {
  id: number;
  /** ISO 8601, of the sandbox clock. */
  at: string;
  requestId: string;
  environment: EnvironmentName;
  /** The operation it was, or null when there is none at this path. */
  operation: string | null;
  method: string;
  /** Path and query as they came; keys and e-mail addresses are taken out. */
  path: string;
  query: string;
  /** 0 when a wire fault left the call without a status. */
  status: number;
  /** The wire fault that struck the call, if one did. */
  fault: StruckFault | null;
  contentType: string | null;
  /** "TLSv1.3"; null when the call came without TLS, which the listener does not allow. */
  tlsVersion: string | null;
  authorization: {
    /** "Bearer", "Basic", …; null without the header. */
    scheme: string | null;
    /**
     * Whose key it was, and whether it is current, previous (within its grace period) or outdated;
     * "unknown" for any other text, null without one.
     */
    key: IdentifiedKey | 'unknown' | null;
  };
  durationMs: number;
}

/** Calls kept; older ones are forgotten. */
const KEPT = 10_000;

/** The last calls, in memory. */
export class CallLog {
  #calls: Call[] = [];
  #next = 1;

  add(call: Omit<Call, 'id'>): void {
    this.#calls.push({ id: this.#next++, ...call });
    if (this.#calls.length > 2 * KEPT) this.#calls = this.#calls.slice(-KEPT);
  }

  /** Oldest first. @param after only calls with a larger id */
  list(after = 0): readonly Call[] {
    return this.#calls.slice(-KEPT).filter((call) => call.id > after);
  }

  clear(): void {
    this.#calls = [];
  }
}
