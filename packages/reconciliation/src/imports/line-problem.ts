import type { ZonedTime } from '../platform/zoned-time.ts';
import type { ColumnMapping, LedgerField } from './columns.ts';
import type { LeftOutOptions } from './left-out.ts';
import type { Notation } from './notation.ts';

/** What is wrong with a field of a line. Never holds what stood there: it may be a name. */
export class LineProblem {
  readonly field: LedgerField;
  /** Stable. */
  readonly code: string;
  /** What is wrong, to follow the column's name. */
  readonly message: string;

  constructor(field: LedgerField, code: string, message: string) {
    this.field = field;
    this.code = code;
    this.message = message;
  }
}

/** A reading that differs from what was written. */
export interface LineNote {
  field: LedgerField;
  code: 'id-folded' | 'float-digits';
}

export interface ReadLineOptions extends LeftOutOptions {
  mapping: ColumnMapping;
  notation: Notation;
  /** What amounts are counted in: cents, or dollars with a decimal point. */
  units: 'minor' | 'major';
  /** For lines that name none. */
  currency: string | undefined;
  times: ZonedTime;
  /** Whether a zone was said: then it holds where the file's column names none that is one zone. */
  isZoneSaid?: boolean | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether what looks wrong is taken as it is: what is in the books by mistake must get out of them. */
  isWithdrawal: boolean;
  /** Whether the file is an export of the program itself. */
  isOwnExport?: boolean | undefined;
  /** Whether a row with an amount settled and one refunded is two lines of one date. */
  settleAndRefund?: boolean | undefined;
}

/** A record of a file, by column. */
export type LedgerRecord = Readonly<Record<string, unknown>>;

/** A field as it is read: undefined where it is not stated. */
export type Read<Value> = Value | undefined | LineProblem;
