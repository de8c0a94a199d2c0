import { z } from 'zod';
import { caseEventKinds } from './cases.ts';
import { exceptionCodes } from './exceptions.ts';

/**
 * Actions in the audit trail other than work on cases: money operations through the companion,
 * resent messages, data maintenance, exports, and console sign-ins.
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

/** One action by a person or a program. Timestamps are ISO 8601 in UTC. */
export const actionSchema = z.object({
  /** Sequence number of the action's first event in the trail. */
  seq: z.int().min(1),
  /** Sequence numbers of all its events: its beginning, and each outcome. */
  numbers: z.array(z.int().min(1)),
  /** When the action was recorded, before it took effect. */
  at: z.iso.datetime(),
  /** The owner of the token, and the person named in the request, if any. "-": a failed sign-in. */
  actor: z.string(),
  /** A person who signed in through an OpenID provider: their subject there, which never changes. */
  person: z.object({ issuer: z.string(), subject: z.string() }).optional(),
  kind: z.enum(actionKinds),
  /**
   * The subject of the action: the id of a charge, operation, message or import, a table, a
   * name, or the IP address block of failed sign-ins.
   */
  subject: z.string(),
  /** Amounts are in minor units of `currency`, which comes from the response to an operation. */
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /**
   * `done`, the state of the operation (`accepted`, …), the code of a problem, `not-sent`, or
   * `unknown`: the companion may have done it. Absent: it is running, or its process ended.
   */
  outcome: z.string().optional(),
  endedAt: z.iso.datetime().optional(),
  /** Hash of the action's last event. */
  hash: z.string(),
});
export type Action = z.infer<typeof actionSchema>;

/** A page of actions, newest first. `next` is the `after` parameter of the following page. */
export const actionsSchema = z.object({
  actions: z.array(actionSchema),
  next: z.string().optional(),
});

/** The chains of the trail: work on cases, and all other actions. */
export const trailChains = ['actions', 'cases'] as const;
export const trailKinds = [...actionKinds, ...caseEventKinds] as const;

/** An entry of the trail of people: an action, or an event of a case. */
export const trailEntrySchema = actionSchema.omit({ seq: true, kind: true, detail: true }).extend({
  chain: z.enum(trailChains),
  kind: z.enum(trailKinds),
  /** Order of the charge or of the case. */
  orderKey: z.string().optional(),
  merchantOrderId: z.string().optional(),
  /** Exception and currency of the case. */
  code: z.enum(exceptionCodes).optional(),
  currency: z.string().optional(),
  detail: z.record(z.string(), z.unknown()),
});
export type TrailEntry = z.infer<typeof trailEntrySchema>;

/** A page of the trail, newest first. `next` is the `after` parameter of the next page. */
export const trailSchema = z.object({
  entries: z.array(trailEntrySchema),
  next: z.string().optional(),
});
