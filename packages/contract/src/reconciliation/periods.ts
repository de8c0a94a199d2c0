import { z } from 'zod';
import { person } from '../back-office/person.ts';
import { currency, minorUnits, orderKey, time } from './fields.ts';
import { type WalkAmount, walkAmounts, walkStatementSchema } from './reconciliation.ts';

/** `future` has not ended yet, or follows a period that is not closed. */
export const periodStates = ['closed', 'in-review', 'open', 'future'] as const;
export type PeriodState = (typeof periodStates)[number];

/** What a close requires, in the order of the work. */
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
/** Checks that a person may accept with a reason. The others have to be done. */
export const acceptableChecks = [
  'imports-present',
  'cases-decided',
  'fundings-counted',
] as const satisfies readonly CloseCheck[];

const decisionSchema = z.object({ by: z.string(), at: time, reason: z.string() });
/** What a person asks a second one for. */
const pending = {
  /** Number of the request in the trail of actions, by which it is approved. */
  request: z.int().min(1),
  /** When the request has no effect any more. */
  lapsesAt: time,
};
const id = z.string();
/** Position for `after` of the next page, if there is one. */
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
  /** False: one person prepared and approved, because no second one was configured. */
  isApprovedBySecond: z.boolean(),
  /** Who asked for it, and why. `approvedBy`: the second person, who confirmed it. */
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
  /** Of a closed period: its seal. Of an open one: the last seal, which was reopened. */
  seal: sealSchema.optional(),
});
export type PeriodRecord = z.infer<typeof periodSchema>;

export const periodsSchema = z.object({
  zone: z.string(),
  periods: z.array(periodSchema),
  /** The period to close next. Adjustments of closed periods count in it. */
  open: id.optional(),
  /** The running close. */
  closing: z.object({ period: id, step: z.string() }).optional(),
});
export type Periods = z.infer<typeof periodsSchema>;

/** One requirement of a close. */
const closeCheckSchema = z.object({
  check: z.enum(closeChecks),
  state: z.enum(['done', 'blocked', 'accepted']),
  count: z.int().min(0),
  amounts: z.array(z.object({ currency, amount: minorUnits })),
  /** Names of missing or unclear items, at most 20. */
  examples: z.array(z.string()),
  /** SHA-256 of each record that was found: an acceptance applies to these and to no others. */
  digest,
  /** Why it is not known what the check would find: it counts as one open item. */
  failure: z.object({ code: z.literal('companion-unavailable'), message: z.string() }).optional(),
  accepted: decisionSchema.optional(),
});
export type CloseCheckRecord = z.infer<typeof closeCheckSchema>;

/** Why a closed period would be different today. */
export const adjustmentReasons = [
  'funding-changed',
  'ledger-changed',
  'case-decided',
  'policy-changed',
  'rules-changed',
] as const;
export type AdjustmentReason = (typeof adjustmentReasons)[number];

/**
 * A change to a closed period, which counts in the open one: amounts as in a walk, and the period to
 * which they belong; an empty one is before the first closed period.
 */
const adjustmentSchema = z.object({
  belongsTo: id,
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  lender: z.string(),
  reason: z.enum(adjustmentReasons),
  /** Change of the amount in transit at the end of that period. */
  inTransit: minorUnits,
  amounts: walkStatementSchema.omit({ currency: true, opening: true, awaiting: true }),
});
export type Adjustment = z.infer<typeof adjustmentSchema>;
export const adjustmentsSchema = z.object({
  /** The period in which they count. */
  period: id,
  /** Whether the period is closed, so that they are sealed. */
  isSealed: z.boolean(),
  adjustments: z.array(adjustmentSchema),
  /** Number of all, of which the answer has the largest. */
  count: z.int().min(0),
  next,
});
export type Adjustments = z.infer<typeof adjustmentsSchema>;

/** The orders that make up an amount of a period's statements. */
export const periodOrdersSchema = z.object({
  period: id,
  /** Whether the amounts are sealed. False: a close would seal them now. */
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
  /** Number of all, of which the answer has the largest. */
  count: z.int().min(0),
  next,
  /** Of all: the amount in the statement of each currency. */
  sums: z.array(z.object({ currency, amount: minorUnits })),
});
export type PeriodOrders = z.infer<typeof periodOrdersSchema>;

/** A period with everything that its close needs. */
export const periodDetailSchema = z.object({
  zone: z.string(),
  period: periodSchema,
  checks: z.array(closeCheckSchema),
  /** As sealed; of the open period as it would be sealed now, with adjustments. */
  statements: z.array(walkStatementSchema),
  /** SHA-256 of the statements. */
  statementsHash: z.string(),
  /** Adjustments that count in this period, by the period to which they belong. */
  adjustments: z.array(z.object({ belongsTo: id, count: z.int().min(1) })),
});
export type PeriodDetail = z.infer<typeof periodDetailSchema>;

const by = person.optional();
const reason = z.string().trim().min(1).max(2_000);
/**
 * The `statementsHash` that the person has seen, or how it begins: the request is refused if it is another one
 * now.
 */
const statements = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/, { error: 'must be 12 to 64 hexadecimal digits' })
  .optional();
export const prepareRequestSchema = z.strictObject({ by, statements });
export const closeRequestSchema = z.strictObject({ by, statements });
export const acceptanceRequestSchema = z.strictObject({
  by,
  check: z.enum(acceptableChecks),
  /** The `digest` that the person has seen: another one is refused. */
  digest,
  reason,
});
/**
 * With a reason, a request to reopen. Without one, the approval of the request of another person:
 * with `request`, of that one and of no other.
 */
export const reopeningRequestSchema = z.strictObject({
  by,
  reason: reason.optional(),
  request: z.int().min(1).optional(),
});

/** Requests for a second person, which can be withdrawn. */
export const withdrawableRequests = ['preparation', 'reopening'] as const;
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
  /** The day or the ID of the import whose content it is, or the accepted check. */
  subject: z.string().optional(),
  /** The same in English. */
  message: z.string(),
});
export type SealProblem = z.infer<typeof sealProblemSchema>;

/** Result of recomputing all seals. */
export const sealVerificationSchema = z.object({
  isIntact: z.boolean(),
  /** Why the trail is invalid, which states who prepared, approved and reopened. */
  trail: z.string().optional(),
  seals: z.array(
    z.object({
      seq: z.int(),
      period: id,
      hash: z.string(),
      /** Contents, files and statements that were recomputed, and their bytes. */
      checked: z.int(),
      bytes: z.int(),
      /** Altered and missing parts. Empty: the seal is intact. */
      problems: z.array(sealProblemSchema),
    }),
  ),
});
export type SealVerification = z.infer<typeof sealVerificationSchema>;
