import { isText } from '@financing-checkout/contract/back-office';
import {
  caseSortDirections,
  caseSorts,
  caseStates,
  exceptionCodes,
  headlines,
  count,
  currencyCode,
  day,
  name,
  oneOf,
  part,
  switched,
  ledgerOptions,
  scannedKinds,
  type WalkAmount,
  walkAmounts,
} from '@financing-checkout/contract/reconciliation';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { ZonedTime, isZone } from '@financing-checkout/reconciliation-rules/calendar';
import { z } from 'zod';
import { anchorPattern } from '../cases/trail.ts';
import { caseOrder, POSITION_PARTS, readPosition } from '../queries/cases/case-order.ts';
import { exportTables } from '../queries/exports/export-tables.ts';
import { repeatedKeys } from '../platform/repeated-keys.ts';
import { cursorSchema } from './cursor.ts';

const written = z.string().refine((text) => new ZonedTime('UTC').read(text) !== undefined, {
  error: 'must be an ISO 8601 date or date-time',
});
const currency = currencyCode;
const limit = count(1, 1_000).default(200);

/** The order key from a response. */
const orderKey = name;
const orderFilters = {
  headline: oneOf(headlines).optional(),
  exception: oneOf(exceptionCodes).optional(),
  /** Any of the lender's names. */
  lender: name.optional(),
  currency: currency.optional(),
  /** Only orders with an assumed currency; with `false`, only the others. */
  currencyAssumed: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).optional(),
  /** Only orders with a settle, refund or funding on or after this day or time. */
  from: written.optional(),
  /** … up to and including this day, or before this time. */
  to: written.optional(),
};
const caseFilters = {
  state: oneOf(caseStates).optional(),
  code: oneOf(exceptionCodes).optional(),
  currency: currency.optional(),
  assignee: name.optional(),
  /** Only cases without an assignee. */
  unassigned: switched,
  /** Minimum amount in minor units, regardless of sign. */
  least: count(0, Number.MAX_SAFE_INTEGER).optional(),
  /** Minimum age in days. */
  days: count(0, 36_500).optional(),
  /** Only open cases whose due day, in the reconciliation zone, has ended. */
  overdue: switched,
  /** Only cases with notes that mention this person, until the person acts on them. */
  mentioned: name.optional(),
  /** Only snoozed cases; with `false`, only the others. Default: both. */
  snoozed: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).optional(),
  /**
   * Only merged cases; with `false`, only the others. Default: both. The money of a case includes that of
   * the cases merged into it, listed or not.
   */
  merged: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).optional(),
  /** Only cases merged into this one. */
  mergedInto: name.optional(),
  /** Only cases that were opened on or after this day or time. */
  from: written.optional(),
  /** … up to and including this day, or before this time. */
  to: written.optional(),
  /** Only cases whose exceptions began up to and including this day, or before this time. */
  begunTo: written.optional(),
  /** Any of the lender's names: only cases of orders with a funding from this lender. */
  lender: name.optional(),
  /** Only amounts below this one, in minor units, regardless of sign. */
  under: count(0, Number.MAX_SAFE_INTEGER).optional(),
  /** Only cases younger than this, in days. */
  daysUnder: count(0, 36_500).optional(),
  /** Only cases with an assumed currency; with `false`, only the others. */
  currencyAssumed: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).optional(),
};

export const caseSummaryQuery = z.strictObject(caseFilters);

const countedFilter = z
  .strictObject(caseFilters)
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

const caseOrders = {
  /** By default, the most money first. Equal cases are sorted by age, oldest first. */
  sort: oneOf(caseSorts).default('money'),
  /** Default: descending for money, age and amount, and ascending for the others. */
  direction: oneOf(caseSortDirections).optional(),
};

/**
 * Only orders that contribute to this amount of the walk. `from`, `to` and `lender` select the
 * flows of the walk.
 */
const step = oneOf(walkAmounts as [WalkAmount, ...WalkAmount[]]).optional();

/**
 * Filters orders by the days on which lenders should post their settles, as in the forecast: a day, the
 * days `from..to`, or `late`. With `lender`, only settles of this lender count.
 */
const due = z
  .string()
  .regex(/^(?:late|\d{4}-\d{2}-\d{2}(?:\.\.\d{4}-\d{2}-\d{2})?)$/, {
    error: 'must be "late", a day or two days, such as 2026-11-01..2026-11-07',
  })
  .optional();
/** Only settles of orders without a funding that names the lender. */
const lenderUnknown = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).optional();

/** Selects orders by their share of a total. */
const shareFilters = {
  step,
  due,
  lenderUnknown,
  /**
   * Only orders with fundings of this status of the service, as in the radar. `from`, `to` and
   * `lender` select the fundings.
   */
  claim: name.optional(),
  /** With `claim`, only fundings with a correct status, or only those with a wrong one. */
  verdict: oneOf(['right', 'wrong']).optional(),
  /**
   * Only orders with fundings of a row of the discount audit: the discounts kept from settles, or
   * returned with refunds. `from`, `to` and `lender` select the fundings, and the next three
   * parameters select the row. An omitted one selects the row without that value.
   */
  discount: oneOf(['settles', 'refunds']).optional(),
  productType: name.optional(),
  promoCode: name.optional(),
  agreedFrom: z.iso.datetime().transform(Date.parse).optional(),
};

export const ordersQuery = z.strictObject({
  ...orderFilters,
  ...shareFilters,
  /** Repeatable up to 100 times. */
  merchantOrderId: z
    .union([name.transform((id) => [id]), z.array(name).min(1).max(100)])
    .optional(),
  after: cursorSchema(2).optional(),
  limit,
});
const exceptionFilters = {
  code: oneOf(exceptionCodes).optional(),
  currency: currency.optional(),
  /** Only exceptions of orders with a settle, refund or funding on or after this day or time. */
  from: written.optional(),
  /** … up to and including this day, or before this time. */
  to: written.optional(),
};
export const summaryQuery = z.strictObject(exceptionFilters);
export const exceptionsQuery = z.strictObject({
  ...exceptionFilters,
  after: cursorSchema(3).optional(),
  limit,
});
export const casesQuery = z
  .strictObject({
    ...caseFilters,
    ...caseOrders,
    merchantOrderId: name.optional(),
    after: cursorSchema(POSITION_PARTS).optional(),
    limit,
  })
  .refine(
    ({ after, sort, direction }) =>
      after === undefined || readPosition(caseOrder(sort, direction), after) !== undefined,
    { path: ['after'], error: 'must be the "next" of a previous page' },
  );
/** Cursor: the last event of the previous page of a trail. */
export const afterEvent = cursorSchema(1)
  .transform(([seq]) => Number(seq))
  .refine(Number.isSafeInteger, { error: 'must be the "next" of a previous page' })
  .optional();
export const caseHistoryQuery = z.strictObject({
  after: afterEvent,
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
const exported = { ...orderFilters, orderKey: orderKey.optional(), ...writing };
const ofOrders = z.strictObject({ ...exported, ...shareFilters });
/** `from` and `to` apply to the time of the settle, refund or funding. */
const ofLines = z.strictObject(exported);
const ofCases = z.strictObject({ ...caseFilters, ...caseOrders, ...writing });
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
