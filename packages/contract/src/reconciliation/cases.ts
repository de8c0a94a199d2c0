import { z } from 'zod';
import { environmentSchema } from '../storefront/outcome.ts';
import { alarmKinds } from './alarms.ts';
import { caseStates, caseVerbNames, caseVerbs } from './case-verbs.ts';
import { exceptionCodes } from './exceptions.ts';
import { currency, currencyAssumed, minorUnits, orderKey, sumOfMany, time } from './fields.ts';

export const caseSchema = z.object({
  id: z.string(),
  /** Number of the case's last event among all facts. It grows with each event. */
  revision: z.int().min(1),
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  currencyAssumed,
  code: z.enum(exceptionCodes),
  /** Reconciliation sets `closed` when the exception is gone. A person sets the other states. */
  state: z.enum(caseStates),
  amount: minorUnits,
  /**
   * The part of the absolute amount that is at stake, if other open cases of the order count the
   * rest. Sums include only this part.
   */
  atStake: minorUnits.optional(),
  count: z.int(),
  /** Start of the exception, and the age of the exception in whole days. */
  since: time,
  ageDays: z.int().min(0),
  /**
   * When the case should be decided: its code's number of days after it opened, or after its
   * exception came back. An open case is overdue once this day of the business zone has ended.
   */
  dueAt: time,
  /** Until this time, or until its content changes, a snoozed case is not in the open queue. */
  snoozedUntil: time.optional(),
  /**
   * The case that this one was merged into. Until it is split off, this case is not in the open queue,
   * and a decision on the other case applies to both.
   */
  mergedInto: z.string().optional(),
  /** The merged cases, without the closed ones. Absent if there are none. */
  together: z
    .object({
      count: z.int().min(1),
      /** Number of merged cases that the sum does not include, because their currency is assumed. */
      assumedCurrency: z.int().min(0),
      /** Sum of the money at stake, including this case. Null without a currency, or if it is too large. */
      amount: sumOfMany,
    })
    .optional(),
  assignee: z.string().optional(),
  reason: z.string().optional(),
  openedAt: time,
  updatedAt: time,
  alertedAt: time.optional(),
  /** The actions that a person may take on the case now. */
  can: z.array(z.enum(caseVerbNames)),
});
export type CaseRecord = z.infer<typeof caseSchema>;
export const casesSchema = z.object({
  cases: z.array(caseSchema),
  /** On the first page, if more follow: the number of all matching cases. */
  count: z.int().min(0).optional(),
  next: z.string().optional(),
});

/** Cases with the same code and lender as a case: open ones first, then the most recently decided. */
export const similarCasesSchema = z.object({
  /** Absent if no funding names the lender: all cases with the code are then similar. */
  lender: z.string().optional(),
  /** Number of all similar cases that are open or that a person has decided. */
  count: z.int().min(0),
  cases: z.array(caseSchema).max(5),
});
export type SimilarCases = z.infer<typeof similarCasesSchema>;

/** The open cases of a lender, each with the lines of its order that the lender needs to find it. */
export const claimsSchema = z.object({
  /** By exception, currency and direction, the most severe first. */
  sums: z
    .array(
      z.object({
        code: z.enum(exceptionCodes),
        currency,
        /** Null without a currency, or if it is too large to be exact. */
        difference: sumOfMany,
        cases: z.int().min(1),
        /** Number of lines or fundings that are wrong. */
        count: z.int(),
      }),
    )
    .optional(),
  claims: z.array(
    z.object({
      orderKey,
      merchantOrderId: z.string().optional(),
      caseId: z.string(),
      code: z.enum(exceptionCodes),
      /** Name of the exception. */
      exception: z.string(),
      currency,
      /** Amount of the case. */
      difference: minorUnits,
      /** `sent`: a line of the ledger. `posted`: a funding of this lender. */
      side: z.enum(['sent', 'posted']).optional(),
      type: z.string().optional(),
      amount: minorUnits.optional(),
      at: time.optional(),
      transactionId: z.string().optional(),
      merchantTransactionId: z.string().optional(),
      lenderReferenceId: z.string().optional(),
    }),
  ),
  next: z.string().optional(),
});
export type Claims = z.infer<typeof claimsSchema>;

