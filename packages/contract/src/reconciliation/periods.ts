import { z } from 'zod';
import { person } from '../back-office/person.ts';
import { environmentSchema } from '../storefront/outcome.ts';
import { trailKinds } from './actions.ts';
import { exceptionCodes } from './exceptions.ts';
import { currency, minorUnits, orderKey, sumOfMany, time } from './fields.ts';
import { journalAccounts } from './journal-words.ts';
import { type WalkAmount, walkAmounts, walkStatementSchema } from './reconciliation.ts';

/** `future`: has not ended yet, or follows a period that is not closed. */
export const periodStates = ['closed', 'in-review', 'open', 'future'] as const;
export type PeriodState = (typeof periodStates)[number];

/** Requirements for a close, in the order to work through them. */
export const closeChecks = [
  'period-ended',
  'earlier-closed',
  'days-proven',
  'imports-present',
  'cases-decided',
  'fundings-counted',
  'unexplained-zero',
  'operations-clear',
] as const;
export type CloseCheck = (typeof closeChecks)[number];
/** Checks that a person may accept with a reason. All others must pass. */
export const acceptableChecks = [
  'imports-present',
  'cases-decided',
  'fundings-counted',
] as const satisfies readonly CloseCheck[];

const decisionSchema = z.object({ by: z.string(), at: time, reason: z.string() });
/** A request that waits for a second person. */
const pending = {
  /** Sequence number of the request in the trail; an approval refers to it. */
  request: z.int().min(1),
  /** Time at which the request lapses. */
  lapsesAt: time,
};
const id = z.string();
/** How many orders a finding concerns, and the first few of them. */
const ordersSchema = z.object({
  count: z.int().min(0),
  first: z.array(z.object({ orderKey, merchantOrderId: z.string().optional() })),
});
/** `after` of the next page. Absent on the last page. */
const next = z.int().min(1).optional();
const digest = z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be a SHA-256 in hexadecimal' });

/** A seal of a closed period. */
export const sealSchema = z.object({
  /** Position among all seals, from 1. */
  seq: z.int().min(1),
  /** SHA-256 of everything that the close covers, which the close in the trail states. */
  hash: z.string(),
  at: time,
  preparedBy: z.string(),
  approvedBy: z.string(),
  /** False if one person prepared and approved, because no second person was configured. */
  isApprovedBySecond: z.boolean(),
  /** Requester and reason. `approvedBy`: the second person, who confirmed it. */
  reopened: decisionSchema.extend({ approvedBy: z.string().optional() }).optional(),
});
export type Seal = z.infer<typeof sealSchema>;

/** A period of the books. Days are in the zone, both inclusive. */
export const periodSchema = z.object({
  id,
  from: z.iso.date(),
  to: z.iso.date(),
  state: z.enum(periodStates),
  prepared: z.object({ by: z.string(), at: time, ...pending }).optional(),
  reopening: decisionSchema.extend(pending).optional(),
  /** The seal of a closed period. For an open period, its last seal, which was reopened. */
  seal: sealSchema.optional(),
});
export type PeriodRecord = z.infer<typeof periodSchema>;

export const periodsSchema = z.object({
  zone: z.string(),
  periods: z.array(periodSchema),
  /** The period to close next. Adjustments to closed periods count toward it. */
  open: id.optional(),
  closing: z.object({ period: id, step: z.string() }).optional(),
});
export type Periods = z.infer<typeof periodsSchema>;

/** One requirement of a close. */
const closeCheckSchema = z.object({
  check: z.enum(closeChecks),
  state: z.enum(['done', 'blocked', 'accepted']),
  count: z.int().min(0),
  amounts: z.array(z.object({ currency, amount: minorUnits })),
  /** IDs of missing or unclear items, at most 20. */
  examples: z.array(z.string()),
  /** The orders of the items, those with the most money first. Absent if the items are of no order. */
  orders: ordersSchema.optional(),
  /** SHA-256 of each record found. An acceptance applies only to these records. */
  digest,
  /** Reason why the check could not run. It then counts as one open item. */
  failure: z.object({ code: z.literal('companion-unavailable'), message: z.string() }).optional(),
  accepted: decisionSchema.optional(),
});
export type CloseCheckRecord = z.infer<typeof closeCheckSchema>;

