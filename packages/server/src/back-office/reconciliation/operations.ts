import {
  ageingSchema,
  assignRequestSchema,
  caseHistorySchema,
  caseSchema,
  casesSchema,
  discountAuditSchema,
  exceptionsSchema,
  ledgerImportSchema,
  migrationLineSchema,
  noteRequestSchema,
  orderExplanationSchema,
  orderStatusesSchema,
  radarSchema,
  reasonRequestSchema,
  reconciliationSummarySchema,
  trailVerificationSchema,
  walkSchema,
} from '@financing-checkout/contract';
import { z } from 'zod';
import type { Operation } from '../../operating/operation.ts';
import {
  caseHistoryQuery,
  casesQuery,
  exceptionsQuery,
  exportQuery,
  importQuery,
  migrationQuery,
  ordersQuery,
  partQuery,
  verificationQuery,
  walkQuery,
} from './queries.ts';

const tagged =
  'Answers carry an ETag; If-None-Match with it is answered 304 while nothing has changed.';
const paged = 'By cursor: orders that come in meanwhile neither repeat one nor hide one.';

function reading(
  path: string,
  summary: string,
  schema: z.ZodType,
  more: Partial<Operation> = {},
): Operation {
  return {
    method: 'get',
    path: `/reconciliation${path}`,
    summary,
    access: 'read',
    answers: { 200: { description: tagged, schema }, 304: { description: 'As you have it.' } },
    ...more,
  };
}

function changing(verb: string, summary: string, body: z.ZodType): Operation {
  return {
    method: 'post',
    path: `/reconciliation/cases/:caseId/${verb}`,
    summary,
    access: 'cases',
    headers: {
      'Idempotency-Key': '1 to 255 printable ASCII characters, new for each thing asked for.',
    },
    body: { schema: body },
    answers: { 200: { description: 'The case as it is now.', schema: caseSchema } },
    problems: [
      'case-not-found',
      'case-not-permitted',
      'idempotency-key-missing',
      'idempotency-key-reused',
    ],
  };
}

