import { z } from 'zod';
import { person, words } from '../back-office/person.ts';
import { currency, time } from './fields.ts';
import { ledgerOptions } from './ledger-options.ts';
import { ledgerQuestions } from './ledger-questions.ts';

const leftOutRows = z.object({
  reason: z.string(),
  word: z.string().optional(),
  count: z.int(),
  /** The first row numbers. */
  lines: z.array(z.int()),
});

/** The result of an import of ledger lines. */
export const ledgerImportSchema = z.object({
  dryRun: z.boolean(),
  /** Whether the lines were applied (all or none). False for a dry run and after any error. */
  applied: z.boolean(),
  /** IANA name of the time zone for dates without one, and for the days in this report. */
  zone: z.string(),
  lines: z.int(),
  /** Number of lines that are (in a dry run: would be) added. */
  added: z.int(),
  /** Number of lines that are (would be) removed from the ledger. */
  withdrawn: z.int(),
  /**
   * Number of lines that change nothing: the ledger already contains the line, or a line to
   * withdraw is not in the ledger or comes from the companion itself.
   */
  repeated: z.int(),
  /** Number of skipped rows that are not ledger lines. */
  skipped: z.int(),
  /** Reasons for skipped rows, with the value of the type column and the first row numbers. */
  leftOut: z.array(leftOutRows),
  /**
   * Rows that repeat the header row (`header`), contain a total of the rows above (`total`) or a
   * title (`label`). The file is refused until `extraRows` specifies whether to skip or read them.
   */
  extraRows: z.array(leftOutRows),
  /**
   * Hidden rows of a sheet (`hidden-row`), and cells whose shown value differs from the stored one:
   * covered by a merged cell (`merged`), in a hidden column (`hidden-column`), or formulas to be
   * computed again (`stale`), with the column as `word`. The file is refused until `cells` states
   * which value to read.
   */
  sheetCells: z.array(leftOutRows).default([]),
  /**
   * Values that were interpreted differently from their spelling, by column, with the first line
   * numbers.
   */
  notes: z.array(
    z.object({
      field: z.string(),
      code: z.string(),
      count: z.int(),
      lines: z.array(z.int()),
      message: z.string(),
    }),
  ),
  /** Values of the type column without a mapping, if there are few of them. */
  unknownTypes: z.array(z.object({ word: z.string(), count: z.int() })),
  /**
   * Number of lines identical to an earlier line, without a distinguishing ID. All are imported.
   */
  alike: z.int(),
  /** Number of ledger lines that are (would be) replaced. */
  replaced: z.int(),
  /** Number of lines that may duplicate a ledger line in another form, and the first of them. */
  lookAlikeCount: z.int(),
  lookAlikes: z.array(
    z.object({
      line: z.int(),
      /**
       * - `changed`: the same ID with a different amount.
       * - `companion`: a line of the companion.
       * - `same-amount`: the same amount for the order.
       * - `other-amount`: a different amount for the order at the same time, without an ID.
       */
      kind: z.enum(['changed', 'companion', 'same-amount', 'other-amount']),
      merchantOrderId: z.string(),
      type: z.string(),
      currency,
      amount: z.int(),
      recordedAmount: z.int(),
      /** Milliseconds since 1970. */
      recordedDate: z.int(),
    }),
  ),
  /**
   * How the file differs from earlier imports of the same source, in the periods of both. Absent for
   * a file that only adds lines. The file is refused until `correction` specifies whether it replaces
   * lines.
   */
  difference: z
    .object({
      source: z.string(),
      /** Days, both inclusive. */
      from: z.string(),
      to: z.string(),
      added: z.int(),
      changed: z.int(),
      removed: z.int(),
      /** Earlier lines that the file lacks and that remain, because it does not cover their days. */
      kept: z.int().default(0),
      /** Earlier lines that remain with either answer. */
      stay: z.int().default(0),
      /** Earlier lines that `replace` removes: changed or missing ones. */
      go: z.int().default(0),
      /** Changed lines that count twice with `add`. */
      double: z.int().default(0),
      /** The first lines, by order; the remaining ones are last. */
      list: z.array(
        z.object({
          kind: z.enum(['added', 'changed', 'removed', 'kept']),
          merchantOrderId: z.string(),
          type: z.string(),
          currency,
          /** Amount in the file. Absent for a removed or kept line. */
          amount: z.int().optional(),
          /** Amount in the ledger. Absent for an added line. */
          recordedAmount: z.int().optional(),
          /** Date in the file, or in the ledger if the file lacks the line. Milliseconds since 1970. */
          at: z.int(),
          /** Date in the ledger. Absent for an added line. */
          recordedAt: z.int().optional(),
          /** Whether both lines count with `add`. */
          doubles: z.boolean().default(false),
        }),
      ),
    })
    .optional(),
  totals: z.array(
    z.object({
      currency,
      type: z.enum(['Settle', 'Refund']),
      count: z.int(),
      /** Minor units as a string, because a sum may exceed the exact range of a number. */
      amount: z.string(),
    }),
  ),
  /**
   * Lines of closed periods that are (would be) added or replaced: they change nothing in those
   * periods, and are adjustments in the open one.
   */
  closed: z.array(z.object({ period: z.string(), lines: z.int() })).default([]),
  /** Number of errors. An error on several lines counts once per line. */
  errorCount: z.int(),
  /**
   * The first thousand distinct errors, in the order of their first lines. They contain no values
   * from the file.
   */
  errors: z.array(
    z.object({
      /** The first line with the error. Absent for an error of the whole file. */
      line: z.int().optional(),
      field: z.string().optional(),
      code: z.string(),
      message: z.string(),
      count: z.int(),
      /** The first line numbers. */
      lines: z.array(z.int()),
    }),
  ),
});
export type LedgerImportRecord = z.infer<typeof ledgerImportSchema>;

