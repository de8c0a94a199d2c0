import { z } from 'zod';
import { deliverySchema, deliveryStates } from '../back-office/deliveries.ts';
import { trailKinds, trailSchema } from './actions.ts';
import { read } from './operation.ts';
import { cursor, dayFlags, days, listed, name, oneOf } from './query.ts';
import { tables } from './tables.ts';

const page = { after: cursor, limit: listed };
const flags = dayFlags('entries of this day or later');

/** Operations on what people and the program have done. */
export const trailOperations = {
  trail: read('/trail', {
    summary: 'Who did what, on cases and beside them, newest first',
    description:
      'One chain of hashes, which `/trail/verification` verifies. `numbers` are those of the events of an entry: an action is recorded before it takes effect, and has a number for its beginning and for each outcome. Paged by cursor.',
    query: z.strictObject({
      /** What an entry is about, such as the id of a case. */
      subject: name.optional(),
      kind: oneOf(trailKinds).optional(),
      /** Part of the person's name, in any letter case. */
      actor: name.optional(),
      /** Only entries of people, or only those of the program itself, whose actor is `reconciliation`. */
      by: oneOf(['people', 'program']).optional(),
      ...days,
      ...page,
    }),
    answer: trailSchema,
    verb: {
      name: 'trail list',
      flags: {
        ...flags,
        subject: '--subject <id>  only entries about this case, charge, import, period, …',
        actor: '--actor <name>  part of the name of the person',
        by: '--who <who>  only entries of people, or only those of the program itself',
        kind: '--kind <kind>  only entries of this kind',
      },
    },
    table: {
      rows: 'entries',
      columns: {
        seq: 'count',
        numbers: 'text',
        at: 'moment',
        actor: 'text',
        kind: 'word',
        subject: 'text',
        order: ['merchantOrderId', 'text'],
        order_key: 'text',
        code: 'word',
        currency: ['currency|detail.currency', 'text'],
        amount: ['detail.amount', 'amount'],
        amount_before: ['detail.amountBefore', 'amount'],
        detail: 'text',
        outcome: 'text',
        ended_at: 'moment',
        hash: 'text',
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
