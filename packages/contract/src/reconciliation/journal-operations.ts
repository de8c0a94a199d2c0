import { z } from 'zod';
import { journalDetails, journalFormats } from './journal-words.ts';
import {
  chartRecordSchema,
  journalExportsSchema,
  journalPreviewSchema,
  journalTraceSchema,
} from './journals.ts';
import { read } from './operation.ts';
import { count, currencyCode, dayFlags, days, noQuery, oneOf } from './query.ts';

const limit = count(1, 10_000).default(200);
const problems = ['journal-not-found'] as const;

/** Operations that read the journals of periods. */
export const journalOperations = {
  list: read('/journals', {
    summary: 'Exported journals, newest first',
    query: z.strictObject(days),
    answer: journalExportsSchema,
    verb: {
      name: 'journals list',
      flags: dayFlags('exported from this day on'),
    },
  }),
  chart: read('/journals/chart', {
    summary: 'The chart of accounts in use',
    description: 'The file of RECONCILIATION_CHART_FILE, or the default accounts.',
    query: noQuery,
    answer: chartRecordSchema,
    verb: { name: 'journals chart' },
  }),
  file: read('/journals/:export/file', {
    summary: 'The files of an export',
    description:
      'A ZIP file, byte for byte as it was exported; `journal.json` in it says how it was made.',
    query: noQuery,
    file: ['application/zip'],
    problems,
  }),
  orders: read('/journals/:export/orders', {
    summary: 'The orders behind an entry or an account of an export',
    description: 'Those with the most money first; `totals` are those of all orders.',
    query: z.strictObject({
      entry: count(1, 1_000_000_000).optional(),
      account: z.string().min(1).max(32).optional(),
      currency: currencyCode.optional(),
      limit,
    }),
    answer: journalTraceSchema,
    problems,
    verb: {
      name: 'journals orders',
      flags: {
        entry: '--entry <number>  number of the entry, such as 17 of FC3-17',
        account: '--account <number>  number of the account',
      },
    },
  }),
  preview: read('/periods/:period/journal', {
    summary: 'The journal of a period as an export would write it',
    description:
      'Totals by account, what the target would refuse, and the first entries. The journal of the open period is a draft. After an export in the same `detail`, only what is new since.',
    query: z.strictObject({
      format: oneOf(journalFormats),
      detail: oneOf(journalDetails).default('summary'),
      limit,
    }),
    answer: journalPreviewSchema,
    problems: ['period-not-found', 'period-not-permitted'],
  }),
} as const;
