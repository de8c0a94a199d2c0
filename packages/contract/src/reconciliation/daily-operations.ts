import { z } from 'zod';
import { forecastSchema, lagsSchema } from './forecast.ts';
import { change, keyHeader, read } from './operation.ts';
import { count, oneOf, part, partFlags } from './query.ts';
import {
  acknowledgementRequestSchema,
  acknowledgementSchema,
  todayKinds,
  todaySchema,
} from './today.ts';
import { tables } from './tables.ts';

const order = { order: ['merchantOrderId', 'text'], order_key: 'text' } as const;

/** Operations on work that needs a person today, and on expected postings. */
export const dailyOperations = {
  today: read('/today', {
    summary: 'The work that needs a person, largest amounts first',
    description:
      'Alarms, open cases, holds that end within five days or have ended, unclear operations and dead messages of the companion, dead alerts, unproven days, records in quarantine, approvals that wait for a second person, and the question whether fundings from before the ledger of their lender are missing from it. `unavailable` names a server that did not answer.',
    query: z.strictObject({
      kind: oneOf(todayKinds).optional(),
      /** Number of items beyond the places reserved for each kind. Default: 200. */
      limit: count(1, 1_000).optional(),
    }),
    answer: todaySchema,
    verb: { name: 'today', flags: { kind: '--kind <kind>  only work of this kind' } },
    table: {
      rows: 'items',
      columns: {
        ...order,
        currency: 'text',
        kind: 'word',
        id: 'text',
        code: 'text',
        count: 'count',
        amount: 'amount',
        lender: 'text',
        since: 'moment',
        ends_at: 'moment',
        assignee: 'text',
        day: 'day',
        reason: 'text',
        currency_assumed: 'yesNo',
        actor: 'text',
      },
      shown: ['kind', 'order|id', 'code', 'amount', 'lender', 'since', 'assignee', 'reason'],
      empty: 'Nothing needs a person.',
    },
  }),
  acknowledgement: change('cases', '/alarms/:alarm/acknowledgement', {
    summary: 'Acknowledge an alarm, with what was done about it',
    description:
      'Removes an item `alarm` from today. The trail has the alarm and the acknowledgement. The same finding raises no second alarm, and another one does.',
    headers: keyHeader,
    body: acknowledgementRequestSchema,
    answer: acknowledgementSchema,
    problems: ['idempotency-key-missing', 'idempotency-key-reused', 'not-found'],
    verb: { name: 'trail acknowledge', args: ['reason'] },
  }),
  lags: read('/lags', {
    summary: 'Time from the settle to the funding, by lender',
    query: z.strictObject(part).omit({ lender: true }),
    answer: lagsSchema,
    verb: { name: 'lags', flags: partFlags },
    table: tables.lags,
  }),
  forecast: read('/forecast', {
    summary: 'Amounts that lenders should post in the next 14 days',
    query: z.strictObject({ currency: part.currency }),
    answer: forecastSchema,
    verb: { name: 'forecast' },
    table: {
      rows: 'lenders',
      columns: {
        currency: 'text',
        due: 'word',
        day: 'day',
        lender: 'text',
        settles: ['count', 'count'],
        amount: 'amount',
      },
      shown: ['due', 'day', 'lender', 'settles', 'amount'],
      empty: 'No lender should post anything.',
    },
  }),
} as const;
