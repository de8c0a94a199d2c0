import {
  ageingSchema,
  assignRequestSchema,
  caseHistorySchema,
  caseSchema,
  caseSheetSchema,
  casesSchema,
  coverageSchema,
  deliveriesSchema,
  discountAuditSchema,
  exceptionsSchema,
  fundingDaysSchema,
  ledgerImportSchema,
  migrationLineSchema,
  noteRequestSchema,
  orderExplanationSchema,
  orderStatusesSchema,
  radarSchema,
  reasonRequestSchema,
  type ProblemCode,
  reconciliationSummarySchema,
  syncRequestSchema,
  syncSchema,
  syncsSchema,
  trailVerificationSchema,
  walkSchema,
} from '@financing-checkout/contract';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { z } from 'zod';
import { sheetLimit } from '../engine/case-sheets.ts';
import { chargeOperations } from './charge-operations.ts';
import { dailyOperations } from './daily-operations.ts';
import { ofChange, ofQuestion, type Operation } from './operation.ts';
import * as queries from './queries.ts';
import { CASE_SHEET_PATH, sheetTypes } from './routes/case-sheets.ts';
import { importTypes } from './routes/imports.ts';
import { statusSchema } from './schemas.ts';
import { sessionOperations } from './session-operations.ts';

const json = ['application/json'];
const ofPosted = 'Of the fundings posted in the period, by their own moment.';
/** Problems of each route that receives a file. */
const ofUpload: readonly ProblemCode[] = [
  'media-type-unsupported',
  'overloaded',
  'rate-limited',
  'request-too-large',
  'standby',
  'storage-full',
];
const paged = 'Paged by cursor: new orders neither repeat nor hide others.';

function reading(
  path: string,
  summary: string,
  schema: z.ZodType,
  more: Partial<Operation> = {},
): Operation {
  return { ...ofQuestion, method: 'get', path, summary, answer: { schema }, ...more };
}

function ofCase(verb: string, summary: string, schema: z.ZodType): Operation {
  return {
    method: 'post',
    path: `/cases/:caseId/${verb}`,
    summary,
    ...ofChange,
    scope: 'cases',
    headers: { 'Idempotency-Key': '1 to 255 printable ASCII characters, new for each request.' },
    body: { contentTypes: json, schema },
    answer: { schema: caseSchema },
    problems: [
      'case-not-found',
      'case-not-permitted',
      'idempotency-key-missing',
      'idempotency-key-reused',
      'standby',
    ],
  };
}

