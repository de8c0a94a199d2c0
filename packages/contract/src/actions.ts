import { z } from 'zod';

/**
 * Actions of the trail, beside the work on cases: operations with money through the companion,
 * messages that are sent again, the work on the data, exports, and sign-ins of the console.
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
  'export',
  'sign-in',
  'sign-out',
] as const;
export type ActionKind = (typeof actionKinds)[number];

/** One action of a person or a program. Times are ISO 8601 in UTC. */
export const actionSchema = z.object({
  /** Position of its first event in the trail. */
  seq: z.int().min(1),
  /** When it was recorded, before it took effect. */
  at: z.iso.datetime(),
  /** The owner of the token, and the person that the request named, if any. "-": a failed sign-in. */
  actor: z.string(),
  kind: z.enum(actionKinds),
  /**
   * What it changes or reads: the id of a charge, an operation, a message or an import, a table, a
   * name, or the address block of failed sign-ins.
   */
  subject: z.string(),
  /** Amounts are minor units of `currency`, which the answer to an operation states. */
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /**
   * `done`, the state of the operation (`accepted`, …), the code of a problem, `not-sent`, or
   * `unknown`: the companion may have done it. Absent: it runs, or its process ended before.
   */
  outcome: z.string().optional(),
  endedAt: z.iso.datetime().optional(),
  /** Hash of its last event. */
  hash: z.string(),
});
export type Action = z.infer<typeof actionSchema>;

/** A page, newest first. `next`: the `after` of the next page. */
export const actionsSchema = z.object({
  actions: z.array(actionSchema),
  next: z.string().optional(),
});
