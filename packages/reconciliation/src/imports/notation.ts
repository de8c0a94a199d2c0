import type { DateRules } from './dates.ts';
import type { NewLedgerLine } from './line.ts';

/**
 * Meaning of a type word. With `sign`, an amount below 0 is a refund; `skip` marks lines that are
 * not to be reconciled.
 */
export type TypeMeant = NewLedgerLine['type'] | 'sign' | 'skip';

/** Notation of a file, where it differs from that of the companion. */
export interface Notation extends DateRules {
  /** Decimal separator; declaring it allows thousands separators. */
  decimal?: 'point' | 'comma' | undefined;
  /** Type of lines without a type; with `sign`, an amount below 0 is a refund. */
  type?: 'settle' | 'refund' | 'sign' | undefined;
  /** Meaning of the type words, in lowercase. @default settle and refund */
  words?: ReadonlyMap<string, TypeMeant> | undefined;
}
