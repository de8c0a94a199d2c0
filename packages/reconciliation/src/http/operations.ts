import {
  ageingSchema,
  assignRequestSchema,
  caseHistorySchema,
  caseSchema,
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
  reconciliationSummarySchema,
  syncRequestSchema,
  syncSchema,
  syncsSchema,
  trailVerificationSchema,
  walkSchema,
} from '@financing-checkout/contract';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import * as queries from './queries.ts';
import { importTypes } from './routes/imports.ts';
import { statusSchema } from './schemas.ts';

const json = ['application/json'];
const paged = 'By cursor: orders that come in while it is read neither repeat one nor hide one.';

function reading(
  path: string,
  summary: string,
  schema: z.ZodType,
  more: Partial<Operation> = {},
): Operation {
  return { method: 'get', path, summary, access: 'read', answer: { schema }, ...more };
}

function ofCase(verb: string, summary: string, schema: z.ZodType): Operation {
  return {
    method: 'post',
    path: `/cases/:caseId/${verb}`,
    summary,
    access: 'cases',
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
  reading('/livez', 'Whether the process lives', z.object({ state: z.string() }), {
    access: 'none',
  }),
  reading(
    '/readyz',
    'Whether questions are answered',
    z.object({ state: z.string(), role: z.string() }),
    { access: 'none', problems: ['not-ready', 'store-unavailable'] },
  ),
  reading('/openapi.json', 'This document', z.looseObject({}), { access: 'none' }),
  reading('/status', 'How the process stands', statusSchema),
  reading(
    '/summary',
    'Exceptions, and how far they can be relied on',
    reconciliationSummarySchema,
    {
      query: queries.summaryQuery,
    },
  ),
  reading('/orders', 'Orders with their statuses', orderStatusesSchema, {
    description: paged,
    query: queries.ordersQuery,
  }),
  reading(
    '/orders/:orderKey',
    'One order: its lines, its reasons, its history',
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
  reading('/cases/ageing', 'Open cases by age and by amount', ageingSchema),
  reading('/cases/verification', 'Whether the audit trail is intact', trailVerificationSchema, {
    description:
      'Every hash is computed again; the first event that does not fit is named. With `anchor`, an end of the trail that was kept in another place, a trail that was replaced as a whole is found, too.',
    query: queries.verificationQuery,
  }),
  reading('/cases/:caseId', 'One case with its audit trail', caseHistorySchema, {
    query: queries.caseHistoryQuery,
    problems: ['case-not-found'],
  }),
  ofCase('assign', 'Assign a case, or take the assignment back', assignRequestSchema),
  ofCase('note', 'Add a note to a case', noteRequestSchema),
  ofCase('resolve', 'Resolve a case', reasonRequestSchema),
  ofCase('ignore', 'Ignore a case until its content changes', reasonRequestSchema),
  ofCase('reopen', 'Open a resolved or ignored case again', reasonRequestSchema),
  reading('/walk', 'Cash walk from what was expected to what was posted', walkSchema, {
    description:
      'Also as `format=csv`, with `decimal=comma` for spreadsheets that expect commas and semicolons, and as a picture with `format=svg`.',
    query: queries.walkQuery,
    answer: { contentTypes: ['application/json', 'text/csv', 'image/svg+xml'], schema: walkSchema },
  }),
  reading('/discounts', 'Discounts (MDR) beside what was agreed', discountAuditSchema, {
    query: queries.partQuery,
  }),
  reading('/radar', 'Where the service’s status and the arithmetic disagree', radarSchema, {
    query: queries.partQuery,
  }),
  reading('/exports/:table', 'Export orders, exceptions, cases or lines', z.string(), {
    description:
      'CSV (RFC 4180) has no cell that a spreadsheet takes for a formula; with `decimal=comma` amounts have decimal commas, and semicolons separate the values. `bom` begins it with a byte order mark, which Excel needs. An answer that is cut off ends with an error of the transfer: it is not complete.',
    query: queries.exportQuery,
    answer: {
      contentTypes: ['text/csv', 'application/x-ndjson', 'application/vnd.apache.parquet'],
    },
    problems: ['not-found'],
  }),
  reading(
    '/migration',
    'The same days through the report and both records operations',
    z.string(),
    {
      description:
        'A JSON object a line (NDJSON), orders first; the last line is the summary, and without it the answer was cut off.',
      query: queries.migrationQuery,
      answer: { contentTypes: ['application/x-ndjson'], schema: migrationLineSchema },
      problems: ['companion-unavailable'],
    },
  ),
  {
    method: 'post',
    path: '/ledger',
    summary: 'Import lines of the merchant’s ledger',
    description:
      'CSV, a JSON array, or a JSON object a line, of any size. All lines or none are taken; each error is listed with its line. A line that is there already is recognised, so that the same file may be sent again. With `withdraw` lines that were imported by mistake are taken out, by the same file and the same parameters; lines of the companion itself stay. The answer comes when the orders of the lines are judged.',
    access: 'sync',
    query: queries.importQuery,
    body: { contentTypes: importTypes },
    answer: { schema: ledgerImportSchema },
    problems: ['import-busy', 'media-type-unsupported', 'standby'],
  },
  {
    method: 'post',
    path: '/syncs',
    summary: 'Read fundings from the companion',
    description:
      'Of the days from `from` to `to`; without them, of the days that are due by their age. A run that was cut off is taken up. It is `running` until its orders are judged.',
    access: 'sync',
    body: { contentTypes: json, schema: syncRequestSchema },
    answer: { status: 202, schema: syncSchema },
    problems: ['sync-busy', 'standby'],
  },
  reading('/syncs', 'Syncs, newest first', syncsSchema, { query: queries.syncsQuery }),
  reading('/syncs/:id', 'One sync with its progress', syncSchema, { problems: ['not-found'] }),
  reading('/syncs/:id/events', 'Follow a sync', z.string(), {
    description: 'Server-sent events named `sync`, each with the whole sync, until it ends.',
    answer: { contentTypes: ['text/event-stream'] },
    problems: ['not-found'],
  }),
  reading('/days', 'The proof of each day', fundingDaysSchema, {
    description: 'Only a day that is `complete` is proven. Oldest first.',
    query: queries.daysQuery,
  }),
  reading('/coverage', 'How much of the fundings is proven', coverageSchema),
  reading('/alerts', 'Messages to finance, oldest first', deliveriesSchema, {
    query: queries.alertsQuery,
  }),
  {
    method: 'post',
    path: '/alerts/:id/replay',
    summary: 'Send a message to finance again',
    access: 'cases',
    body: { contentTypes: json, schema: z.strictObject({}) },
    answer: { status: 202, schema: z.object({ id: z.string() }) },
    problems: ['not-found', 'standby'],
  },
  {
    method: 'post',
    path: '/rebuild',
    summary: 'Make the analytics database of this process anew',
    access: 'sync',
    body: { contentTypes: json, schema: z.strictObject({}) },
    answer: { schema: statusSchema },
  },
];
