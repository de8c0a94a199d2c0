import { z } from 'zod';
import {
  currency,
  currencyAssumed,
  minorUnits,
  orderKey,
  sumOfMany,
  time,
} from './order-status.ts';
import { exceptionCodes } from './words.ts';
import { environmentSchema } from './outcome.ts';

/** What is done about an exception. */
export const caseStates = ['open', 'resolved', 'ignored', 'closed'] as const;
export type CaseState = (typeof caseStates)[number];

export const caseSchema = z.object({
  id: z.string(),
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  currencyAssumed,
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
  /**
   * Name of the back-office token it was done with, and where the client said so the person:
   * "finance", "finance, for Ines". `reconciliation` is the companion itself.
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

/** Whether a database gives a text back as it was: the trail is hashed over it. No NUL, no half of a pair. */
export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}
const notText = { error: 'must hold no NUL, and no half of a character' };
export const person = z.string().trim().min(1).max(200).refine(isText, notText);
export const words = z.string().trim().min(1).max(4_000).refine(isText, notText);
/** The person for whom a token's owner acts. The owner itself is the token's name, which no body states. */
const by = person.optional();
export const assignRequestSchema = z.strictObject({ by, assignee: person.nullable() });
export const noteRequestSchema = z.strictObject({ by, note: words });
export const reasonRequestSchema = z.strictObject({ by, reason: words });

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
  /** Open cases in no cell: their currency is assumed. */
  assumedCurrency: z.int().min(0),
  cells: z.array(
    z.object({
      currency,
      days: z.enum(ageBuckets),
      /** Of the major unit, whatever the sign. */
      money: z.enum(moneyBuckets),
      count: z.int(),
      /** Without signs. */
      amount: sumOfMany,
    }),
  ),
});

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
    currencyAssumed,
    amount: minorUnits,
    count: z.int(),
    since: time,
    /** Which threshold it is over. */
    cause: z.enum(['amount', 'age']),
  }),
});
export type CaseAlert = z.infer<typeof caseAlertSchema>;
