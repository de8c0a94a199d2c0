import type { LedgerField } from './columns.ts';

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

/** Values of a file record, by column. */
export type LedgerRecord = Readonly<Record<string, unknown>>;

/** A parsed field; undefined if absent. */
export type Read<Value> = Value | undefined | LineProblem;
