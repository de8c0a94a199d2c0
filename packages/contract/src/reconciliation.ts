import { z } from 'zod';
import { environmentSchema } from './outcome.ts';

/**
 * How far lenders have paid what the merchant's ledger says was settled. Exactly one holds of an
 * order in one currency.
 */
export const fundingAxis = [
  'NONE',
  'UNEXPECTED',
  'UNFUNDED',
  'PARTIALLY_FUNDED',
  'FUNDED',
  'OVER_FUNDED',
] as const;
export type FundingAxis = (typeof fundingAxis)[number];

/** What lenders have taken back, and given again. Exactly one holds. */
export const returnsAxis = [
  'CHARGED_BACK',
  'PARTIALLY_CHARGED_BACK',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGEBACK_REVERSED',
  'NONE',
] as const;
export type ReturnsAxis = (typeof returnsAxis)[number];

/** What is wrong with an order, gravest first: the first one that holds is its headline. */
export const exceptionCodes = [
  'UNKNOWN_TYPE',
  'DUPLICATE_FUNDING',
  'DOUBLE_DEBIT',
  'CHARGEBACK_OPEN',
  'OVER_REVERSED',
  'OVER_FUNDED',
  'TYPE_MISMATCH',
  'AMOUNT_MISMATCH',
  'NOT_IN_LEDGER',
  'LINE_NOT_IN_LEDGER',
  'MISSING_IN_SERVICE',
  'REFUND_NOT_IN_LEDGER',
  'REFUND_NOT_TAKEN',
  'MISSING_AT_LENDER',
  'NET_MISMATCH',
  'MDR_VARIANCE',
  'MDR_NOT_RETURNED',
  'STATUS_DISAGREES',
] as const;
export type ExceptionCode = (typeof exceptionCodes)[number];

/** One word for an order: its gravest exception, or else where it stands. */
export const headlines = [
  ...exceptionCodes,
  'PARTIALLY_FUNDED',
  'AWAITING_FUNDING',
  'CHARGED_BACK',
  'PARTIALLY_CHARGED_BACK',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGEBACK_REVERSED',
  'FUNDED',
  'NOTHING_DUE',
] as const;
export type Headline = (typeof headlines)[number];

/** Milliseconds are never sent: all times of this API are ISO 8601 in UTC. */
const time = z.iso.datetime();
/** Integer minor units of the currency beside it; the sign says which way. */
const minorUnits = z.int();
/** ISO 4217, or empty for fundings whose currency nobody knows: those are listed, never summed. */
const currency = z.string();
/** Names an order here: `order:` and the merchant's id, or `funding:` and that of one without any. */
const orderKey = z.string();

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
  /** In words, why it stands as it does. */
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

/** What is done about an exception. */
export const caseStates = ['open', 'resolved', 'ignored', 'closed'] as const;
export type CaseState = (typeof caseStates)[number];

export const caseSchema = z.object({
  id: z.string(),
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  code: z.enum(exceptionCodes),
  /** `closed`: by the arithmetic, the exception is gone. The others are a person's. */
  state: z.enum(caseStates),
  amount: minorUnits,
  count: z.int(),
  /** Since when it has been wrong, and for how many whole days. */
  since: time,
  ageDays: z.int().min(0),
  assignee: z.string().optional(),
  /** Why it was resolved or ignored. */
  reason: z.string().optional(),
  openedAt: time,
  updatedAt: time,
  alertedAt: time.optional(),
});
export type CaseRecord = z.infer<typeof caseSchema>;
export const casesSchema = z.object({ cases: z.array(caseSchema), next: z.string().optional() });

export const caseEventKinds = [
  'opened',
  'changed',
  'reopened',
  'closed',
  'assigned',
  'noted',
  'resolved',
  'ignored',
  'alerted',
] as const;
export type CaseEventKind = (typeof caseEventKinds)[number];

/** An entry of the audit trail. Its hash covers the entry and the hash of the one before. */
export const caseEventSchema = z.object({
  seq: z.int().min(1),
  at: time,
  kind: z.enum(caseEventKinds),
  /** Who did it, as the client said; `reconciliation` is the companion itself. */
  actor: z.string(),
  detail: z.record(z.string(), z.unknown()),
  hash: z.string(),
});
export type CaseEventRecord = z.infer<typeof caseEventSchema>;
export const caseHistorySchema = z.object({ case: caseSchema, events: z.array(caseEventSchema) });

const person = z.string().trim().min(1).max(200);
const words = z.string().trim().min(1).max(4_000);
/** Who does it: the back office knows one token, not persons. */
const by = person;
export const assignRequestSchema = z.strictObject({ by, assignee: person.nullable() });
export const noteRequestSchema = z.strictObject({ by, note: words });
export const reasonRequestSchema = z.strictObject({ by, reason: words });

