import { z } from 'zod';
import { person, words } from './cases.ts';
import { currency, time } from './order-status.ts';

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
  /** Whether the lines were applied, all or none: false for a dry run and after any error. */
  applied: z.boolean(),
  /** IANA name of the zone of dates without one, and of the days in this report. */
  zone: z.string(),
  lines: z.int(),
  /** Lines that are (in a dry run: would be) added. */
  added: z.int(),
  /** Lines that are (would be) removed from the ledger. */
  withdrawn: z.int(),
  /**
   * Lines that change nothing: the ledger already contains them; or a withdrawn line is not in the
   * ledger, or comes from the companion itself.
   */
  repeated: z.int(),
  /** Skipped rows that are not ledger lines. */
  skipped: z.int(),
  /** Reasons for skipped rows, with the value of the type column and the first row numbers. */
  leftOut: z.array(leftOutRows),
  /**
   * Rows that repeat the head (`head`), state the sum of rows above (`total`) or hold a title
   * (`label`). The file is refused until `extraRows` says whether they are left out or read.
   */
  extraRows: z.array(leftOutRows),
  /** Values that were interpreted differently from their spelling, by column, with the first line numbers. */
  notes: z.array(
    z.object({
      field: z.string(),
      code: z.string(),
      count: z.int(),
      lines: z.array(z.int()),
      message: z.string(),
    }),
  ),
  /** Values of the type column without a mapping, if they are few. */
  unknownTypes: z.array(z.object({ word: z.string(), count: z.int() })),
  /** Lines identical to an earlier one without an ID to distinguish them: all were imported. */
  alike: z.int(),
  /** Lines of the ledger that are (would be) replaced. */
  replaced: z.int(),
  /** Number of lines that may duplicate a ledger line in another spelling, and the first of them. */
  lookAlikeCount: z.int(),
  lookAlikes: z.array(
    z.object({
      line: z.int(),
      /**
       * Same ID with another amount; a line of the companion; same amount for the order; another
       * amount of the order at the same time, without an ID.
       */
      kind: z.enum(['changed', 'companion', 'same-amount', 'other-amount']),
      merchantOrderId: z.string(),
      type: z.string(),
      currency,
      amount: z.int(),
      amountInBooks: z.int(),
      /** Milliseconds since 1970. */
      dateInBooks: z.int(),
    }),
  ),
  /**
   * How the file differs from earlier imports of its source and period. Absent for a file that only
   * adds. The file is refused until `correction` says whether it replaces their lines.
   */
  difference: z
    .object({
      source: z.string(),
      /** Days, both included. */
      from: z.string(),
      to: z.string(),
      added: z.int(),
      changed: z.int(),
      removed: z.int(),
      /** The first lines, by order. */
      list: z.array(
        z.object({
          kind: z.enum(['added', 'changed', 'removed']),
          merchantOrderId: z.string(),
          type: z.string(),
          currency,
          /** In the file; absent for a removed line. */
          amount: z.int().optional(),
          /** In the ledger; absent for an added line. */
          amountInBooks: z.int().optional(),
          /** Milliseconds since 1970. */
          at: z.int(),
        }),
      ),
    })
    .optional(),
  totals: z.array(
    z.object({
      currency,
      type: z.enum(['Settle', 'Refund']),
      count: z.int(),
      /** Minor units as text: a sum may exceed the exact range of a number. */
      amount: z.string(),
    }),
  ),
  /** Number of errors: one that many lines have counts for each of them. */
  errorCount: z.int(),
  /**
   * The first thousand different errors, in the order of their first lines. They contain no value of
   * the file.
   */
  errors: z.array(
    z.object({
      /** The first line that has the error; absent if the file has it. */
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

/** Fields of a ledger line that a column of a file may state. */
export const ledgerImportFields = [
  'order',
  'type',
  'amount',
  'settled',
  'refunded',
  'currency',
  'date',
  'time',
  'zone',
  'transaction',
  'merchantTransaction',
  'charge',
] as const;
export type LedgerImportField = (typeof ledgerImportFields)[number];

/** The beginning of a ledger file as it would be read, so that a person can assign its columns. */
export const ledgerPreviewSchema = z.object({
  /** Name of the preset that fits the columns. */
  preset: z.string().optional(),
  /** `csv` also for a sheet of a workbook, which is read as one. */
  format: z.enum(['csv', 'json', 'ndjson']),
  /** Separator of CSV; empty for JSON and a workbook. */
  delimiter: z.string(),
  /** Empty for a workbook. */
  encoding: z.string(),
  /** Names of the visible sheets of a workbook that have content. */
  sheets: z.array(z.string()).optional(),
  /** The sheet that is previewed. Without it and with `sheets`, there are no columns: choose one of several. */
  sheet: z.string().optional(),
  columns: z.array(z.string()),
  /** The first rows below the head, at most 20, with a value for each column. */
  rows: z.array(z.array(z.string())),
  /** The column of each field: by the options, the preset or its default name. */
  mapping: z.partialRecord(z.enum(ledgerImportFields), z.string()),
});
export type LedgerPreview = z.infer<typeof ledgerPreviewSchema>;

/** One import, or the withdrawal of one. */
export const listedImportSchema = z.object({
  id: z.string(),
  at: time,
  action: z.enum(['add', 'withdraw']),
  source: z.enum(['import', 'api']),
  /** Name of the token, and of the person if one was stated. */
  actor: z.string().optional(),
  /** Lines that were added or withdrawn. */
  count: z.int().min(0),
  /** For an import: its file was withdrawn later. */
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
/** The result of a withdrawal. */
export const withdrawalSchema = z.object({
  /** The import that was withdrawn. */
  id: z.string(),
  /** Lines that are removed from the ledger. */
  withdrawn: z.int().min(0),
  /** Lines that stay: the companion states them itself, or they are not in the ledger any more. */
  kept: z.int().min(0),
});
export type Withdrawal = z.infer<typeof withdrawalSchema>;