/** Reasons why a closed period would look different today. */
export const adjustmentReasons = [
  'funding-changed',
  'ledger-changed',
  'case-decided',
  'policy-changed',
  'rules-changed',
] as const;
export type AdjustmentReason = (typeof adjustmentReasons)[number];

/**
 * A change to a closed period that counts toward the open one, with amounts as in a walk, and the
 * period that it belongs to: empty before the first closed period.
 */
const adjustmentSchema = z.object({
  belongsTo: id,
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  lender: z.string(),
  reason: z.enum(adjustmentReasons),
  /** Change of the amount in transit at the end of the period. */
  inTransit: minorUnits,
  amounts: walkStatementSchema.omit({ currency: true, opening: true, awaiting: true }),
});
export type Adjustment = z.infer<typeof adjustmentSchema>;
export const adjustmentsSchema = z.object({
  /** The period that they count toward. */
  period: id,
  /** Whether the period is closed, so that the adjustments are sealed. */
  isSealed: z.boolean(),
  adjustments: z.array(adjustmentSchema),
  /** Total number; the answer contains the largest ones. */
  count: z.int().min(0),
  next,
});
export type Adjustments = z.infer<typeof adjustmentsSchema>;

/** The orders that make up an amount of a period's statements. */
export const periodOrdersSchema = z.object({
  period: id,
  /** Whether the amounts are sealed. If false, they are those that a close would seal now. */
  isSealed: z.boolean(),
  step: z.enum(walkAmounts as [WalkAmount, ...WalkAmount[]]),
  orders: z.array(
    z.object({
      orderKey,
      merchantOrderId: z.string().optional(),
      currency,
      lender: z.string(),
      amount: minorUnits,
    }),
  ),
  /** Total number; the answer contains the largest ones. */
  count: z.int().min(0),
  next,
  /** Totals over all orders: the amount in the statement of each currency. */
  sums: z.array(z.object({ currency, amount: minorUnits })),
});
export type PeriodOrders = z.infer<typeof periodOrdersSchema>;

/** Why no sum includes a funding: its record is unreadable, or its currency is unknown or assumed. */
export const uncountedReasons = ['quarantine', 'no-currency', 'assumed-currency'] as const;

/** A number of cases, orders or fundings, and their money. */
const tallySchema = z.object({
  count: z.int().min(0),
  amount: sumOfMany,
  /** Number of them that the amount does not include, because their currency is assumed. */
  assumedCurrency: z.int().min(1).optional(),
});
export type Tally = z.infer<typeof tallySchema>;

/** What an approver confirms in addition to a period's statements and accepted checks. */
const reviewSchema = z.object({
  /** The period closed last, with which this one is compared. Absent before the first close. */
  before: id.optional(),
  /** By exception and currency, the most severe first. */
  exceptions: z.array(
    z.object({
      code: z.enum(exceptionCodes),
      currency,
      /** Open cases that began before the end of the period, and their money at stake. */
      open: tallySchema,
      /** Cases that began in the period, and in the last one, decided or not, by their amounts. */
      begun: tallySchema,
      begunBefore: tallySchema.optional(),
    }),
  ),
  /** Fundings in no sum. Only those of an assumed currency have an amount. */
  uncounted: z.array(tallySchema.extend({ reason: z.enum(uncountedReasons), currency })),
  /**
   * Orders with postings to an account, and debits minus credits, as a journal of the period and of the
   * last one has them.
   */
  accounts: z.array(
    z.object({
      account: z.enum(journalAccounts),
      currency,
      own: tallySchema,
      before: tallySchema.optional(),
    }),
  ),
  /** What came since the preparation. Absent without one. */
  since: z
    .object({
      /** Entries of the trail by kind, with the numbers of the first and the last one. */
      entries: z.array(
        z.object({
          kind: z.enum(trailKinds),
          count: z.int().min(1),
          first: z.int().min(1),
          last: z.int().min(1),
        }),
      ),
      /** Cases that were opened since, and began before the end of the period. */
      cases: z.int().min(0),
    })
    .optional(),
});
export type PeriodReview = z.infer<typeof reviewSchema>;

/** What is known now about a closed period. It changes, and no sealed figure includes it. */
const sinceSealSchema = z.object({
  /** The open period, in which changes count. */
  open: id.optional(),
  /** Number of orders of the closed period with an adjustment in the open one. */
  orders: z.int().min(0),
  /** Checks that find other records now than were sealed. */
  checks: z.array(
    closeCheckSchema.pick({ check: true, count: true, amounts: true, examples: true }),
  ),
});

