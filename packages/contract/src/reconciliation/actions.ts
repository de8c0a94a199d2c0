import { z } from 'zod';
import { caseEventKinds } from './cases.ts';
import { exceptionCodes } from './exceptions.ts';

/**
 * Actions in the audit trail other than work on cases: money operations through the companion,
 * resent messages, data maintenance, alarms, exports, and console sign-ins.
 */
export const actionKinds = [
  'settle',
  'refund',
  'void',
  'resolution',
  'replay',
  'sync',
  'rebuild',
  'import',
  'withdrawal',
  'ledger-start',
  'alarm',
  'acknowledgement',
  'acceptance',
  'close-preparation',
  'close',
  'journal',
  'reopening',
  'request-withdrawal',
  'export',
  'sign-in',
  'sign-out',
] as const;
export type ActionKind = (typeof actionKinds)[number];

export const trailKinds = [...actionKinds, ...caseEventKinds] as const;

/** An entry of the trail: an event of a case, or an action with its outcome. Timestamps are ISO 8601 in UTC. */
export const trailEntrySchema = z.object({
  /** Sequence number of its first event. */
  seq: z.int().min(1),
  /** Sequence numbers of all its events: an action has its beginning, and each outcome. */
  numbers: z.array(z.int().min(1)),
  /** When it was recorded: an action before it took effect. */
  at: z.iso.datetime(),
  /** The owner of the token, and the person named in the request, if any. "-" for a failed sign-in. */
  actor: z.string(),
  /** A person who signed in through an OpenID provider: their subject there, which never changes. */
  person: z.object({ issuer: z.string(), subject: z.string() }).optional(),
  kind: z.enum(trailKinds),
  /**
   * What it is about: the id of a case, charge, operation, message or import, a table, a period, a name, or
   * the IP address block of failed sign-ins.
   */
  subject: z.string(),
  /** Order key of the charge or case. */
  orderKey: z.string().optional(),
  merchantOrderId: z.string().optional(),
  /** Exception and currency of the case. */
  code: z.enum(exceptionCodes).optional(),
  currency: z.string().optional(),
  /** Amounts are in minor units of the currency, which comes from the case or from the response. */
  detail: z.record(z.string(), z.unknown()),
  /**
   * For an action: `done`, the state of the operation (`accepted`, …), the code of a problem,
   * `not-sent`, or `unknown`: the companion may have done it. Absent while the action runs, or if
   * its process ended.
   */
  outcome: z.string().optional(),
  endedAt: z.iso.datetime().optional(),
  /** Hash of its last event. */
  hash: z.string(),
});
export type TrailEntry = z.infer<typeof trailEntrySchema>;

/** A page of the trail, newest first. `next` is the `after` parameter of the next page. */
export const trailSchema = z.object({
  entries: z.array(trailEntrySchema),
  next: z.string().optional(),
});
