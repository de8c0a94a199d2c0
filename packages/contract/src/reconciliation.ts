import { z } from 'zod';
import { caseSchema, caseStates } from './cases.ts';
import {
  currency,
  currencyAssumed,
  fundingLineSchema,
  ledgerLineSchema,
  minorUnits,
  orderExceptionSchema,
  orderKey,
  orderMomentSchema,
  orderStatusSchema,
  sumOfMany,
  time,
} from './order-status.ts';
import { exceptionCodes } from './words.ts';

/** Everything there is about one order, in each of its currencies. */
export const orderExplanationSchema = z.object({
  orderKey,
  merchantOrderId: z.string().optional(),
  currencies: z.array(
    z.object({
      status: orderStatusSchema.optional(),
      currency,
      currencyAssumed,
      /** In words, why it stands as it does. */
      reasons: z.array(z.string()),
      ledger: z.array(ledgerLineSchema),
      fundings: z.array(fundingLineSchema),
      /** What lenders kept of settles and gave back with refunds, where a contract says how much. */
      discounts: z.array(
        z.object({
          kind: z.enum(['settle', 'refund']),
          lender: z.string(),
          productType: z.string().optional(),
          promoCode: z.string().optional(),
          amount: minorUnits,
          agreedBasisPoints: z.number(),
          /** Agreed besides, of the settle as a whole. Absent: nothing. */
          agreedPerSettle: minorUnits.optional(),
          /** When that contract began. Absent: it holds for all orders. */
          agreedFrom: time.optional(),
          /** The contract's share of the amount, with what is agreed besides. */
          agreed: minorUnits,
          discount: minorUnits,
          /** Kept beyond the contract; 0 where rounding explains the difference. */
          variance: minorUnits,
        }),
      ),
      /** Orders of which as much is open the other way, for a person to look at; nearest first. */
      suggestions: z.array(
        z.object({
          orderKey,
          merchantOrderId: z.string().optional(),
          /** Expected less funded: negative where money came that nobody expects. */
          open: minorUnits,
          /** From this one to that one; negative: that one was before. */
          daysApart: z.int(),
        }),
      ),
    }),
  ),
  cases: z.array(caseSchema),
  /** Oldest first. */
  timeline: z.array(orderMomentSchema),
});
export type OrderExplanation = z.infer<typeof orderExplanationSchema>;

/** An exception with its order and its case. */
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

/** What reconciliation comes to, and how far it can be relied on. */
export const reconciliationSummarySchema = z.object({
  asOf: time,
  /** False while a day is not proved to be read to the end: then nothing is called missing. */
  complete: z.boolean(),
  /** Days of the service's report that are not proved. */
  unprovenDays: z.int().min(0),
  /** Records that could not be held: they are in no sum, and nothing of their orders is called missing. */
  quarantined: z.int().min(0),
  exceptions: z.array(
    z.object({
      code: z.enum(exceptionCodes),
      currency,
      /** Exceptions whose case is open, and all of them. */
      open: z.int(),
      count: z.int(),
      /** Those of `count` whose case is ignored, and those whose currency is assumed. */
      ignored: z.int().min(0),
      assumed: z.int().min(0),
      /** Of all others, without signs. */
      amount: sumOfMany,
    }),
  ),
});
export type ReconciliationSummary = z.infer<typeof reconciliationSummarySchema>;

/** How far an answer can be relied on. */
const reliability = {
  asOf: time,
  /** False while a day is not proved to be read to the end. */
  complete: z.boolean(),
  unprovenDays: z.int().min(0),
  /** Records that could not be held: they are in no sum. */
  quarantined: z.int().min(0),
};

/** Fundings in no sum. */
const leftOut = {
  /** Of orders in several currencies, and it is not known which one is theirs. */
  withoutCurrency: z.int().min(0),
  /** In the default currency, which nothing that was read says. */
  assumedCurrency: z.int().min(0),
};