/** All operations of the API. */
export const operations: readonly Operation[] = [
  reading('/livez', 'Liveness of the process', z.object({ state: z.string() }), {
    scope: 'none',
    budgets: { none: 'answers from memory' },
  }),
  reading(
    '/readyz',
    'Readiness to answer queries',
    z.object({ state: z.string(), role: z.string() }),
    {
      scope: 'none',
      budgets: { none: 'asks the record store once' },
      problems: ['not-ready', 'store-unavailable'],
    },
  ),
  reading('/openapi.json', 'This document', z.looseObject({}), {
    scope: 'none',
    budgets: { none: 'answers from memory' },
  }),
  ...sessionOperations,
  ...chargeOperations,
  reading('/status', 'State of the process', statusSchema),
  reading('/summary', 'Exceptions, and their reliability', reconciliationSummarySchema, {
    query: queries.summaryQuery,
  }),
  reading('/orders', 'Orders with their statuses', orderStatusesSchema, {
    description: paged,
    query: queries.ordersQuery,
  }),
  reading(
    '/orders/:orderKey',
    'One order with its lines, reasons and history',
    orderExplanationSchema,
    {
      description: 'The order key is `order:` and the merchant’s order id, percent-encoded.',
      problems: ['order-not-found'],
    },
  ),
  reading('/exceptions', 'Exceptions by order', exceptionsSchema, {
    description: paged,
    query: queries.exceptionsQuery,
  }),
  reading('/cases', 'Cases, oldest first', casesSchema, {
    description: paged,
    query: queries.casesQuery,
  }),
  reading('/cases/ageing', 'Open cases by age and amount', ageingSchema),
  reading('/trail/verification', 'Verification of both trails', trailVerificationSchema, {
    description:
      'Recomputes every hash, of the cases and of the other actions, and names the first invalid event. With `anchor`, an earlier head of both from a copy kept elsewhere, it also detects trails that were replaced.',
    query: queries.verificationQuery,
  }),
  reading('/cases/verification', 'The same as `/trail/verification`', trailVerificationSchema, {
    query: queries.verificationQuery,
  }),
  reading('/cases/:caseId', 'One case with its audit trail', caseHistorySchema, {
    query: queries.caseHistoryQuery,
    problems: ['case-not-found'],
  }),
  ofCase('assign', 'Assign a case, or remove the assignment', assignRequestSchema),
  ofCase('note', 'Add a note to a case', noteRequestSchema),
  ofCase('resolve', 'Resolve a case', reasonRequestSchema),
  ofCase('ignore', 'Ignore a case until its content changes', reasonRequestSchema),
  ofCase('reopen', 'Reopen a resolved or ignored case', reasonRequestSchema),
  {
    method: 'post',
    path: CASE_SHEET_PATH,
    summary: 'Compare an edited export of cases, or apply its differences',
    description:
      'CSV or .xlsx, up to 16 MiB and 20,000 rows, with the columns of an export of cases. Persons edit `state`, `assignee`, `reason` and `note`, and write into `correct_order` the order to which the imported lines of the row’s order and currency belong, which needs the scope `imports`. Without `digest` it returns the differences and the rows that are refused, and writes nothing; with the `digest` of that response it applies exactly these differences, and leaves out the refused rows. Each operation takes effect once: an interrupted request can be repeated.',
    scope: 'cases',
    priorities: [],
    budgets: ['uploads'],
    maxBodyBytes: sheetLimit.maxBytes,
    query: queries.caseSheetQuery,
    body: { contentTypes: sheetTypes },
    answer: { schema: caseSheetSchema },
    problems: ['case-sheet-changed', 'import-busy', ...ofUpload],
  },
  reading('/walk', 'Cash walk from what was expected to what was posted', walkSchema, {
    description:
      'Also as `format=csv`, with `decimal=comma` for spreadsheets with decimal commas and `bom` for Excel, as a workbook with `format=xlsx`, and as an image with `format=svg`. The days are in `zone`.',
    query: queries.walkQuery,
    answer: {
      contentTypes: ['application/json', 'text/csv', WORKBOOK_TYPE, 'image/svg+xml'],
      schema: walkSchema,
    },
  }),
  reading('/discounts', 'Discounts (MDR) compared with the contracts', discountAuditSchema, {
    description: ofPosted,
    query: queries.partQuery,
  }),
  reading('/radar', 'Where the service’s status and the arithmetic disagree', radarSchema, {
    description: ofPosted,
    query: queries.partQuery,
  }),
  reading('/exports/:table', 'Export a table, or a list of the console', z.string(), {
    description:
      'Orders, exceptions, cases and lines, and each list of the console as its own route answers it, but whole: discounts, radar, lags, forecast, ageing, today, case-trail, actions, alerts, imports, syncs, days, day-sums, unproven-days, quarantine, and of one order (`orderKey`) timeline, order-discounts, charges and operations. Only the first four are also Parquet. An .xlsx has times of `zone` as dates, amounts as numbers with the decimals of their currency (as text beyond 15 digits, which a spreadsheet would round), and further sheets beyond 1,048,576 rows. CSV (RFC 4180) contains no cell that a spreadsheet would run as a formula; with `decimal=comma` amounts have decimal commas, and semicolons separate the values. `bom` adds a byte order mark, which Excel needs. With `times=spreadsheet` times are local times of `zone`, such as `2026-11-01 14:03:05`, which a spreadsheet reads as dates; in lines, `utc_offset` then tells a repeated hour from the first one. A truncated response ends with a transfer error and is incomplete. A token has two exports at a time, and all tokens eight; a client that reads nothing for 30 seconds is cut off.',
    query: queries.exportQuery,
    answer: {
      contentTypes: [
        'text/csv',
        'application/x-ndjson',
        'application/vnd.apache.parquet',
        WORKBOOK_TYPE,
      ],
    },
    problems: ['not-found', 'overloaded', 'rate-limited'],
  }),
  reading('/migration', 'Comparison of the report and both records operations', z.string(), {
    description:
      'One JSON object per line (NDJSON), orders first; the last line is the summary. Without it the response is truncated.',
    priorities: ['report'],
    query: queries.migrationQuery,
    answer: { contentTypes: ['application/x-ndjson'], schema: migrationLineSchema },
    problems: ['companion-unavailable', 'overloaded', 'rate-limited'],
  }),
  {
    method: 'post',
    path: '/ledger',
    summary: 'Import lines of the merchant’s ledger',
    description:
      'CSV, a JSON array, or one JSON object per line, up to RECONCILIATION_IMPORT_LIMIT. The file is received first: it may arrive for 30 minutes, at least 128 KiB in 30 seconds, two of one token at a time. Imports all lines or none; each error is listed with its line. Repeated lines are recognised, so the same file may be sent again. `withdraw` removes the lines of an erroneous import, with the same file and parameters; lines stated by the companion stay. Responds when the orders of the lines are judged.',
    scope: 'imports',
    priorities: [],
    budgets: ['uploads'],
    maxBodyBytes: { setting: 'RECONCILIATION_IMPORT_LIMIT' },
    query: queries.importQuery,
    body: { contentTypes: importTypes },
    answer: { schema: ledgerImportSchema },
    problems: ['import-busy', ...ofUpload],
  },
  {
    method: 'post',
    path: '/syncs',
    summary: 'Read fundings from the companion',
    description:
      'Reads the days from `from` to `to`; without them, the days that are due by age. Resumes an interrupted run. The state is `running` until its orders are judged.',
    ...ofChange,
    scope: 'sync',
    priorities: ['report'],
    body: { contentTypes: json, schema: syncRequestSchema },
    answer: { status: 202, schema: syncSchema },
    problems: ['sync-busy', 'standby'],
  },
  reading('/syncs', 'Syncs, newest first', syncsSchema, { query: queries.syncsQuery }),
  reading('/syncs/:id', 'One sync with its progress', syncSchema, { problems: ['not-found'] }),
  reading('/syncs/:id/events', 'Follow a sync', z.string(), {
    description: 'Server-sent events named `sync`, each with the complete sync, until it ends.',
    answer: { contentTypes: ['text/event-stream'] },
    problems: ['not-found'],
  }),
  reading('/days', 'Proofs of the days', fundingDaysSchema, {
    description: 'Only days with state `complete` are proven. Oldest first.',
    query: queries.daysQuery,
  }),
  reading('/coverage', 'Completeness of the fundings', coverageSchema),
  reading('/alerts', 'Messages to finance, oldest first', deliveriesSchema, {
    query: queries.alertsQuery,
  }),
  {
    method: 'post',
    path: '/alerts/:id/replay',
    summary: 'Resend a message to finance',
    ...ofChange,
    scope: 'cases',
    body: { contentTypes: json, schema: z.strictObject({}) },
    answer: { status: 202, schema: z.object({ id: z.string() }) },
    problems: ['not-found', 'standby'],
  },
  {
    method: 'post',
    path: '/rebuild',
    summary: 'Rebuild the analytics database of this process',
    ...ofChange,
    scope: 'rebuild',
    body: { contentTypes: json, schema: z.strictObject({}) },
    answer: { schema: statusSchema },
  },
  ...dailyOperations,
];
