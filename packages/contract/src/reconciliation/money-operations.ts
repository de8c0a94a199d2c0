import { z } from 'zod';
import { read } from './operation.ts';
import { count, part, partFlags } from './query.ts';
import { discountAuditSchema, radarSchema, walkMonthsSchema } from './reconciliation.ts';
import { tables } from './tables.ts';

const { currency, lender } = part;
const description = 'Of the fundings posted in the period, by their own moment.';
const ofLender = { currency: 'text', lender: 'text' } as const;

/** Operations on sums over many orders. */
export const moneyOperations = {
  months: read('/walk/months', {
    summary: 'What moved in each month, by currency',
    description:
      'The amounts of the cash walk of each month that are sums of what moved in it. Months in which nothing moved have no row.',
    query: z.strictObject({
      currency,
      lender,
      /** Last month, such as 2026-11. Default: the current month. */
      until: z
        .string()
        .regex(/^[12]\d{3}-(?:0[1-9]|1[0-2])$/, 'must be a month, such as 2026-01')
        .optional(),
      /** Number of months. Default: 13, a year and the month before it. */
      months: count(1, 60).optional(),
    }),
    answer: walkMonthsSchema,
    verb: {
      name: 'months',
      flags: {
        until: '--until <month>  last month, such as 2026-11; default the current month',
        months: '--months <count>  number of months; default 13',
      },
    },
    table: {
      rows: 'months',
      columns: {
        currency: 'text',
        month: 'word',
        settled: ['expected', 'amount'],
        over: 'amount',
        refunds: 'amount',
        chargebacks: 'amount',
        reversals: 'amount',
        duplicates: 'amount',
        other: 'amount',
        discount: 'amount',
        net: 'amount',
        zone: 'text',
      },
      shown: ['month', 'settled', 'refunds', 'chargebacks', 'reversals', 'discount', 'net'],
      empty: 'Nothing has moved.',
    },
  }),
  discounts: read('/discounts', {
    summary: 'Discounts (MDR) compared with the contracts',
    description,
    query: z.strictObject(part),
    answer: discountAuditSchema,
    verb: { name: 'discounts', flags: partFlags },
    table: {
      rows: 'rows',
      columns: {
        ...ofLender,
        product_type: 'text',
        promo_code: 'text',
        agreed_from: 'moment',
        agreed_percent: ['agreedBasisPoints', 'percent'],
        agreed_per_settle: 'amount',
        effective_percent: ['effectiveBasisPoints', 'percent'],
        settles: ['settles.count', 'count'],
        settled: ['settles.amount', 'amount'],
        discount: ['settles.discount', 'amount'],
        variance: ['settles.variance', 'amount'],
        refunds: ['refunds.count', 'count'],
        refunded: ['refunds.amount', 'amount'],
        returned: ['refunds.returned', 'amount'],
        not_returned: ['refunds.variance', 'amount'],
      },
      shown: [
        'lender',
        'product_type',
        'promo_code',
        'agreed_from',
        'agreed_percent',
        'effective_percent',
        'settled',
        'discount',
        'variance',
        'refunded',
        'returned',
        'not_returned',
      ],
      empty: 'No matching fundings.',
    },
  }),
  radar: read('/radar', {
    summary: 'Where the service’s status and the arithmetic disagree',
    description,
    query: z.strictObject(part),
    answer: radarSchema,
    verb: { name: 'radar', flags: partFlags },
    table: tables.radar,
  }),
} as const;
