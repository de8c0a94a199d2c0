import { Hono } from 'hono';
import { z } from 'zod';
import { ServiceError } from '../platform/service-error.ts';
import {
  delayedTypes,
  type ForcedTransaction,
  transactionEnds,
  transactionOutcomes,
} from '../charges/forced.ts';
import { environmentNames } from '../environments/environment.ts';
import type { Service } from '../service.ts';
import { delay } from './outcomes.ts';
import { readBody, refuse } from './request.ts';

const forced = z
  .strictObject({
    outcome: z.enum(transactionOutcomes),
    type: z.enum(delayedTypes),
    next: z.int().min(1).max(1_000_000).default(1),
    environment: z.enum(environmentNames).optional(),
    after: delay.refine((after) => after > 0, 'must be more than 0').optional(),
  })
  .refine(({ outcome, after }) => outcome !== 'fail' || after === undefined, {
    error: 'after is for pending-complete and pending-fail',
  });
const resolution = z.strictObject({
  transactionId: z.string().min(1).max(256),
  end: z.enum(transactionEnds),
});

/** `/transaction-outcomes`: makes settles, refunds and voids `Pending` at first, or fail at once. */
export function transactionRoutes({ charges, forcedTransactions }: Service): Hono {
  const routes = new Hono();
  routes.get('/', (c) => c.json({ outcomes: forcedTransactions.list().map(shown) }));
  routes.post('/', async (c) => {
    const body = await readBody(c, forced);
    const { outcome, type, next, environment, after } = body;
    const set = forcedTransactions.set({
      environment: environment ?? null,
      type,
      remaining: next,
      endsAfterMs: outcome === 'fail' ? 0 : (after ?? 3_600_000),
      state: outcome === 'pending-complete' ? 'Completed' : 'Failed',
    });
    return c.json(shown(set), 201);
  });
  routes.delete('/', (c) => c.json({ cleared: forcedTransactions.clear() }));
  routes.post('/resolve', async (c) => {
    const body = await readBody(c, resolution);
    const { transactionId, end } = body;
    try {
      const ended = charges.end(transactionId, end === 'completed' ? 'Completed' : 'Failed');
      if (!ended) return refuse(c, 'the transaction is not pending: it has ended', 409);
      return c.json({ transactionId, type: ended.type, state: ended.state });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return refuse(c, 'there is no transaction of this id', 404);
    }
  });
  return routes;
}

function shown({ id, type, remaining, environment, endsAfterMs, state }: ForcedTransaction) {
  const later = state === 'Completed' ? 'pending-complete' : 'pending-fail';
  const outcome = endsAfterMs === 0 ? 'fail' : later;
  return { id, outcome, type, next: remaining, environment, endsAfterMs };
}