/** All cases that match a filter. Each sum is in one currency. */
export const caseSummarySchema = z.object({
  count: z.int().min(0),
  /** Number of cases that no sum includes, because their currency is assumed. */
  assumedCurrency: z.int().min(0),
  /** Number of cases whose money is counted in other open cases of their orders. */
  countedWithOthers: z.int().min(0),
  amounts: z.array(
    z.object({
      currency,
      count: z.int(),
      /** Sum of the money at stake. Null without a currency, or if it is too large to be exact. */
      amount: sumOfMany,
    }),
  ),
});
export type CaseSummary = z.infer<typeof caseSummarySchema>;

/** Numbers of matching cases, in the order of the filters. */
export const caseCountsSchema = z.object({ counts: z.array(z.int().min(0)) });
export type CaseCounts = z.infer<typeof caseCountsSchema>;

/** Names that cases can be assigned to: people with a token or a case, or who have signed in. */
export const casePeopleSchema = z.object({ people: z.array(z.string()) });
export type CasePeople = z.infer<typeof casePeopleSchema>;

/**
 * `merged` and `split`: the case was merged into another one, or split off again. `gained` and `lost` are
 * the matching entries of the other case.
 */
export const caseEventKinds = [
  ...(['opened', 'changed', 'closed', 'gained', 'lost', 'alerted'] as const),
  ...caseVerbNames.map((verb) => caseVerbs[verb].kind),
] as const;
export type CaseEventKind = (typeof caseEventKinds)[number];

/**
 * What a case event states: the exception, what a person wrote, or why the program acted. Times of
 * an exception are milliseconds since 1970. `fold` in reconciliation-rules builds a case from the
 * events.
 */
export const caseEventDetailSchema = z
  .object({
    orderKey: z.string(),
    currency: z.string(),
    code: z.enum(exceptionCodes),
    amount: z.int(),
    amountBefore: z.int(),
    count: z.int(),
    since: z.int(),
    contentHash: z.string(),
    assignee: z.string().nullable(),
    reason: z.string(),
    note: z.string(),
    /** People whom the note mentions. */
    mentions: z.array(z.string()),
    until: z.string(),
    /**
     * Other cases: the one it is merged into, the one it is split from, its main case, and the one
     * that was merged into it or split from it.
     */
    into: z.string(),
    from: z.string(),
    with: z.string(),
    case: z.string(),
    was: z.enum(caseStates),
    why: z.string(),
    /** For an alert: its threshold and its message. */
    cause: z.enum(['amount', 'age']),
    message: z.string(),
  })
  .partial();
export type CaseEventDetail = z.infer<typeof caseEventDetailSchema>;

/** A case as built from its events: at most one per order, currency and code. Times as in its events. */
export const foldedCaseSchema = z.object({
  id: z.string(),
  orderKey: z.string(),
  currency: z.string(),
  code: z.enum(exceptionCodes),
  amount: z.int(),
  count: z.int(),
  since: z.int(),
  /** Hash that changes with the order's lines. */
  contentHash: z.string(),
  state: z.enum(caseStates),
  assignee: z.string().optional(),
  reason: z.string().optional(),
  openedAt: z.int(),
  /** When the case opened, or when its exception came back. */
  openSince: z.int(),
  updatedAt: z.int(),
  alertedAt: z.int().optional(),
  /** End of the snooze, and the content of the case when it was snoozed: see `snoozeEnd`. */
  snoozedUntil: z.int().optional(),
  snoozedContent: z.string().optional(),
  /** The case that this one is merged into. */
  mergedInto: z.string().optional(),
  /** People whom notes mention, and who have not acted on the case since. */
  mentions: z.array(z.string()),
});
export type FoldedCase = z.infer<typeof foldedCaseSchema>;

