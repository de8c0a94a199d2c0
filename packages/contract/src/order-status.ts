import { z } from 'zod';
import { exceptionCodes, fundingAxis, headlines, returnsAxis } from './words.ts';

/** Milliseconds are never sent: all times of this API are ISO 8601 in UTC. */
export const time = z.iso.datetime();
/** Integer minor units of the currency beside it; the sign says which way. */
export const minorUnits = z.int();
/** A sum over many orders; null where it is too large to be exact, or of amounts without a currency. */
export const sumOfMany = minorUnits.nullable();
/**
 * ISO 4217, or empty for fundings of an order in several currencies, of which it is not known which one is
 * theirs: those are listed, never summed, and their amounts are ten-thousandths of the major unit.
 */
export const currency = z.string();
/**
 * There and true: the currency is the default one, and nothing that was read says it. Amounts are what they
 * would be in it, and are in no sum.
 */
export const currencyAssumed = z.boolean().optional();
/** Names an order here: `order:` and the merchant's id, or `funding:` and that of one without any. */
export const orderKey = z.string();

export const orderExceptionSchema = z.object({
  code: z.enum(exceptionCodes),
  /** Size of the difference. */
  amount: minorUnits,
  /** How many lines or fundings it is about. */
  count: z.int(),
  /** When it was due, or was posted. */
  since: time,
});

/** Where an order stands in one currency: what was expected, what lenders posted, what is wrong. */
export const orderStatusSchema = z.object({
  orderKey,
  /** Absent: fundings that name no order. */
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
  /** Kept by lenders, and what is left of their postings after it. */
  discount: minorUnits,
  net: minorUnits,
  /** Settled, not funded, not due yet. */
  awaiting: minorUnits,
  exceptions: z.array(orderExceptionSchema),
  /** In words, why it stands as it does, and what to do about what is wrong. */
  reasons: z.array(z.string()),
  /** When time alone may change this. */
  recheckAt: time.optional(),
  computedAt: time,
  /** When the headline last changed. */
  changedAt: time,
});
export type OrderStatusRecord = z.infer<typeof orderStatusSchema>;

/** A page; `next` is the cursor of what follows, absent at the end. A page may be short, or empty. */
export const orderStatusesSchema = z.object({
  orders: z.array(orderStatusSchema),
  /** Where one was asked for: days of the zone, both included, or moments. */
  period: z
    .object({ from: z.string().optional(), to: z.string().optional(), zone: z.string() })
    .optional(),
  next: z.string().optional(),
});

/** One thing that happened to an order, as its timeline tells it. */
export const orderMomentSchema = z.object({
  at: time,
  /** `ledger`: what the merchant believes. `funding`: what a lender posted. `case`: what was done. */
  source: z.enum(['ledger', 'funding', 'case']),
  /** Settle, Refund, Chargeback, …; of a case, what was done to it. */
  what: z.string(),
  amount: minorUnits.optional(),
  currency: currency.optional(),
  currencyAssumed,
  /** What the service claims of a funding. */
  status: z.string().optional(),
  lender: z.string().optional(),
  /** Of the line, the funding or the case. */
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
