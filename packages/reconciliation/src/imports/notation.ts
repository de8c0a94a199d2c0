import type { DateRules } from './dates.ts';
import type { NewLedgerLine } from './line.ts';

/**
 * Meaning of a type word: with `sign`, an amount below 0 is a refund; some lines are not to be
 * reconciled.
 */
export type TypeMeant = NewLedgerLine['type'] | 'sign' | 'skip';

/** Notation of a file, where it differs from the companion's. */
export interface Notation extends DateRules {
  /** Decimal separator; declared, it enables thousands separators. */
  decimal?: 'point' | 'comma' | undefined;
  /** Type of lines without one; with `sign`, an amount below 0 is a refund. */
  type?: 'settle' | 'refund' | 'sign' | undefined;
  /** Meaning of the type words, in lower case. @default settle and refund */
  words?: ReadonlyMap<string, TypeMeant> | undefined;
}
