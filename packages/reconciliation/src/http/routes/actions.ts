import { actionsSchema, trailSchema } from '@financing-checkout/contract';
import { Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import { clientSignal } from '../client-signal.ts';
import { cursorOf } from '../cursor.ts';
import { type Env, serve } from '../env.ts';
import { reading } from '../operation.ts';
import { actionsQuery, trailQuery } from '../queries.ts';
import { actionRecord, trailPage, trailPosition } from '../people-trail.ts';

/** Operations of the trail of actions. */
export const actionOperations = {
  list: reading('/actions', 'Actions beside the work on cases, newest first', actionsSchema, {
    description:
      'Each is recorded before it takes effect and with its outcome, in a chain of hashes that `/trail/verification` verifies. Paged by cursor.',
    query: actionsQuery,
  }),
  trail: reading(
    '/trail',
    'What people have done, on cases and beside them, newest first',
    trailSchema,
    {
      description:
        'Merges both chains of hashes. `numbers` are those of the entry in its chain: an action has one for its beginning and one for each outcome. Entries of the program itself are those of the actor `reconciliation`. Paged by cursor.',
      query: trailQuery,
    },
  ),
};

/** Route for the trail of actions. */
export function actionRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();
  serve(app, actionOperations.list, async (c, input) => {
    const { after = Number.MAX_SAFE_INTEGER, limit } = input.query();
    const rows = await engine.facts.actions(after, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return c.json({
      actions: page.map(actionRecord),
      ...(rows.length > limit && last ? { next: cursorOf(String(last.begun.seq)) } : {}),
    });
  });
  serve(app, actionOperations.trail, async (c, input) => {
    const { after, limit, ...wanted } = input.query();
    const start = after && trailPosition(after);
    const page = await trailPage(engine, clientSignal(c), { ...wanted, after: start, limit });
    return c.json({
      entries: page.entries,
      ...(page.next && { next: cursorOf(...page.next.map(String)) }),
    });
  });
  return app;
}
