import { z } from 'zod';
import { exceptionCodes } from './exceptions.ts';
import { currency, currencyAssumed, minorUnits, orderKey, sumOfMany, time } from './fields.ts';
import { fundingAxis, headlines, returnsAxis } from './words.ts';

export const orderExceptionSchema = z.object({
  code: z.enum(exceptionCodes),
  /** Amount of the difference. */
  amount: minorUnits,
  /** Number of affected lines or fundings. */
  count: z.int(),
  /** Due date or posting date. */
  since: time,
});

/** The status of an order in one currency: expected amounts, lenders' postings, exceptions. */
export const orderStatusSchema = z.object({
  orderKey,
  /** Absent for fundings without an order. */
  merchantOrderId: z.string().optional(),
  currency,
  currencyAssumed,
  headline: z.enum(headlines),
  funding: z.enum(fundingAxis),
  returns: z.enum(returnsAxis),
  expected: z.object({ settle: minorUnits, refund: minorUnits }),
  funded: z.object({
    settle: minorUnits,
    refund: minorUnits,
    chargeback: minorUnits,
    reversal: minorUnits,
  }),
  /** The lenders' discount, and the net amount of their postings. */
  discount: minorUnits,
  net: minorUnits,
  /** Settled, not funded, and not yet due. */
  awaiting: minorUnits,
  exceptions: z.array(orderExceptionSchema),
  /** Explanation of the status, with next steps for its exceptions. */
  reasons: z.array(z.string()),
  /** Time at which the status may change without new data. */
  recheckAt: time.optional(),
  computedAt: time,
  changedAt: time,
});
export type OrderStatusRecord = z.infer<typeof orderStatusSchema>;

/** An order in a list. */
const listedOrderSchema = orderStatusSchema.extend({
  /**
   * The order's share of the requested total: of a cash-walk step with the step's sign, of amounts
   * due, or of fundings with one status.
   */
  share: minorUnits.optional(),
});
export type ListedOrder = z.infer<typeof listedOrderSchema>;

/** The shares of all matching orders in one currency. */
const shareSumSchema = z.object({
  currency,
  amount: sumOfMany,
  count: z.int(),
  /** Only with `claim`: the number of fundings. */
  fundings: z.int().optional(),
});
export type ShareSum = z.infer<typeof shareSumSchema>;

/** A page, which may be short or empty. `next` is the next page's cursor, absent at the end. */
export const orderStatusesSchema = z.object({
  orders: z.array(listedOrderSchema),
  /** On the first page, with `step`, `due` or `claim`. Without other filters, these equal its total. */
  shares: z.array(shareSumSchema).optional(),
  /** On the first page, if more follow: the number of all matching orders. */
  count: z.int().min(0).optional(),
  /** The requested period: days in the time zone, both inclusive, or timestamps. */
  period: z
    .object({ from: z.string().optional(), to: z.string().optional(), zone: z.string() })
    .optional(),
  next: z.string().optional(),
});

/** One event in the timeline of an order. */
export const orderMomentSchema = z.object({
  at: time,
  /** `ledger` includes authorizations of the companion; `case` is an action on the case. */
  source: z.enum(['ledger', 'funding', 'case']),
  /** Authorize, Settle, Refund, Chargeback, …, or the action on the case. */
  what: z.string(),
  amount: minorUnits.optional(),
  currency: currency.optional(),
  currencyAssumed,
  /** The service's status of a funding. */
  status: z.string().optional(),
  lender: z.string().optional(),
  /** ID of the line, the funding or the case; the merchant transaction ID of an authorization. */
  id: z.string(),
  by: z.string().optional(),
});

export const ledgerLineSchema = z.object({
  id: z.string(),
  type: z.enum(['Settle', 'Refund']),
  amount: minorUnits,
  occurredAt: time,
  transactionId: z.string().optional(),
  merchantTransactionId: z.string().optional(),
  /** `companion`, `import` or `api`. */
  source: z.string(),
});

export const fundingLineSchema = z.object({
  id: z.string(),
  status: z.string(),
  transactionType: z.string(),
  lenderName: z.string(),
  transactionAmount: minorUnits,
  discountAmount: minorUnits,
  netAmount: minorUnits,
  fundedAt: time,
  updatedAt: time,
  transactionId: z.string().optional(),
  merchantTransactionId: z.string().optional(),
  lenderReferenceId: z.string().optional(),
  productType: z.string().optional(),
  promoCode: z.string().optional(),
});