/** An entry of the audit trail. Its hash covers the entry and the hash of the previous entry. */
export const caseEventSchema = z.object({
  seq: z.int().min(1),
  at: time,
  kind: z.enum(caseEventKinds),
  /**
   * Name of the back-office token, and of the person if the client stated one: "finance", "finance,
   * for Ines". `reconciliation` is the program itself.
   */
  actor: z.string(),
  detail: z.record(z.string(), z.unknown()),
  hash: z.string(),
});
export type CaseEventRecord = z.infer<typeof caseEventSchema>;
export const caseHistorySchema = z.object({
  case: caseSchema,
  events: z.array(caseEventSchema),
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

/** Open cases by age and amount. Each sum is in one currency. */
export const agingSchema = z.object({
  asOf: time,
  /** Number of open cases that no cell includes, because their currency is assumed. */
  assumedCurrency: z.int().min(0),
  cells: z.array(
    z.object({
      currency,
      days: z.enum(ageBuckets),
      /** Money at stake in the major unit. */
      money: z.enum(moneyBuckets),
      count: z.int(),
      /** Sum of the money at stake. */
      amount: sumOfMany,
    }),
  ),
});

/** A settle, refund or void that only the trail or only the companion has. */
export const trailDifferenceSchema = z.object({
  kind: z.enum(['settle', 'refund', 'void']),
  chargeId: z.string(),
  /** The companion's operation. */
  operationId: z.string().optional(),
  /** Minor units. */
  amount: minorUnits.optional(),
  currency: currency.optional(),
  /** When it was requested. */
  at: time,
  /** For a trail entry: its sequence number in the trail, and the actor. */
  seq: z.int().optional(),
  actor: z.string().optional(),
});
export type TrailDifference = z.infer<typeof trailDifferenceSchema>;

/** Comparison of the trail with this program's operations as the companion recorded them. */
export const trailComparisonSchema = z.object({
  /** Number of the companion's operations. */
  operations: z.int().min(0),
  /** Operations that the companion did or may have done, without an entry in the trail. */
  withoutEntry: z.array(trailDifferenceSchema),
  /** Trail entries of completed operations that the companion does not have. */
  withoutOperation: z.array(trailDifferenceSchema),
});
export type TrailComparison = z.infer<typeof trailComparisonSchema>;

/** A standing alarm, sent once. Contains no personal data. */
export const trailAlertSchema = z.object({
  type: z.literal('reconciliation.trail.alert'),
  timestamp: time,
  data: z.object({
    environment: environmentSchema,
    difference: z.enum(alarmKinds),
    /** The number of the alarm in the trail. */
    alarm: z.int().min(1),
    ...trailDifferenceSchema.omit({ actor: true, kind: true }).partial().shape,
    /** Kind of the operation; `charge` for a lost charge. */
    kind: z.enum(['charge', 'settle', 'refund', 'void']).optional(),
    reason: z.string().optional(),
  }),
});
export type TrailAlert = z.infer<typeof trailAlertSchema>;

export const trailVerificationSchema = z.object({
  /**
   * Whether the trail is valid, its cases match the stored ones, and it has the events of the
   * request's anchor.
   */
  valid: z.boolean(),
  /** Number of valid events. */
  events: z.int().min(0),
  /** The last valid event. */
  head: z.object({ seq: z.int().min(0), hash: z.string() }),
  /**
   * Head of a valid trail: "17:<SHA-256>", the number of events, and a hash of the last one and the
   * environment. Store it elsewhere: it can later prove the whole trail up to that point.
   */
  anchor: z.string().optional(),
  /** The first altered event, what it is about, and the reason. */
  broken: z.object({ seq: z.int(), subject: z.string().optional(), reason: z.string() }).optional(),
  /** The comparison with the companion. Absent if it did not respond: see `notCompared`. */
  companion: trailComparisonSchema.optional(),
  notCompared: z.string().optional(),
});
export type TrailVerification = z.infer<typeof trailVerificationSchema>;

/** An alert about a case, sent again only after the case has ended. No personal data. */
export const caseAlertSchema = z.object({
  type: z.literal('reconciliation.case.alert'),
  timestamp: time,
  data: z.object({
    environment: environmentSchema,
    caseId: z.string(),
    code: z.enum(exceptionCodes),
    merchantOrderId: z.string().optional(),
    currency,
    currencyAssumed,
    amount: minorUnits,
    /** The part of the amount that is at stake, if other open cases of the order count the rest. */
    atStake: minorUnits.optional(),
    count: z.int(),
    since: time,
    /** The exceeded threshold. */
    cause: z.enum(['amount', 'age']),
  }),
});
export type CaseAlert = z.infer<typeof caseAlertSchema>;