/**
 * From what was expected to what was posted in a period, in one currency, each step signed as it
 * counts: the sum of all but `net` and `unexplained` is what `net` should be.
 */
export const walkStatementSchema = z.object({
  currency,
  /** Expected before the period, and neither paid nor given up by then. */
  opening: minorUnits,
  expected: minorUnits,
  /** In transit at the end of the period. */
  awaiting: minorUnits,
  short: minorUnits,
  over: minorUnits,
  refunds: minorUnits,
  chargebacks: minorUnits,
  reversals: minorUnits,
  duplicates: minorUnits,
  /** In no ledger line, or posted under a wrong type. */
  other: minorUnits,
  discount: minorUnits,
  /** Net of all that lenders posted: what the bank should have. */
  net: minorUnits,
  unexplained: minorUnits,
});
export const walkSchema = z.object({
  ...reliability,
  lender: z.string().optional(),
  /** Days of the zone, both included. */
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  zone: z.string(),
  statements: z.array(walkStatementSchema),
  ...leftOut,
});
export type Walk = z.infer<typeof walkSchema>;

/** Discounts (MDR) by currency, lender, product and promotion, beside what was agreed. */
export const discountAuditSchema = z.object({
  ...reliability,
  ...leftOut,
  rows: z.array(
    z.object({
      currency,
      lender: z.string(),
      productType: z.string().optional(),
      promoCode: z.string().optional(),
      /** By contract. Absent: there is none, and the discount is not judged. */
      agreedBasisPoints: z.number().optional(),
      /** Agreed of each settle besides. Absent: nothing. */
      agreedPerSettle: minorUnits.optional(),
      /** When that contract began; orders settled before are in a row of their own. */
      agreedFrom: time.optional(),
      /** Kept in fact, of all that was settled. */
      effectiveBasisPoints: z.number().optional(),
      settles: z.object({
        count: z.int(),
        amount: minorUnits,
        discount: minorUnits,
        /** Kept beyond the contract. */
        variance: minorUnits,
      }),
      refunds: z.object({
        count: z.int(),
        amount: minorUnits,
        /** Discount given back. */
        returned: minorUnits,
        /** Not given back, though the contract says so. */
        variance: minorUnits,
        /** Not given back of the contracted share, whatever the contract says of it. */
        kept: minorUnits,
      }),
    }),
  ),
});
export type DiscountAuditRecord = z.infer<typeof discountAuditSchema>;

const claimCount = z.object({ count: z.int(), amount: minorUnits });
/** What the service says of fundings, and how often the arithmetic says otherwise. */
export const radarSchema = z.object({
  ...reliability,
  ...leftOut,
  rows: z.array(
    z.object({
      currency,
      lender: z.string(),
      /** The service's word. */
      status: z.string(),
      all: claimCount,
      /** Called RECONCILED and not right, or called a mismatch and right. */
      wrong: claimCount,
    }),
  ),
});
export type RadarRecord = z.infer<typeof radarSchema>;

/** One funding as each of the three operations gives it. */
const migratedFundingSchema = z.object({
  transactionId: z.string().optional(),
  transactionType: z.string(),
  amount: minorUnits,
  currency,
  currencyAssumed,
  fundedAt: z.string(),
  /** Status in the report, and in the records operations; absent: it is not in them. */
  report: z.string().optional(),
  recordsV1: z.string().optional(),
  recordsV2: z.string().optional(),
  /** Fields that are in both, and not the same. */
  differs: z.array(z.string()),
});

/** By the operation they were read by. */
const ofOperations = z.object({ report: z.int(), recordsV1: z.int(), recordsV2: z.int() });

/**
 * A line of `GET /reconciliation/migration`: an order of which something differs between the report
 * and the records operations, a record that cannot be compared, or at the very end the summary.
 * Without it the answer was cut off.
 */
