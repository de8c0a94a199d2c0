import { z } from 'zod';
import { read } from './operation.ts';
import { count, dayFlags, days, listed, noQuery, oneOf } from './query.ts';
import {
  daySumsSchema,
  fundingDaysSchema,
  quarantineSchema,
  syncsSchema,
  unprovenDaysSchema,
} from './syncs.ts';
import { dayStates } from './words.ts';
import { tables } from './tables.ts';

const flags = dayFlags('this day or later');

/** Operations on the proof of funding days. */
export const fundingOperations = {
  days: read('/days', {
    summary: 'Proofs of the days',
    description: 'Only days with state `complete` are proven. Oldest first.',
    query: z.strictObject({ ...days, state: oneOf(dayStates).optional() }),
    answer: fundingDaysSchema,
    verb: {
      name: 'fundings days',
      flags: { ...flags, state: '--state <state>  only in this state' },
    },
    table: {
      rows: 'days',
      columns: {
        day: 'day',
        state: 'word',
        reason: 'text',
        synced_at: 'moment',
        records: 'count',
        passes: 'count',
        pages: 'count',
        quarantined: 'count',
        assumed_currency: 'count',
        days_zone: ['zone', 'text'],
        hash: 'text',
      },
      shown: ['day', 'state', 'synced_at', 'records', 'quarantined', 'assumed_currency', 'reason'],
      empty: 'No such day was read.',
    },
  }),
  sums: read('/days/sums', {
    summary: 'Sums of the fundings of each day, by currency',
    query: z.strictObject(days),
    answer: daySumsSchema,
    verb: { name: 'fundings sums', flags },
    table: tables.daySums,
  }),
  unproven: read('/days/unproven', {
    summary: 'Days of the fundings that are not proven',
    query: noQuery,
    answer: unprovenDaysSchema,
    verb: { name: 'fundings unproven' },
    table: tables.unprovenDays,
  }),
  quarantine: read('/quarantine', {
    summary: 'Records of the service that cannot be stored, newest day first',
    query: z.strictObject({ ...days, limit: listed }),
    answer: quarantineSchema,
    verb: {
      name: 'fundings quarantine',
      flags: dayFlags('seen on this day or later'),
    },
    table: tables.quarantine,
  }),
} as const;

/** Operations on the syncs that read funding days. */
export const syncListOperations = {
  list: read('/syncs', {
    summary: 'Syncs, newest first',
    query: z.strictObject({
      ...days,
      /** The `next` value of the previous page. */
      after: z
        .string()
        .regex(/^[\w-]{1,64}$/, 'must be the "next" of a previous page')
        .optional(),
      limit: count(1, 1_000).default(100),
    }),
    answer: syncsSchema,
    verb: {
      name: 'fundings syncs',
      flags: dayFlags('started on this day or later'),
    },
    table: tables.syncs,
  }),
} as const;
