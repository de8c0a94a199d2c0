import type { ZonedTime } from '@financing-checkout/contract/calendar';
import type { ColumnMapping, LedgerField } from './columns.ts';
import type { LeftOutOptions } from './left-out.ts';
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
