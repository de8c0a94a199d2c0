import { z } from 'zod';
import { change, read, type Table } from './operation.ts';
import {
  acceptanceRequestSchema,
  adjustmentsSchema,
  closeRequestSchema,
  periodDetailSchema,
  periodOrdersSchema,
  periodsSchema,
  prepareRequestSchema,
  reopeningRequestSchema,
  requestWithdrawalSchema,
  sealVerificationSchema,
} from './periods.ts';
import { count, currencyCode, dayFlags, days, name, noQuery, oneOf } from './query.ts';
import { type WalkAmount, walkAmounts } from './reconciliation.ts';
import { ofOrder, sealed, tables } from './tables.ts';

/** Position after the last row read, and number of rows to read. */
const page = {
  after: count(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: count(1, 50_000).optional(),
};

const changed: Table = {
  rows: 'adjustments',
  columns: {
    ...sealed,
    belongs_to: 'text',
    ...ofOrder,
    reason: 'word',
    in_transit: 'amount',
    ...Object.fromEntries(
      walkAmounts
        .filter((step) => step !== 'opening' && step !== 'awaiting')
        .map((step) => [step, [`amounts.${step}`, 'amount']] as const),
    ),
  },
  shown: [
    ...['belongs_to', 'order|order_key', 'lender', 'expected', 'in_transit', 'net', 'reason'],
  ],
  empty: 'No closed period has changed.',
};

const problems = [
  'period-not-found',
  'period-not-permitted',
  'period-not-ready',
  'period-changed',
  'second-person-required',
  'sync-busy',
  'standby',
] as const;
const ofPeriod = { answer: periodDetailSchema, problems };
const seen =
  '--seen <digest>  digest of the statements in "periods show", which you have looked at';

export const periodOperations = {
  list: read('/periods', {
    summary: 'Periods of the books, newest first',
    description:
      'Calendar months, or the periods of the policy file. `open` is closed next, and `closing` is the step of a running close.',
    query: z.strictObject(days),
    answer: periodsSchema,
    verb: {
      name: 'periods list',
      flags: dayFlags(
        'periods that end on this day or later',
        'periods that begin on this day or earlier',
      ),
    },
  }),
  verification: read('/periods/verification', {
    summary: 'Compute all seals again from what the record store has',
    description:
      'Recomputes the SHA-256 of each seal, of its amounts by order, and of the contents of all days and imports that it covers, and compares it with the trail.',
    query: noQuery,
    answer: sealVerificationSchema,
    verb: { name: 'periods verify' },
  }),
  read: read('/periods/:period', {
    summary: 'Statements of a period, and what its close still needs',
    description:
      'A closed period has the statements and the checklist that were sealed, whatever has arrived since: `sinceSeal` has what is different now. `review` is what a close would take over beside the statements: open cases by exception, fundings in no sum, balances by account beside those of the period closed last, and what came since the preparation.',
    query: noQuery,
    answer: periodDetailSchema,
    problems: ['period-not-found'],
    verb: { name: 'periods show' },
  }),
  adjustments: read('/periods/:period/adjustments', {
    summary: 'Changes to closed periods that count in this one',
    query: z.strictObject(page),
    answer: adjustmentsSchema,
    problems: ['period-not-found'],
    verb: { name: 'periods adjustments' },
    table: changed,
  }),
  orders: read('/periods/:period/orders', {
    summary: 'The orders that make up an amount of a period, as sealed or of now',
    description:
      'The largest amounts first. `sums` is the amount in the statement of each currency: as sealed, or as it would be sealed now.',
    query: z.strictObject({
      step: oneOf(walkAmounts as [WalkAmount, ...WalkAmount[]]),
      currency: currencyCode.optional(),
      lender: name.optional(),
      ...page,
    }),
    answer: periodOrdersSchema,
    problems: ['period-not-found'],
    verb: {
      name: 'periods orders',
      flags: { step: '--step <step>  amount of the walk, such as discount' },
    },
    table: tables.periodOrders,
  }),
  seal: read('/periods/:period/seal', {
    summary: 'The seal of a closed period, to keep elsewhere',
    description:
      'The body is the JSON that was hashed, byte for byte: SHA-256 of the previous hash, a line feed and the body gives the hash in the header `Financing-Seal`. With `part=flows` the amounts by order, in Parquet.',
    query: z.strictObject({
      part: oneOf(['statements', 'flows']).default('statements'),
      seq: count(1, 1_000_000).optional(),
    }),
    answer: z.looseObject({}),
    file: ['application/json', 'application/vnd.apache.parquet'],
    problems: ['period-not-found'],
  }),
  acceptance: change('periods', '/periods/:period/acceptance', {
    ...ofPeriod,
    summary: 'Accept what a check of the close found, with a reason',
    description:
      'Applies to exactly the records whose `digest` the checklist states: with another one it lapses.',
    body: acceptanceRequestSchema,
  }),
  preparation: change('periods', '/periods/:period/preparation', {
    ...ofPeriod,
    summary: 'Prepare the close of a period for approval',
    description:
      'The statements of this moment are prepared, which are those of `statements` if it is given. The preparation lapses if they change, and after seven days.',
    body: prepareRequestSchema,
    verb: { name: 'periods prepare', flags: { statements: seen } },
  }),
  close: change('periods', '/periods/:period/close', {
    ...ofPeriod,
    summary: 'Approve and close a prepared period',
    description:
      'With an OpenID provider, or where two tokens have the scope `periods`, the person who prepared the period cannot approve it. Judges all orders by all facts first, and responds when the period is sealed.',
    body: closeRequestSchema,
    verb: {
      name: 'periods close',
      flags: {
        statements: seen,
        decided:
          '--decided <number>  last decision in "periods show", whose acceptances you have looked at',
      },
      waits: 'Judging all orders and sealing the period …',
    },
  }),
  reopening: change('periods', '/periods/:period/reopening', {
    ...ofPeriod,
    summary: 'Reopen the last closed period; the second person gives no reason',
    description:
      'With an OpenID provider, or where two tokens have the scope `periods`, the first request records the reason, and takes effect when another person approves it without a reason, within seven days. The seal stays readable.',
    body: reopeningRequestSchema,
    verb: {
      name: 'periods reopen',
      args: ['reason'],
      flags: { request: '--request <number>  the request of another person that you approve' },
    },
  }),
  withdrawal: change('periods', '/periods/:period/withdrawal', {
    ...ofPeriod,
    summary: 'Withdraw a request for a second person',
    description: 'A preparation, or a request to reopen, by the person who made it or another one.',
    body: requestWithdrawalSchema,
    verb: {
      name: 'periods withdraw',
      args: ['of'],
      flags: { of: '<request>  what was requested' },
    },
  }),
} as const;
