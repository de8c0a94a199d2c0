import { z } from 'zod';
import { orderChargesSchema, orderOperationsSchema } from '../back-office/charges.ts';
import { recordedCurrencySchema } from '../storefront/money-schema.ts';
import { exceptionFilters, orderFilters } from './filters.ts';
import { read } from './operation.ts';
import { orderStatusesSchema } from './order-status.ts';
import { cursor, listed, name, noQuery, oneOf, parametersOf, yesNo } from './query.ts';
import {
  exceptionsSchema,
  orderDiscountsSchema,
  orderTimelineSchema,
  reconciliationSummarySchema,
  type WalkAmount,
  walkAmounts,
} from './reconciliation.ts';

const order = { order: ['merchantOrderId', 'text'], order_key: 'text', currency: 'text' } as const;
/** Currency for charges whose currency no source states. Default: the companion's default currency. */
const charged = z.strictObject({ currency: recordedCurrencySchema.optional() });
const flags = {
  currency: '--currency <code>  currency (ISO 4217): of charges whose currency no source states',
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
const lenderUnknown = yesNo.optional();

/** Selects orders by their share of a total. */
export const shareFilters = {
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

/** Problems of operations that let the companion call the service. */
export const serviceProblems = [
  'companion-unavailable',
  'service-rejected',
  'service-answer-invalid',
  'service-key-rejected',
  'service-unavailable',
  'outcome-unknown',
] as const;

const paged = 'Paged by cursor: new orders neither repeat nor hide others.';

/** Lists of all orders. */
export const ordersOperations = {
  summary: read('/summary', {
    summary: 'Exceptions, and their reliability',
    query: z.strictObject(parametersOf(exceptionFilters)),
    answer: reconciliationSummarySchema,
  }),
  list: read('/orders', {
    summary: 'Orders with their statuses',
    description: paged,
    query: z.strictObject({
      ...parametersOf(orderFilters),
      ...shareFilters,
      /** Repeatable up to 100 times. */
      merchantOrderId: z
        .union([name.transform((id) => [id]), z.array(name).min(1).max(100)])
        .optional(),
      after: cursor,
      limit: listed,
    }),
    answer: orderStatusesSchema,
  }),
  exceptions: read('/exceptions', {
    summary: 'Exceptions by order',
    description: paged,
    query: z.strictObject({ ...parametersOf(exceptionFilters), after: cursor, limit: listed }),
    answer: exceptionsSchema,
  }),
} as const;

/** Lists of one order. */
export const orderListOperations = {
  timeline: read('/orders/:orderKey/timeline', {
    summary: 'What happened to one order, oldest first',
    query: noQuery,
    answer: orderTimelineSchema,
    problems: ['order-not-found'],
    verb: { name: 'order timeline' },
    table: {
      rows: 'timeline',
      columns: {
        ...order,
        at: 'moment',
        source: 'word',
        event: ['what', 'text'],
        amount: 'amount',
        lender: 'text',
        status: 'text',
        by: 'text',
        id: 'text',
        currency_assumed: 'yesNo',
      },
      shown: ['at', 'source', 'event', 'amount', 'lender', 'status', 'by', 'id'],
      empty: 'Nothing has happened.',
    },
  }),
  discounts: read('/orders/:orderKey/discounts', {
    summary: 'Discounts (MDR) of one order, compared with the contracts',
    query: noQuery,
    answer: orderDiscountsSchema,
    problems: ['order-not-found'],
    verb: { name: 'order discounts' },
    table: {
      rows: 'discounts',
      columns: {
        ...order,
        lender: 'text',
        kind: 'word',
        product_type: 'text',
        promo_code: 'text',
        amount: 'amount',
        agreed_percent: ['agreedBasisPoints', 'percent'],
        agreed_per_settle: 'amount',
        agreed: 'amount',
        discount: 'amount',
        variance: 'amount',
        currency_assumed: 'yesNo',
      },
      shown: ['lender', 'kind', 'amount', 'agreed_percent', 'agreed', 'discount', 'variance'],
      empty: 'No contract covers the order.',
    },
  }),
} as const;

/** Operations on the charges of one order, which the companion reads from the service. */
export const orderChargeOperations = {
  list: read('/orders/:orderKey/charges', {
    summary: 'The charges of an order, as the service states them now',
    description:
      'The service states no currency. A charge whose order the companion does not know is read in the currency of the order’s ledger lines; if they have none, or several, it has `currencyAssumed` and is read in the `currency` of the request.',
    query: charged,
    answer: orderChargesSchema,
    problems: ['order-not-found', ...serviceProblems],
    verb: { name: 'order charges', flags },
    table: {
      rows: 'charges',
      columns: {
        ...order,
        currency: ['authorized.currency', 'text'],
        charge: ['id', 'text'],
        state: 'word',
        authorized: ['authorized.value', 'amount'],
        settled: ['settled.value', 'amount'],
        refunded: ['refunded.value', 'amount'],
        left_to_settle: ['left.toSettle.value', 'amount'],
        left_to_refund: ['left.toRefund.value', 'amount'],
        currency_assumed: 'yesNo',
      },
      shown: ['charge', 'state', 'authorized', 'settled', 'refunded', 'left_to_settle'],
      empty: 'The order has no charge.',
    },
  }),
  operations: read('/orders/:orderKey/operations', {
    summary: 'The operations on the charges of an order',
    query: charged,
    answer: orderOperationsSchema,
    problems: ['order-not-found', ...serviceProblems],
    verb: { name: 'order operations', flags },
    table: {
      rows: 'operations',
      columns: {
        ...order,
        charge: ['chargeId', 'text'],
        operation: ['id', 'text'],
        kind: 'word',
        state: 'word',
        amount: ['amount.value', 'amount'],
        created_at: 'moment',
        actor: 'text',
        reason: 'text',
        resolved_by: ['resolution.by', 'text'],
        note: ['resolution.note', 'text'],
        transaction_id: 'text',
        merchant_transaction_id: 'text',
        lender_reference_id: 'text',
      },
      shown: ['operation', 'kind', 'state', 'amount', 'created_at', 'actor', 'reason'],
      empty: 'Nothing was done with a charge of the order.',
    },
  }),
} as const;
