import { z } from 'zod';
import { person } from '../back-office/person.ts';

/** Fields of a ledger line that a file's columns can be mapped to. */
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

const text = (most: number) => z.string().min(1).max(most);
const YEAR = 'must be 2000 to 2100';
const words = z.array(text(1_000)).min(1);

/**
 * How to read a file of ledger lines, and what to do with it. `title` names the value of an option in
 * help. The API, presets and the command line take their options from here.
 */
export const ledgerOptions = z.strictObject({
  preset: z.string().max(8_192).optional().meta({
    title: 'name',
    description: 'notation of a known program, or a preset as JSON; empty: none',
  }),
  map: z
    .partialRecord(z.enum(ledgerImportFields), text(1_000), {
      error: `must name columns by field: ${ledgerImportFields.join(', ')}`,
    })
    .optional()
    .meta({ title: 'columns', description: 'column names' }),
  settleAndRefund: z
    .boolean()
    .optional()
    .meta({ description: 'read a row with both amounts as a settle and a refund of one date' }),
  only: z
    .record(text(1_000), words, { error: 'must list the values of rows by their column' })
    .optional()
    .meta({ title: 'rows', description: 'read only these rows' }),
  skipRowsWithout: words
    .optional()
    .meta({ title: 'what', description: 'leave out rows without these fields or columns' }),
  extraRows: z.enum(['skip', 'keep']).optional().meta({
    title: 'answer',
    description: 'repeated header rows, totals and titles: leave them out, or read them as lines',
  }),
  cells: z.enum(['shown', 'stored']).optional().meta({
    title: 'answer',
    description:
      'hidden rows and columns, and merged cells: read what the sheet shows, or all that is stored',
  }),
  skipOtherTypes: z
    .boolean()
    .optional()
    .meta({ description: 'leave out rows with an undeclared type' }),
  units: z
    .enum(['minor', 'major'])
    .optional()
    .meta({ title: 'units', description: 'unit of amounts; required for CSV' }),
  decimal: z.enum(['point', 'comma']).optional().meta({
    title: 'character',
    description: 'decimal separator; enables thousands separators',
  }),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code')
    .optional()
    .meta({ title: 'code', description: 'currency (ISO 4217): that of lines without one' }),
  type: z.enum(['settle', 'refund', 'sign']).optional().meta({
    title: 'type',
    description: 'type of lines without one; sign: below 0 is a refund',
  }),
  types: z
    .partialRecord(z.enum(['settle', 'refund', 'sign', 'skip']), words, {
      error: 'must list words of the type column by their meaning: settle, refund, sign, skip',
    })
    .optional()
    .meta({ title: 'words', description: 'meaning of type words' }),
  dates: z.enum(['dmy', 'mdy', 'ddmm', 'excel', 'excel-1904', 'unix', 'unix-ms']).optional().meta({
    title: 'notation',
    description: 'notation of ambiguous dates: 31.12.26 is dmy, 3112 ddmm, 46387 excel',
  }),
  year: z
    .int(YEAR)
    .min(2000, YEAR)
    .max(2100, YEAR)
    .optional()
    .meta({ title: 'year', description: 'year of dates without one, with dates ddmm' }),
  zone: text(64).optional().meta({
    title: 'zone',
    description: 'zone of dates without one, such as Europe/Berlin; default RECONCILIATION_ZONE',
  }),
  format: z
    .enum(['csv', 'json', 'ndjson'])
    .optional()
    .meta({ title: 'format', description: 'default: detected' }),
  sheet: text(255)
    .optional()
    .meta({ title: 'name', description: 'sheet of an .xlsx: its name, or its number from 1' }),
  delimiter: z
    .string()
    .length(1, 'must be one character')
    .optional()
    .meta({ title: 'character', description: 'separator of CSV values' }),
  encoding: text(64).optional().meta({
    title: 'name',
    description: 'such as windows-1252; default UTF-8; a byte order mark takes precedence',
  }),
  of: z.string().trim().min(1).max(128).optional().meta({
    title: 'source',
    description: 'source of the lines, such as erp; default: the letters of the file name',
  }),
  period: text(32).optional().meta({
    title: 'days',
    description:
      'period that the file states completely, such as 2026-03 or 2026-03-01..2026-03-31; default: its dates',
  }),
  correction: z.enum(['replace', 'add']).optional().meta({
    title: 'answer',
    description:
      'a file that differs from an earlier one of its source and period: replace the lines of that one, or add to them',
  }),
  replace: z
    .boolean()
    .optional()
    .meta({ description: 'lines that look like existing ones replace them' }),
  keepBoth: z
    .boolean()
    .optional()
    .meta({ description: 'lines that look like existing ones are separate lines' }),
  withdraw: z
    .boolean()
    .optional()
    .meta({ description: 'withdraw the lines of an erroneous import' }),
  dryRun: z.boolean().optional().meta({ description: 'check everything and store nothing' }),
  by: person.optional().meta({ title: 'name', description: 'the person who imports' }),
  file: text(256).optional().meta({
    title: 'name',
    description: 'name of the file; its letters are the source of the lines if `of` is not set',
  }),
  source: z
    .enum(['import', 'api'])
    .default('api')
    .meta({ description: 'whether a person imports a file, or a program sends lines' }),
});
export type LedgerOptions = z.input<typeof ledgerOptions>;

/** The contents of a preset file: options for files of one program. */
export const ledgerPreset = ledgerOptions
  .omit({
    preset: true,
    format: true,
    sheet: true,
    of: true,
    period: true,
    correction: true,
    replace: true,
    keepBoth: true,
    withdraw: true,
    dryRun: true,
    by: true,
    file: true,
    source: true,
  })
  .extend({
    /** Description of the file, which follows "looks like". */
    title: z.string().optional(),
    /** Columns that identify such a file. */
    header: z.array(z.string().min(1)).min(1).optional(),
    /** Whether such a file is this program's own export. */
    ownExport: z.boolean().optional(),
  });
export type LedgerPreset = z.infer<typeof ledgerPreset>;
