import { z } from 'zod';
import { deliverySchema, deliveryStates } from '../back-office/deliveries.ts';
import { actionsSchema, trailKinds, trailSchema } from './actions.ts';
import { read } from './operation.ts';
import { cursor, dayFlags, days, listed, name, oneOf } from './query.ts';
import { tables } from './tables.ts';

const page = { after: cursor, limit: listed };
const flags = dayFlags('entries of this day or later');

const moved = {
  currency: ['currency|detail.currency', 'text'],
  amount: ['detail.amount', 'amount'],
  detail: 'text',
  outcome: 'text',
  ended_at: 'moment',
  hash: 'text',
} as const;
const who = { at: 'moment', actor: 'text', kind: 'word', subject: 'text' } as const;

/** Operations on the audit trail of people and programs. */
export const trailOperations = {
  list: read('/actions', {
    summary: 'Actions beside the work on cases, newest first',
    description:
      'Each is recorded before it takes effect and with its outcome, in a chain of hashes that `/trail/verification` verifies. Paged by cursor.',
    query: z.strictObject({ ...days, ...page }),
    answer: actionsSchema,
    verb: { name: 'trail actions', flags },
    table: {
      rows: 'actions',
      columns: { seq: 'count', ...who, ...moved },
      shown: ['at', 'actor', 'kind', 'subject', 'amount', 'detail', 'outcome'],
      empty: 'No action is recorded.',
    },
  }),
  trail: read('/trail', {
    summary: 'What people have done, on cases and beside them, newest first',
    description:
      'Merges both chains of hashes. `numbers` are those of the entry in its chain: an action has one for its beginning and one for each outcome. Entries of the program itself are those of the actor `reconciliation`. Paged by cursor.',
    query: z.strictObject({
      /** Part of the person's name, in any letter case. By default, entries of people. */
      actor: name.optional(),
      kind: oneOf(trailKinds).optional(),
      ...days,
      ...page,
    }),
    answer: trailSchema,
    verb: {
      name: 'trail list',
      flags: {
        ...flags,
        actor: '--actor <name>  part of the name of the person; by default all people',
        kind: '--kind <kind>  only entries of this kind',
      },
    },
    table: {
      rows: 'entries',
      columns: {
        chain: 'word',
        numbers: 'text',
        ...who,
        order: ['merchantOrderId', 'text'],
        order_key: 'text',
        code: 'word',
        ...moved,
      },
      shown: ['at', 'actor', 'kind', 'order|subject', 'amount', 'detail', 'outcome'],
      empty: 'No matching entry.',
    },
  }),
  alerts: read('/alerts', {
    summary: 'Messages to finance, oldest first',
    query: z.strictObject({ state: oneOf(deliveryStates).optional(), ...days, ...page }),
    answer: z.object({
      deliveries: z.array(
        deliverySchema.omit({ checkoutId: true }).extend({ caseId: z.string().optional() }),
      ),
      next: z.string().optional(),
    }),
    verb: {
      name: 'cases alerts',
      flags: { ...flags, state: '--state <state>  only in this state' },
    },
    table: tables.alerts,
  }),
} as const;
