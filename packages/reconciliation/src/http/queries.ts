import { isText } from '@financing-checkout/contract/back-office';
import {
  caseFilters,
  caseOrders,
  count,
  cursor,
  day,
  ledgerOptions,
  name,
  oneOf,
  orderFilters,
  parametersOf,
  part,
  scannedKinds,
  shareFilters,
  switched,
} from '@financing-checkout/contract/reconciliation';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { isZone } from '@financing-checkout/reconciliation-rules/calendar';
import { z } from 'zod';
import { anchorPattern } from '../cases/trail.ts';
import { exportTables } from '../queries/exports/export-tables.ts';
import { repeatedKeys } from '../platform/repeated-keys.ts';

/** The order key from a response. */
const orderKey = name;
const countedFilter = z
  .strictObject(parametersOf(caseFilters))
  .omit({ from: true, to: true, begunTo: true, lender: true });
const MOST_COUNTED = 20;
/** A filter written as a query string: `state=open&assignee=anna`. */
const filterText = z
  .string()
  .max(1_024)
  .transform((text, context) => {
    const read = countedFilter.safeParse(Object.fromEntries(new URLSearchParams(text)));
    if (read.success) return read.data;
    context.addIssue({ code: 'custom', message: 'must be filters of cases, such as state=open' });
    return z.NEVER;
  });
/** Filters of cases to count, without `lender` and days. */
export const caseCountsQuery = z.strictObject({
  /** Repeatable up to 20 times. */
  filter: z.union([filterText.transform((one) => [one]), z.array(filterText).max(MOST_COUNTED)]),
});

export const caseHistoryQuery = z.strictObject({
  after: cursor,
  limit: count(1, 1_000).default(1_000),
});
export const verificationQuery = z.strictObject({
  /** An earlier head of the trail, from a copy that is kept elsewhere. */
  anchor: z
    .string()
    .regex(anchorPattern, 'must be a head as it was printed, such as 17:9f3…')
    .optional(),
});
/** Decimal separator of CSV. With a comma, fields are separated by semicolons. */
const decimal = oneOf(['point', 'comma']).default('point');
/** Starts CSV with a byte order mark, without which Excel does not recognize UTF-8. */
const bom = switched;
const zone = z
  .string()
  .max(64)
  .refine(isZone, { error: 'must be a time zone, such as Europe/Berlin' })
  .optional();
export const partQuery = z.strictObject({
  ...part,
  /** Time zone of the days. Default: the reconciliation zone. */
  zone,
});
export const walkQuery = partQuery.extend({
  /** An accounting period instead of days: as sealed, or with adjustments if it is open. */
  period: name.optional(),
  format: oneOf(['json', 'csv', 'xlsx']).default('json'),
  bom,
  decimal,
});
const writing = {
  format: oneOf(['csv', 'ndjson', 'parquet', 'xlsx']).default('csv'),
  bom,
  decimal,
  /**
   * Format of times in CSV: ISO 8601 with their offset, or local times that a spreadsheet reads as
   * dates.
   */
  times: oneOf(['iso', 'spreadsheet']).default('iso'),
  /**
   * Time zone of times in CSV and XLSX, and of days and times in the query that have none. Default:
   * the reconciliation zone.
   */
  zone,
};
const exported = { ...parametersOf(orderFilters), orderKey: orderKey.optional(), ...writing };
const ofOrders = z.strictObject({ ...exported, ...shareFilters });
/** `from` and `to` apply to the time of the settle, refund or funding. */
const ofLines = z.strictObject(exported);
const ofCases = z.strictObject({
  ...parametersOf(caseFilters),
  ...caseOrders,
  ...writing,
  /** Language of `exception_text` in CSV and XLSX. */
  language: oneOf(['en', 'de']).default('en'),
});
const listFormat = oneOf(['csv', 'ndjson', 'xlsx']);
/** Media types of a list as a file. */
export const listTypes = ['text/csv', 'application/x-ndjson', WORKBOOK_TYPE];
/** Parameters of a list that is also a file. Without `format`, the answer is a page as JSON. */
export const fileQuery = { ...writing, format: listFormat.optional() };
export const exportQueries = {
  orders: ofOrders,
  exceptions: ofOrders,
  lines: ofLines,
  cases: ofCases,
};
/** All parameters; `exportQueries` selects those of each table. */
export const exportQuery = z.strictObject({
  ...ofCases.shape,
  ...ofOrders.shape,
  orderKey: orderKey.optional(),
});
export const exportTable = oneOf(exportTables);
/** The options of an import as JSON, because they have lists and names of columns. */
const importOptions = z
  .string()
  .max(16_384)
  .meta({
    contentMediaType: 'application/json',
    contentSchema: z.toJSONSchema(ledgerOptions, { io: 'input' }),
  })
  .transform((text, context) => {
    try {
      const value: unknown = JSON.parse(text);
      if (repeatedKeys(text).length === 0) return value;
      context.addIssue({ code: 'custom', message: 'must not have a key twice' });
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
    }
    return z.NEVER;
  })
  .pipe(ledgerOptions)
  .prefault('{}');
export const importQuery = z.strictObject({ options: importOptions });
export const caseSheetQuery = z.strictObject({
  /** Digest of the comparison that a person has reviewed: applies its differences. */
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the "digest" of an earlier response')
    .optional(),
  /** Allows assigning cases to people who have neither a token nor a case. */
  newPersons: switched,
  sheet: ledgerOptions.shape.sheet,
  delimiter: ledgerOptions.shape.delimiter,
  encoding: ledgerOptions.shape.encoding,
  /** The acting person. */
  by: ledgerOptions.shape.by,
});
const scannedKind = oneOf(scannedKinds);
export const searchQuery = z.strictObject({
  /** An ID, a name or an amount, or a fragment of at least three characters of an ID or a name. */
  q: z
    .string()
    .trim()
    .min(1, 'must be an ID, a name or an amount')
    .max(256, 'must be at most 256 characters')
    .refine(isText, { error: 'must be text' }),
  /** Repeatable: only searches IDs of these kinds for the fragment. */
  fragments: z.union([scannedKind.transform((kind) => [kind]), z.array(scannedKind)]).optional(),
});
/** Query for rows of a sheet, by number. */
export const workbookQuery = importQuery.extend({
  /** Numbers of rows whose cells to return, at most 100: "17,35". */
  rows: z
    .string()
    .regex(/^\d{1,7}(?:,\d{1,7}){0,99}$/, 'must be up to 100 numbers, such as 17,35')
    .transform((text) => text.split(',').map(Number))
    .optional(),
});
/** Days in the reconciliation zone, both inclusive. */
export const migrationQuery = z.strictObject({ from: day, to: day });
