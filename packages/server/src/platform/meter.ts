/** State of the circuit breaker before the financing service. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** A request that was answered. */
export interface MeteredRequest {
  listener: 'storefront' | 'back-office';
  method: string;
  /** The route's template; undefined when there is none. */
  route: string | undefined;
  status: number;
  /** Our problem code, when that was the answer. */
  code: string | undefined;
  seconds: number;
}

/** A call of the financing service, all its tries together. */
export interface MeteredCall {
  method: string;
  route: string;
  outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown';
  reason: string | undefined;
  seconds: number;
}

/**
 * Where measurements go. Everything that becomes a label is one of a few known texts: a label that
 * repeats input grows without bound.
 */
export interface Meter {
  request(request: MeteredRequest): void;
  call(call: MeteredCall): void;
  circuit(state: CircuitState): void;
  /** Calls of the service under way, and waiting for their turn. */
  calls(underWay: number, waiting: number): void;
}

/** A meter that keeps nothing. */
export const silentMeter: Meter = {
  request: () => undefined,
  call: () => undefined,
  circuit: () => undefined,
  calls: () => undefined,
};
