import { z } from 'zod';
import { caseStates } from './case-verbs.ts';
import { caseSchema } from './cases.ts';
import {
  currency,
  currencyAssumed,
  leftOut,
  minorUnits,
  notSearched,
  ofPeriod,
  orderKey,
  reliability,
  sumOfMany,
  time,
} from './fields.ts';
import {
  fundingLineSchema,
  ledgerLineSchema,
  orderExceptionSchema,
  orderMomentSchema,
  orderStatusSchema,
} from './order-status.ts';
import { exceptionCodes } from './exceptions.ts';

const orderDiscountSchema = z.object({
  kind: z.enum(['settle', 'refund']),
  lender: z.string(),
  productType: z.string().optional(),
  promoCode: z.string().optional(),
  amount: minorUnits,
  agreedBasisPoints: z.number(),
  /** Agreed fixed amount per settle. Absent if there is none. */
  agreedPerSettle: minorUnits.optional(),
  /** Start of the contract. Absent if it applies to all orders. */
  agreedFrom: time.optional(),
  /** The contract's share of the amount, including the fixed amount. */
  agreed: minorUnits,
  discount: minorUnits,
  /** Amount kept in excess of the contract; 0 if rounding explains the difference. */
  variance: minorUnits,
});

/** All details of one order, in each of its currencies. */
export const orderExplanationSchema = z.object({
  orderKey,
  merchantOrderId: z.string().optional(),
  currencies: z.array(
    z.object({
      status: orderStatusSchema.optional(),
      currency,
      currencyAssumed,
      /** Explanation of the status. */
      reasons: z.array(z.string()),
      ledger: z.array(ledgerLineSchema),
      fundings: z.array(fundingLineSchema),
      /** Discounts kept on settles and returned with refunds, if a contract defines them. */
      discounts: z.array(orderDiscountSchema),
      /** Orders with the opposite open amount, for manual review; nearest first. */
      suggestions: z.array(
        z.object({
          orderKey,
          merchantOrderId: z.string().optional(),
          /** Expected minus funded: negative for unexpected money. */
          open: minorUnits,
          /**
           * Days from this order to the suggested one; negative if the suggested one is earlier.
           */
          daysApart: z.int(),
        }),
      ),
    }),
  ),
  cases: z.array(caseSchema),
  /** Oldest first. */
  timeline: z.array(orderMomentSchema),
  /** True while the figures do not include all known lines of the order yet. */
  updating: z.boolean().optional(),
  notSearched,
});
export type OrderExplanation = z.infer<typeof orderExplanationSchema>;

export const orderTimelineSchema = orderExplanationSchema.pick({
  orderKey: true,
  merchantOrderId: true,
  timeline: true,
});
export const orderDiscountsSchema = orderExplanationSchema
  .pick({ orderKey: true, merchantOrderId: true })
  .extend({ discounts: z.array(orderDiscountSchema.extend({ currency, currencyAssumed })) });

export const listedExceptionSchema = orderExceptionSchema.extend({
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  currencyAssumed,
  case: z.object({ id: z.string(), state: z.enum(caseStates) }).optional(),
});
export const exceptionsSchema = z.object({
  exceptions: z.array(listedExceptionSchema),
  next: z.string().optional(),
});

/** The result of reconciliation, and its reliability. */
export const reconciliationSummarySchema = z.object({
  asOf: time,
  /**
   * False while a day is not proven to be completely read: until then nothing counts as missing.
   */
  complete: z.boolean(),
  /** Unproven days of the service's report. */
  unprovenDays: z.int().min(0),
  /**
   * Number of records that could not be stored. No sum includes them, and nothing of their orders
   * counts as missing.
   */
  quarantined: z.int().min(0),
  exceptions: z.array(
    z.object({
      code: z.enum(exceptionCodes),
      currency,
      /** Number of exceptions with an open case, and of all exceptions. */
      open: z.int(),
      count: z.int(),
      /** Number of exceptions in `count` with an ignored case, and with an assumed currency. */
      ignored: z.int().min(0),
      assumed: z.int().min(0),
      /** Money at stake: the sum of the open exceptions without an assumed currency. */
      amount: sumOfMany,
    }),
  ),
});
export type ReconciliationSummary = z.infer<typeof reconciliationSummarySchema>;

/**
 * The steps from the expected to the posted amount of a period, in one currency, each with its
 * sign. The sum of all steps except `net` and `unexplained` should equal `net`.
 */