/** What the back office answers of reconciliation. */
export const reconciliationOperations: readonly Operation[] = [
  reading(
    '/summary',
    'What is wrong, and how far it can be relied on',
    reconciliationSummarySchema,
  ),
  reading('/orders', 'Orders and where each stands', orderStatusesSchema, {
    description: `${paged} A filter may leave a page short, or empty, with a \`next\`: read on.`,
    query: ordersQuery,
  }),
  reading(
    '/orders/:orderKey',
    'One order: its lines, its reasons, what happened',
    orderExplanationSchema,
    {
      description: 'The order key is `order:` and the merchant’s order id, percent-encoded.',
      problems: ['order-not-found'],
    },
  ),
  reading('/exceptions', 'What is wrong, by order', exceptionsSchema, {
    description: paged,
    query: exceptionsQuery,
  }),
  reading('/cases', 'Cases, oldest first', casesSchema, { description: paged, query: casesQuery }),
  reading('/cases/ageing', 'Open cases by age and by amount', ageingSchema),
  {
    method: 'get',
    path: '/reconciliation/cases/verification',
    summary: 'Whether the audit trail is as it was written',
    description:
      'Every hash is computed again; the first event that does not fit is named. With `anchor`, an end that was kept elsewhere, a trail that was replaced as a whole is found, too.',
    access: 'read',
    query: verificationQuery,
    answers: { 200: { description: 'The result.', schema: trailVerificationSchema } },
  },
  reading('/cases/:caseId', 'One case with its audit trail', caseHistorySchema, {
    description: 'The events oldest first. Where there is a `next`, there are more.',
    query: caseHistoryQuery,
    problems: ['case-not-found'],
  }),
  changing('assign', 'Give a case to somebody, or to nobody', assignRequestSchema),
  changing('note', 'Add a note to a case', noteRequestSchema),
  changing('resolve', 'Say that a case is settled, and how', reasonRequestSchema),
  changing('ignore', 'Leave a case as it is, until its content changes', reasonRequestSchema),
  changing('reopen', 'Take a resolved or ignored case up again', reasonRequestSchema),
  reading('/walk', 'Cash walk: from what was expected to what was posted', walkSchema, {
    description:
      'It reads the whole history. Also as `format=csv`, with `decimal=comma` for spreadsheets that expect commas and semicolons, and as a picture with `format=svg`.',
    query: walkQuery,
    answers: {
      200: {
        description: tagged,
        schema: walkSchema,
        others: { 'text/csv': z.string(), 'image/svg+xml': z.string() },
      },
      304: { description: 'As you have it.' },
    },
  }),
  reading('/discounts', 'Discounts (MDR) beside what was agreed', discountAuditSchema, {
    query: partQuery,
  }),
  reading('/radar', 'Where the service’s status and the arithmetic disagree', radarSchema, {
    query: partQuery,
  }),
  {
    method: 'get',
    path: '/reconciliation/exports/:table',
    summary: 'Export orders, exceptions, cases or lines',
    description:
      'Streamed. CSV (RFC 4180) has no cell that a spreadsheet takes for a formula, the order’s number first and the zone of its times last; with `decimal=comma` amounts have decimal commas, and semicolons separate the values. `bom` begins it with a byte order mark, which Excel needs. A parameter that a table does not have is refused. An answer that is cut off ends with an error of the transfer: it is not complete.',
    access: 'read',
    query: exportQuery,
    answers: {
      200: {
        description: 'CSV, or with `format=ndjson` a JSON object a line.',
        contentType: 'text/csv',
        others: { 'application/x-ndjson': z.looseObject({}) },
      },
    },
    problems: ['not-found'],
  },
  {
    method: 'post',
    path: '/reconciliation/ledger',
    summary: 'Import lines of the merchant’s ledger',
    description:
      'CSV, a JSON array, or a JSON object a line; of any size, read as it comes in. All lines or none are taken; every error is told at once, with its line. A line that is there already is recognised, so that the same file may be sent again. With `withdraw` lines that were imported by mistake are taken out, by the same file and the same parameters, whichever import put them in; what the companion did itself stays. How a file is written is said beside it: `map` (`order=Order No,amount=Total`) names its columns, `types` (`settle=Invoice,refund=Credit note,skip=Payment`) the words of its type, `type` is that of lines that name none (in both, `sign`: an amount below 0 is a refund), `units` is what amounts are counted in and must be said for CSV, `decimal` what stands before decimals, `dates` whether the day or the month comes first where the year is last, `zone` that of dates without one, `encoding` a label such as windows-1252.',
    access: 'sync',
    query: importQuery,
    body: {
      schema: z.string(),
      contentType: 'text/csv',
      others: {
        'application/json': z.array(z.looseObject({})),
        'application/x-ndjson': z.looseObject({}),
        // Whichever it is: the file says.
        'application/octet-stream': z.string(),
      },
    },
    answers: {
      200: {
        description: 'What was read; `applied` says whether it was carried out.',
        schema: ledgerImportSchema,
      },
    },
    problems: ['import-busy', 'not-found'],
  },
  {
    method: 'get',
    path: '/reconciliation/migration',
    summary: 'The same days through the report and both records operations',
    description:
      'For who moves from records to the report: what UNRECONCILED becomes, and what differs otherwise. A JSON object a line (NDJSON), orders first; the last line is the summary, and without it the answer was cut off.',
    access: 'read',
    query: migrationQuery,
    answers: {
      200: {
        description: 'Streamed.',
        schema: migrationLineSchema,
        contentType: 'application/x-ndjson',
      },
    },
    problems: [
      'service-rejected',
      'service-answer-invalid',
      'service-key-rejected',
      'service-unavailable',
      'overloaded',
      'outcome-unknown',
    ],
  },
];