/** Interpretations of a column's values as amounts, dates or types. */
const columnReading = z.object({
  ...ledgerOptions.pick({ units: true, decimal: true, dates: true, types: true }).shape,
  /** Questions that the values cannot decide. */
  asks: z.array(z.enum(['dates', 'zone', 'types'])),
});

/** Preview of the start of a ledger file, so that a user can choose how to read it. */
export const ledgerPreviewSchema = z.object({
  /**
   * Options that suit the file, or that the request states. `map` comes from the options, the preset or a
   * usual field name. Omits `sheet` until one of several `sheets` is chosen.
   */
  proposal: ledgerOptions.pick({
    preset: true,
    sheet: true,
    delimiter: true,
    encoding: true,
    map: true,
    units: true,
    decimal: true,
    dates: true,
    types: true,
  }),
  /** Options that the proposal does not decide. */
  questions: z.array(z.enum(ledgerQuestions)),
  /** Names of the options that the preset states. */
  known: z.array(z.string()),
  /** `csv` also for a workbook, because its sheet is read like CSV. */
  format: z.enum(['csv', 'json', 'ndjson']),
  /** Names of the visible sheets of a workbook that have content. */
  sheets: z.array(z.string()).optional(),
  /** Empty until one of several `sheets` is chosen. */
  columns: z.array(z.string()),
  /** One for each column. */
  readings: z.array(columnReading),
  /** The first rows below the header row, at most 20, with a value for each column. */
  rows: z.array(z.array(z.string())),
  /** The requested rows of a sheet, as strings, with their numbers in the sheet. */
  cells: z.array(z.object({ row: z.int().min(1), values: z.array(z.string()) })).optional(),
  /**
   * Parts of the workbook that a spreadsheet does not show, or shows with another value: sheets that
   * are hidden or have no rows, and rows, columns and cells of the previewed sheet.
   */
  unseen: z
    .array(
      z.object({
        kind: z.enum([
          'hidden-sheet',
          'other-sheet',
          'hidden-row',
          'filtered-row',
          'hidden-column',
          'merged',
          'uncomputed',
          'stale',
        ]),
        count: z.int(),
        /** The first names of sheets, row numbers, or letters of columns. */
        places: z.array(z.string()),
      }),
    )
    .optional(),
});
export type LedgerPreview = z.infer<typeof ledgerPreviewSchema>;

/** One import, or the withdrawal of one. */
export const listedImportSchema = z.object({
  id: z.string(),
  at: time,
  action: z.enum(['add', 'withdraw']),
  source: z.enum(['import', 'api']),
  /** Name of the token, and of the person if one was named. */
  actor: z.string().optional(),
  /** Number of lines that were added or withdrawn. */
  count: z.int().min(0),
  /** For an import, whether it was withdrawn later. */
  isWithdrawn: z.boolean(),
});
export type ListedImport = z.infer<typeof listedImportSchema>;
/** Newest first. */
export const importsSchema = z.object({
  imports: z.array(listedImportSchema),
  next: z.string().optional(),
});

/** Body of `POST /imports/{id}/withdrawal`. */
export const withdrawalRequestSchema = z.strictObject({ by: person.optional(), reason: words });
export const withdrawalSchema = z.object({
  /** The import that was withdrawn. */
  id: z.string(),
  /** Number of lines that are removed from the ledger. */
  withdrawn: z.int().min(0),
  /** Number of lines that remain: lines of the companion itself, and lines no longer in the ledger. */
  kept: z.int().min(0),
});
export type Withdrawal = z.infer<typeof withdrawalSchema>;
