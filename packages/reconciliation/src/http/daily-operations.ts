import {
  forecastSchema,
  importsSchema,
  lagsSchema,
  ledgerPreviewSchema,
  searchSchema,
  todaySchema,
  withdrawalRequestSchema,
  withdrawalSchema,
} from '@financing-checkout/contract';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { MAX_WORKBOOK } from '../imports/workbook-limits.ts';
import { importsQuery, lagsQuery, searchQuery } from './daily-queries.ts';
import { ofChange, ofQuestion, type Operation } from './operation.ts';
import { importQuery } from './queries.ts';
import { importTypes, PREVIEW_BYTES } from './routes/imports.ts';

/** Operations for daily work. */
export const dailyOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/today',
    summary: 'The work that needs a person, largest amounts first',
    description:
      'Open cases, holds that end within five days or have ended, unclear operations and dead messages of the companion, dead alerts, unproven days, and records in quarantine. `unavailable` names a server that did not answer.',
    ...ofQuestion,
    answer: { schema: todaySchema },
  },
  {
    method: 'get',
    path: '/search',
    summary: 'The orders of an ID',
    description:
      'Order id, charge id, transaction id or merchant transaction id, exact or by its beginning; application id, exact.',
    ...ofQuestion,
    query: searchQuery,
    answer: { schema: searchSchema },
  },
  {
    method: 'get',
    path: '/lags',
    summary: 'Time from the settle to the funding, by lender',
    ...ofQuestion,
    query: lagsQuery,
    answer: { schema: lagsSchema },
  },
  {
    method: 'get',
    path: '/forecast',
    summary: 'Amounts that lenders should post in the next 14 days',
    ...ofQuestion,
    answer: { schema: forecastSchema },
  },
  {
    method: 'post',
    path: '/ledger/preview',
    summary: 'The beginning of a ledger file, to assign its columns',
    description:
      'Takes at most 262,144 bytes and the parameters of `POST /ledger`. Proposes a preset, and returns the columns, the first rows as they are written, and the column of each field. Stores nothing.',
    scope: 'imports',
    priorities: [],
    budgets: ['previews'],
    maxBodyBytes: PREVIEW_BYTES,
    query: importQuery,
    body: { contentTypes: importTypes },
    answer: { schema: ledgerPreviewSchema },
    problems: ['media-type-unsupported', 'request-too-large'],
  },
  {
    method: 'post',
    path: '/ledger/preview/workbook',
    summary: 'The beginning of a sheet of an .xlsx, to assign its columns',
    description:
      'Takes the whole workbook, at most 32 MiB, and the parameters of `POST /ledger`. `sheets` are the visible ones with content; with several and no `sheet`, the answer has no columns. Stores nothing.',
    scope: 'imports',
    priorities: [],
    budgets: ['uploads', 'previews'],
    maxBodyBytes: MAX_WORKBOOK,
    query: importQuery,
    body: { contentTypes: [WORKBOOK_TYPE] },
    answer: { schema: ledgerPreviewSchema },
    problems: [
      'media-type-unsupported',
      'overloaded',
      'rate-limited',
      'request-too-large',
      'storage-full',
    ],
  },
  {
    method: 'get',
    path: '/imports',
    summary: 'Imports and withdrawals of ledger lines, newest first',
    ...ofQuestion,
    query: importsQuery,
    answer: { schema: importsSchema },
  },
  {
    method: 'post',
    path: '/imports/:id/withdrawal',
    summary: 'Withdraw the lines of an import',
    description:
      'Removes the lines that the import added, without its file. Lines that the companion states stay. A repeated request returns the same result.',
    ...ofChange,
    scope: 'imports',
    headers: { 'Idempotency-Key': '1 to 255 printable ASCII characters, new for each request.' },
    body: { contentTypes: ['application/json'], schema: withdrawalRequestSchema },
    answer: { schema: withdrawalSchema },
    problems: ['idempotency-key-missing', 'import-busy', 'not-found', 'standby'],
  },
];
