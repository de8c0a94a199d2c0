import type { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import type { ColumnMapping, LedgerField } from './columns.ts';
import type { Notation } from './notation.ts';

/** An error in a field of a line. Never contains the value, which may be a name. */
export class LineProblem {
  readonly field: LedgerField;
  /** Stable error code. */
  readonly code: string;
  /** Error message, which follows the column name. */
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

/** Rules for skipping rows. */
export interface LeftOutOptions {
  /**
   * Skips rows in which one of these fields or columns is empty; for `amount`, also rows with 0.
   */
  skipRowsWithout?: readonly string[] | undefined;
  /**
   * Whether rows that repeat the header row, have the sum of the rows above or have a title are
   * skipped, or are read as lines. @default such a file is rejected; a withdrawal reads the rows as
   * lines
   */
  extraRows?: 'skip' | 'keep' | undefined;
  /**
   * Whether a sheet is read as it is shown, without hidden rows and columns and with the text of a
   * merged cell in each of its rows, or as it is stored. @default a sheet in which both differ is
   * rejected; a withdrawal reads what is stored
   */
  cells?: 'shown' | 'stored' | undefined;
  /** Skips rows with an undeclared type word. */
  skipOtherTypes?: boolean | undefined;
  /** Reads only rows with one of these values in the given column. */
  only?: ReadonlyMap<string, readonly string[]> | undefined;
}

export interface ReadLineOptions extends LeftOutOptions {
  mapping: ColumnMapping;
  notation: Notation;
  /** Unit of amounts: minor (cents), or major (dollars with a decimal point). */
  units: 'minor' | 'major';
  /** Currency of lines without one. */
  currency: string | undefined;
  times: ZonedTime;
  /**
   * Whether a time zone was declared, which then applies if the zone column has one of its
   * abbreviations.
   */
  isZoneSaid?: boolean | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether to accept suspicious ids, because a withdrawal must be able to remove wrong lines. */
  isWithdrawal: boolean;
  /** Whether the file is this program's own export. */
  isOwnExport?: boolean | undefined;
  /** Column and text of the net amount of a row of a table. */
  net?: { column: string; text: string } | undefined;
  /** Whether the type words are those of a preset, not declared for this file. */
  hasPresetWords?: boolean | undefined;
  /** Whether a row with a settled and a refunded amount becomes two lines with the same date. */
  settleAndRefund?: boolean | undefined;
}

/** Values of a file record, by column. */
export type LedgerRecord = Readonly<Record<string, unknown>>;

/** A parsed field; undefined if absent. */
export type Read<Value> = Value | undefined | LineProblem;
