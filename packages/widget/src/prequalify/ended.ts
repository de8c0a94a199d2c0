import type { PrequalifyResult } from './outcome-event.ts';

/** A result, and what the notice needs of it. */
export interface PrequalifyEnded extends PrequalifyResult {
  /** Whether the shopper can go on with the same application. */
  readonly canContinue?: boolean | undefined;
  /** Nothing is ever charged. */
  readonly retrySafe?: boolean | undefined;
}