export const migrationLineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('order'),
    merchantOrderId: z.string().optional(),
    fundings: z.array(migratedFundingSchema),
  }),
  z.object({
    kind: z.literal('unreadable'),
    operation: ofOperations.keyof(),
    /** The day, in the zone of reconciliation, whose window it is in. */
    day: z.iso.date(),
    merchantOrderId: z.string().optional(),
    /** Which field it is and what is wrong with it, without its value. */
    reason: z.string(),
  }),
  z.object({
    kind: z.literal('summary'),
    /** Days of the zone, both included. */
    from: z.iso.date(),
    to: z.iso.date(),
    zone: z.string(),
    /** Fundings read by each operation. */
    read: ofOperations,
    /** Records that cannot be held, and are in no other count. */
    unreadable: ofOperations,
    /** What a status of the records operations becomes in the report. */
    becomes: z.array(
      z.object({
        version: z.union([z.literal(1), z.literal(2)]),
        /** Absent: not in the records. */
        records: z.string().optional(),
        /** Absent: not in the report. */
        report: z.string().optional(),
        count: z.int(),
        /** Those of `count` whose currency is assumed: they are in no amount. */
        assumedCurrency: z.int().min(0),
        /** By currency, without signs. */
        amounts: z.record(z.string(), sumOfMany),
      }),
    ),
    /** How often a field is in both, and not the same. */
    differs: z.record(z.string(), z.int()),
    orders: z.int(),
  }),
]);
export type MigrationLine = z.infer<typeof migrationLineSchema>;

/** What an import of ledger lines read, and what it did to the books. */
export const ledgerImportSchema = z.object({
  dryRun: z.boolean(),
  /** All lines or none: false for a dry run, and when anything was wrong. */
  applied: z.boolean(),
  lines: z.int(),
  /** Lines that are, or would be, new. */
  added: z.int(),
  /** Lines that are, or would be, taken out of the books. */
  withdrawn: z.int(),
  /**
   * Lines that change nothing: the books say it already; or, where it is to be withdrawn, they do not
   * say it, or the companion itself does.
   */
  repeated: z.int(),
  /** Rows that are left out: they are no lines to reconcile. */
  skipped: z.int(),
  /** Why rows are left out, with the word of the type column, and the numbers of the first of them. */
  leftOut: z.array(
    z.object({
      reason: z.string(),
      word: z.string().optional(),
      count: z.int(),
      lines: z.array(z.int()),
    }),
  ),
  /** What was read otherwise than it is written, by column, with the numbers of the first lines. */
  notes: z.array(
    z.object({
      field: z.string(),
      code: z.string(),
      count: z.int(),
      lines: z.array(z.int()),
      message: z.string(),
    }),
  ),
  /** Words of the type column for which no type was said, if they are few. */
  unknownTypes: z.array(z.object({ word: z.string(), count: z.int() })),
  /** Lines that say the same as one before, and have no id that tells them apart: each counts. */
  alike: z.int(),
  /** Lines of the books that were, or would be, replaced. */
  replaced: z.int(),
  /** Lines that may be lines of the books, written another way, and the first of them. */
  lookAlikeCount: z.int(),
  lookAlikes: z.array(
    z.object({
      line: z.int(),
      /** The same id with another amount; what the companion states itself; as much for the order. */
      kind: z.enum(['changed', 'companion', 'same-amount']),
      merchantOrderId: z.string(),
      type: z.string(),
      currency,
      amount: z.int(),
      amountInBooks: z.int(),
      /** Milliseconds since 1970. */
      dateInBooks: z.int(),
    }),
  ),
  totals: z.array(
    z.object({
      currency,
      type: z.enum(['Settle', 'Refund']),
      count: z.int(),
      /** Minor units, as text: a sum may be larger than a number can hold exactly. */
      amount: z.string(),
    }),
  ),
  errorCount: z.int(),
  /** The first thousand, in the order of lines. No value of the file is in them. */
  errors: z.array(
    z.object({
      line: z.int().optional(),
      field: z.string().optional(),
      code: z.string(),
      message: z.string(),
    }),
  ),
});
export type LedgerImportRecord = z.infer<typeof ledgerImportSchema>;