/**
 * A period with all data for its close. Of a closed one, only `sinceSeal` and a request to reopen it
 * change.
 */
export const periodDetailSchema = z.object({
  zone: z.string(),
  period: periodSchema,
  /** Of a closed period, as sealed. */
  checks: z.array(closeCheckSchema),
  /** The sealed statements, or for an open period those that a close would seal now, with adjustments. */
  statements: z.array(walkStatementSchema),
  /** SHA-256 of the statements. */
  statementsHash: z.string(),
  /** Number of the last decision about the period in the trail, such as an acceptance; 0 without one. Absent for a closed period. */
  decided: z.int().min(0).optional(),
  /** Adjustments that count in this period, by the period to which they belong. */
  adjustments: z.array(z.object({ belongsTo: id, count: z.int().min(1) })),
  /** Present for a closed period. */
  sinceSeal: sinceSealSchema.optional(),
  /** What a close would take over. Only of a period that can be prepared or approved. */
  review: reviewSchema.optional(),
});
export type PeriodDetail = z.infer<typeof periodDetailSchema>;

const by = person.optional();
const reason = z.string().trim().min(1).max(2_000);
/**
 * `statementsHash`, or a prefix of it, as the person saw it. The request is refused if the statements
 * have changed.
 */
const statements = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/, { error: 'must be 12 to 64 hexadecimal digits' })
  .optional();
export const prepareRequestSchema = z.strictObject({ by, statements });
export const closeRequestSchema = z.strictObject({
  by,
  statements,
  /** `decided` as the person saw it. The request is refused if another decision was made since. */
  decided: z.int().min(0).optional(),
});
export const acceptanceRequestSchema = z.strictObject({
  by,
  check: z.enum(acceptableChecks),
  /** `digest` as the person saw it. The request is refused if the records have changed. */
  digest,
  reason,
});
/**
 * With a reason, requests to reopen. Without a reason, approves another person's request; with
 * `request`, only that one.
 */
export const reopeningRequestSchema = z.strictObject({
  by,
  reason: reason.optional(),
  request: z.int().min(1).optional(),
});

/** Requests for a second person, which can be withdrawn. */
export const withdrawableRequests = ['preparation', 'reopening'] as const;

/** A request that waits for a second person. Names nobody, because it leaves this program in an alert. */
export const approvalSchema = z.object({
  period: id,
  of: z.enum(withdrawableRequests),
  at: time,
  ...pending,
});
export type Approval = z.infer<typeof approvalSchema>;

/** A message to finance about a request that waits for a second person, sent once for each. */
export const approvalAlertSchema = z.object({
  type: z.literal('reconciliation.approval.alert'),
  timestamp: time,
  data: approvalSchema.extend({ environment: environmentSchema }),
});
export type ApprovalAlert = z.infer<typeof approvalAlertSchema>;

export const requestWithdrawalSchema = z.strictObject({ by, of: z.enum(withdrawableRequests) });

export const sealProblemCodes = [
  'statements-altered',
  'statements-unreadable',
  'not-in-trail',
  'trail-altered',
  'preparer-altered',
  'approver-altered',
  'acceptance-altered',
  'seal-missing',
  'flows-altered',
  'day-altered',
  'day-missing',
  'import-altered',
  'import-missing',
] as const;
/** An altered or missing part of a seal. */
export const sealProblemSchema = z.object({
  code: z.enum(sealProblemCodes),
  /** The day or import ID of the altered content, or the accepted check. */
  subject: z.string().optional(),
  /** The problem in English. */
  message: z.string(),
});
export type SealProblem = z.infer<typeof sealProblemSchema>;

/** Result of recomputing all seals. */
export const sealVerificationSchema = z.object({
  isIntact: z.boolean(),
  /** Why the trail, which states who prepared, approved and reopened, is invalid. */
  trail: z.string().optional(),
  seals: z.array(
    z.object({
      seq: z.int(),
      period: id,
      hash: z.string(),
      /** Number of recomputed contents, files and statements, and their bytes. */
      checked: z.int(),
      bytes: z.int(),
      /** Altered and missing parts. Empty if the seal is intact. */
      problems: z.array(sealProblemSchema),
    }),
  ),
});
export type SealVerification = z.infer<typeof sealVerificationSchema>;