export const walkStatementSchema = z.object({
  currency,
  /** Expected before the period, and neither paid, late nor accepted at its start. */
  opening: minorUnits,
  expected: minorUnits,
  /** Open: in transit at the end of the period. */
  awaiting: minorUnits,
  /** Missing, overdue or posted wrongly, with an exception that is not accepted. */
  short: minorUnits,
  /** Differences whose cases are ignored with a reason, or that the policy tolerates. */
  accepted: minorUnits,
  over: minorUnits,
  refunds: minorUnits,
  chargebacks: minorUnits,
  reversals: minorUnits,
  duplicates: minorUnits,
  /** Postings without a ledger line, or with a wrong type. */
  other: minorUnits,
  discount: minorUnits,
  /** Net total of all lenders' postings: the expected amount in the bank account. */
  net: minorUnits,
  /** The remaining difference, without accepted amounts. */
  unexplained: minorUnits,
});
export type WalkStatement = z.infer<typeof walkStatementSchema>;
/** The steps of a cash walk, which are also the values of the parameter `step` of `GET /orders`. */
export const walkAmounts = walkStatementSchema.omit({ currency: true }).keyof().options;
export type WalkAmount = (typeof walkAmounts)[number];

export const walkSchema = z.object({
  ...reliability,
  /** Absent for a sealed period: see `leftOut` of the book. */
  quarantined: reliability.quarantined.optional(),
  lender: z.string().optional(),
  ...ofPeriod,
  statements: z.array(walkStatementSchema),
  ...z.object(leftOut).partial().shape,
  /** The requested accounting period. If absent, the amounts are current. */
  book: z
    .object({
      period: z.string(),
      isSealed: z.boolean(),
      /** SHA-256 of the seal. */
      seal: z.string().optional(),
      /**
       * Number of orders in closed periods with an adjustment in this period, over all lenders and
       * currencies.
       */
      adjustments: z.int().min(0),
      /**
       * Number of fundings, quarantined ones included, that were in no sum when the period was sealed,
       * over all lenders and currencies.
       */
      leftOut: z.int().min(0).optional(),
    })
    .optional(),
});
export type Walk = z.infer<typeof walkSchema>;

/** The cash-walk amounts that sum movements within the period. */
const movedSchema = walkStatementSchema.omit({
  opening: true,
  awaiting: true,
  short: true,
  accepted: true,
  unexplained: true,
});
export const movedAmounts = movedSchema.omit({ currency: true }).keyof().options;
export type MovedAmount = (typeof movedAmounts)[number];

/** A month: 2026-01. */
const month = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/);
/** The amounts of cash walks of consecutive months, by currency. */
export const walkMonthsSchema = z.object({
  ...reliability,
  lender: z.string().optional(),
  /** First and last month. */
  from: month,
  to: month,
  zone: z.string(),
  /** By month and currency. Months without movements are omitted. */
  months: z.array(movedSchema.extend({ month })),
  ...leftOut,
});
export type WalkMonths = z.infer<typeof walkMonthsSchema>;

/**
 * Discounts (MDR) of the fundings posted in a period, by currency, lender, product and promotion,
 * compared with the contractual discounts.
 */
export const discountAuditSchema = z.object({
  ...reliability,
  ...leftOut,
  ...ofPeriod,
  rows: z.array(
    z.object({
      currency,
      lender: z.string(),
      productType: z.string().optional(),
      promoCode: z.string().optional(),
      /** Contract rate. Absent without a contract: the discount is not checked. */
      agreedBasisPoints: z.number().optional(),
      /** Agreed fixed amount per settle. Absent if there is none. */
      agreedPerSettle: minorUnits.optional(),
      /** Start of the contract. Orders settled earlier are in another row. */
      agreedFrom: time.optional(),
      /** Discount actually kept, relative to the settled amount. */
      effectiveBasisPoints: z.number().optional(),
      settles: z.object({
        count: z.int(),
        amount: minorUnits,
        discount: minorUnits,
        /** Discount kept in excess of the contract. */
        variance: minorUnits,
      }),
      refunds: z.object({
        count: z.int(),
        amount: minorUnits,
        /** Returned discount. */
        returned: minorUnits,
        /** Discount not returned although the contract requires it. */
        variance: minorUnits,
        /** Unreturned part of the contract's share, whether or not its return is required. */
        kept: minorUnits,
      }),
    }),
  ),
});
export type DiscountAuditRecord = z.infer<typeof discountAuditSchema>;

const claimCount = z.object({ count: z.int(), amount: minorUnits });
/** The service's statuses for a period's fundings, and how often reconciliation disagrees. */
export const radarSchema = z.object({
  ...reliability,
  ...leftOut,
  ...ofPeriod,
  rows: z.array(
    z.object({
      currency,
      lender: z.string(),
      status: z.string(),
      all: claimCount,
      /** False statuses: RECONCILED for a wrong funding, or a mismatch for a correct one. */
      wrong: claimCount,
      /** `wrong` as a share of `all`. */
      wrongBasisPoints: z.number(),
    }),
  ),
});
export type RadarRecord = z.infer<typeof radarSchema>;
