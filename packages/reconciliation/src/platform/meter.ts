import type { MeasuredRequest } from '@financing-checkout/kit/http';

/** A pass that had work to do. */
export interface MeasuredPass {
  outcome: 'completed' | 'failed';
  seconds: number;
}

/** Receives measurements. Each label has a small set of known values. */
export interface Meter {
  request(request: MeasuredRequest): void;
  pass(pass: MeasuredPass): void;
  /** Measures a write of the lake like a pass. */
  lake(write: MeasuredPass): void;
  /** Counts an operation that failed because the record store is unavailable. */
  storeUnavailable(): void;
}

/** A meter that discards every measurement. */
export const silentMeter: Meter = {
  request: () => undefined,
  pass: () => undefined,
  lake: () => undefined,
  storeUnavailable: () => undefined,
};
