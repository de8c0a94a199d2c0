import type { DateNotation } from './dates.ts';
import type { NewLedgerLine } from './line.ts';

/**
 * What a word of the type column says of its line: with `sign`, an amount below 0 is a refund; some
 * lines are nothing to reconcile.
 */
export type TypeMeant = NewLedgerLine['type'] | 'sign' | 'skip';

/** How a file writes what a line is read from, where it is not written as the companion writes it. */
export interface Notation {
  /** What stands before the decimals of an amount; said, thousands may be set apart. */
  decimal?: 'point' | 'comma' | undefined;
  /** How dates are written that could be of several days. */
  dates?: DateNotation | undefined;
  /** Year of dates that have none, with `ddmm`. */
  year?: number | undefined;
  /** Of lines that name no type; with `sign`, an amount below 0 is a refund. */
  type?: 'settle' | 'refund' | 'sign' | undefined;
  /** What the words of the type column mean, by word in lower case. @default settle and refund */
  words?: ReadonlyMap<string, TypeMeant> | undefined;
}
