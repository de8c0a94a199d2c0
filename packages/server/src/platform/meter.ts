import type { MeasuredRequest } from '@financing-checkout/kit/http';

/** State of the circuit breaker for the financing service. */
export type CircuitState = 'closed' | 'open' | 'half-open';

export interface MeteredRequest extends MeasuredRequest {
  listener: 'storefront' | 'back-office';
}

/** A call to the financing service, including its retries. */
export interface MeteredCall {
  method: string;
  route: string;
  outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown';
  reason: string | undefined;
  seconds: number;
}

/**
 * Receives measurements. Each label has a small set of known values, because labels derived from
 * input would be unbounded.
 */
export interface Meter {
  request(request: MeteredRequest): void;
  call(call: MeteredCall): void;
  circuit(state: CircuitState): void;
  /** Number of calls to the service in flight, and number of queued calls. */
  calls(inFlight: number, queued: number): void;
}

/** A meter that discards every measurement. */
export const silentMeter: Meter = {
  request: () => undefined,
  call: () => undefined,
  circuit: () => undefined,
  calls: () => undefined,
};