/** Everything there is about one order, in each of its currencies. */
export const orderExplanationSchema = z.object({
  orderKey,
  merchantOrderId: z.string().optional(),
  currencies: z.array(
    z.object({
      status: orderStatusSchema.optional(),
      currency,
      /** In words, why it stands as it does. */
      reasons: z.array(z.string()),
      ledger: z.array(ledgerLineSchema),
      fundings: z.array(fundingLineSchema),
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
  case: z.object({ id: z.string(), state: z.enum(caseStates) }).optional(),
});
export const exceptionsSchema = z.object({
  exceptions: z.array(listedExceptionSchema),
  next: z.string().optional(),
});

export const ageBuckets = [
  'under 1 day',
  '1–3 days',
  '3–7 days',
  '7–30 days',
  'over 30 days',
] as const;
export const moneyBuckets = ['under 10', '10–100', '100–1,000', 'over 1,000'] as const;

/** Open cases by how old they are and how much they are about; sums are of one currency. */
export const ageingSchema = z.object({
  asOf: time,
  cells: z.array(
    z.object({
      currency,
      days: z.enum(ageBuckets),
      /** Of the major unit, whatever the sign. */
      money: z.enum(moneyBuckets),
      count: z.int(),
      /** Without signs. */
      amount: minorUnits,
    }),
  ),
});

/** What reconciliation comes to, and how far it can be relied on. */
export const reconciliationSummarySchema = z.object({
  asOf: time,
  /** False while a day is not proved to be read to the end: then nothing is called missing. */
  complete: z.boolean(),
  /** Days of the service's report that are not proved. */
  unprovenDays: z.int().min(0),
  exceptions: z.array(
    z.object({
      code: z.enum(exceptionCodes),
      currency,
      /** Exceptions whose case is open, and all of them. */
      open: z.int(),
      count: z.int(),
      /** Of all, without signs. */
      amount: minorUnits,
    }),
  ),
});
export type ReconciliationSummary = z.infer<typeof reconciliationSummarySchema>;

/** Whether the audit trail is as it was written. */
export const trailVerificationSchema = z.object({
  valid: z.boolean(),
  /** How many events were read. */
  events: z.int().min(0),
  /** Where the chain ends. Keep it elsewhere: with it the whole trail before is proved later on. */
  head: z.object({ seq: z.int().min(0), hash: z.string() }),
  /** The first event that is not as it was written, and why. */
  broken: z.object({ seq: z.int(), caseId: z.string().optional(), reason: z.string() }).optional(),
});
export type TrailVerification = z.infer<typeof trailVerificationSchema>;

/** What finance is told of a case: once, and again only after it had ended. Nothing personal. */
export const caseAlertSchema = z.object({
  type: z.literal('reconciliation.case.alert'),
  timestamp: time,
  data: z.object({
    environment: environmentSchema,
    caseId: z.string(),
    code: z.enum(exceptionCodes),
    merchantOrderId: z.string().optional(),
    currency,
    amount: minorUnits,
    count: z.int(),
    since: time,
    /** Which threshold it is over. */
    cause: z.enum(['amount', 'age']),
  }),
});
export type CaseAlert = z.infer<typeof caseAlertSchema>;

/** How far an answer can be relied on. */
const reliability = {
  asOf: time,
  /** False while a day is not proved to be read to the end. */
  complete: z.boolean(),
  unprovenDays: z.int().min(0),
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
  /** Days in UTC; `to` is not in it. */
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  statements: z.array(walkStatementSchema),
  /** Fundings in no sum: nobody knows their currency. */
  withoutCurrency: z.int().min(0),
});
export type Walk = z.infer<typeof walkSchema>;

/** Discounts (MDR) by currency, lender, product and promotion, beside what was agreed. */
export const discountAuditSchema = z.object({
  ...reliability,
  rows: z.array(
    z.object({
      currency,
      lender: z.string(),
      productType: z.string().optional(),
      promoCode: z.string().optional(),
      /** By contract. Absent: there is none, and the discount is not judged. */
      agreedBasisPoints: z.number().optional(),
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
  fundedAt: z.string(),
  /** Status in the report, and in the records operations; absent: it is not in them. */
  report: z.string().optional(),
  recordsV1: z.string().optional(),
  recordsV2: z.string().optional(),
  /** Fields that are in both, and not the same. */
  differs: z.array(z.string()),
});

/**
 * A line of `GET /reconciliation/migration`: an order of which something differs between the report
 * and the records operations, or at the very end the summary. Without it the answer was cut off.
 */
export const migrationLineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('order'),
    merchantOrderId: z.string().optional(),
    fundings: z.array(migratedFundingSchema),
  }),
  z.object({
    kind: z.literal('summary'),
    from: z.iso.date(),
    to: z.iso.date(),
    /** Fundings read by each operation. */
    read: z.object({ report: z.int(), recordsV1: z.int(), recordsV2: z.int() }),
    /** What a status of the records operations becomes in the report. */
    becomes: z.array(
      z.object({
        version: z.union([z.literal(1), z.literal(2)]),
        /** Absent: not in the records. */
        records: z.string().optional(),
        /** Absent: not in the report. */
        report: z.string().optional(),
        count: z.int(),
        /** By currency, without signs. */
        amounts: z.record(z.string(), minorUnits),
      }),
    ),
    /** How often a field is in both, and not the same. */
    differs: z.record(z.string(), z.int()),
    orders: z.int(),
  }),
]);
export type MigrationLine = z.infer<typeof migrationLineSchema>;

/** What an import of ledger lines read, and whether the lines are in the books now. */
export const ledgerImportSchema = z.object({
  dryRun: z.boolean(),
  /** All lines or none: false for a dry run, and when anything was wrong. */
  imported: z.boolean(),
  lines: z.int(),
  /** Lines that are, or would be, new. */
  added: z.int(),
  /** Lines that say again what is there already. */
  repeated: z.int(),
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
