import type { ZonedTime } from '@financing-checkout/contract/calendar';
import type { ColumnMapping, LedgerField } from './columns.ts';
import type { Notation } from './notation.ts';

/** An error in a field of a line. Never contains the value, which may be a name. */
export class LineProblem {
  readonly field: LedgerField;
  /** Stable code. */
  readonly code: string;
  /** The error, as a phrase after the column's name. */
  readonly message: string;

  constructor(field: LedgerField, code: string, message: string) {
    this.field = field;
    this.code = code;
    this.message = message;
  }
}

/** A value that was converted. */
export interface LineNote {
  field: LedgerField;
  code: 'id-folded' | 'float-digits';
}

/** Rules for rows to leave out. */
export interface LeftOutOptions {
  /**
   * Leaves out rows that lack one of these fields or columns of the file; for `amount` also those
   * with 0.
   */
  skipRowsWithout?: readonly string[] | undefined;
  /**
   * Whether rows that repeat the head, state the sum of rows above or hold a title are left out, or
   * are read as lines. @default such a file is refused; a withdrawal reads them
   */
  extraRows?: 'skip' | 'keep' | undefined;
  /** Leaves out rows with an undeclared type word. */
  skipOtherTypes?: boolean | undefined;
  /** Reads only rows with one of these values in a column. */
  only?: ReadonlyMap<string, readonly string[]> | undefined;
}

export interface ReadLineOptions extends LeftOutOptions {
  mapping: ColumnMapping;
  notation: Notation;
  /** Unit of amounts: cents, or dollars with a decimal point. */
  units: 'minor' | 'major';
  /** Currency of lines without one. */
  currency: string | undefined;
  times: ZonedTime;
  /** Whether a zone was declared: it applies where the zone column has one of its abbreviations. */
  isZoneSaid?: boolean | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether to accept suspicious ids: a withdrawal must be able to remove wrong lines. */
  isWithdrawal: boolean;
  /** Whether the file is the program's own export. */
  isOwnExport?: boolean | undefined;
  /** Whether a row with a settled and a refunded amount becomes two lines of one date. */
  settleAndRefund?: boolean | undefined;
}

/** A record of a file, by column. */
export type LedgerRecord = Readonly<Record<string, unknown>>;

/** A parsed field; undefined if absent. */
export type Read<Value> = Value | undefined | LineProblem;
