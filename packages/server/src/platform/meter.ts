/** State of the circuit breaker before the financing service. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** An answered request. */
export interface MeteredRequest {
  listener: 'storefront' | 'back-office';
  method: string;
  /** The route's template; undefined if no route matched. */
  route: string | undefined;
  status: number;
  /** The code of the problem, if the answer is one. */
  code: string | undefined;
  seconds: number;
}

/** A call of the financing service, including its retries. */
export interface MeteredCall {
  method: string;
  route: string;
  outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown';
  reason: string | undefined;
  seconds: number;
}

/**
 * Receives measurements. A label takes one of a few known texts, because labels made of input would
 * grow without bound.
 */
export interface Meter {
  request(request: MeteredRequest): void;
  call(call: MeteredCall): void;
  circuit(state: CircuitState): void;
  /** Calls of the service in flight, and calls in the queue. */
  calls(inFlight: number, queued: number): void;
}

/** A meter that discards every measurement. */
export const silentMeter: Meter = {
  request: () => undefined,
  call: () => undefined,
  circuit: () => undefined,
  calls: () => undefined,
};
