import { Hono } from 'hono';
import { z } from 'zod';
import { fullName } from '../../config/store.ts';
import type { Engine } from '../../engine/engine.ts';
import { isoTime } from '@financing-checkout/kit';
import { type Env, serve } from '../context.ts';
import { ofChange, operation, reading } from '../operation.ts';
import { type StatusRecord, statusSchema } from '../schemas.ts';
import { record } from '../trail.ts';

/** Operations for load balancers and supervisors, which need no token. */
export const healthOperations = {
  livez: reading('/livez', 'Liveness of the process', z.object({ state: z.string() }), {
    scope: 'none',
    budgets: { none: 'answers from memory' },
  }),
  readyz: reading(
    '/readyz',
    'Readiness to answer queries',
    z.object({ state: z.string(), role: z.string() }),
    {
      scope: 'none',
      budgets: { none: 'asks the record store once' },
      problems: ['not-ready', 'store-unavailable'],
    },
  ),
};

/** Operations on the process itself, and one that resends an alert. */
export const processOperations = {
  status: reading('/status', 'State of the process', statusSchema),
  rebuild: operation({
    ...ofChange,
    path: '/rebuild',
    summary: 'Rebuild the analytics database of this process',
    scope: 'rebuild',
    body: { schema: z.strictObject({}) },
    answers: { 200: { schema: statusSchema } },
  }),
  replay: operation({
    ...ofChange,
    path: '/alerts/:id/replay',
    summary: 'Resend a message to finance',
    scope: 'cases',
    body: { schema: z.strictObject({}) },
    answers: { 202: { schema: z.object({ id: z.string() }) } },
    problems: ['not-found', 'standby'],
  }),
};

/** Routes for the process itself and for resending an alert. */
export function processRoutes(engine: Engine, version: string): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, processOperations.status, async (c) => c.json(await statusOf(engine, version)));

  serve(app, processOperations.rebuild, async (c, input) => {
    input.body();
    const action = { kind: 'rebuild', subject: 'analytics', detail: {} } as const;
    await record(engine, c, action, () => engine.data.rebuild());
    return c.json(await statusOf(engine, version));
  });

  serve(app, processOperations.replay, async (c, input) => {
    input.body();
    const leader = await engine.requireLeader();
    const id = c.req.param('id');
    const action = { kind: 'replay', subject: id, detail: {} } as const;
    await record(engine, c, action, () => leader.replayAlert(id));
    return c.json({ id }, 202);
  });
  return app;
}

/** Routes for load balancers and supervisors, which need no token. */
export function healthRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();
  serve(app, healthOperations.livez, (c) => c.json({ state: 'alive' }));
  serve(app, healthOperations.readyz, async (c) => {
    // Throws while the record store or the database is unavailable.
    await engine.facts.head();
    void engine.data.database;
    return c.json({ state: 'ready', role: engine.leader === undefined ? 'standby' : 'leader' });
  });
  return app;
}

async function statusOf(engine: Engine, version: string): Promise<StatusRecord> {
  const { analytics, judgedAt, caughtUp, ledger, unexplained } = engine.data.status;
  const holder = await engine.facts.leaseHolder();
  const { state, reason, since } = analytics;
  return {
    version,
    environment: engine.config.environment,
    store: { id: engine.facts.id, name: fullName(engine.config.store) },
    role: engine.leader === undefined ? 'standby' : 'leader',
    ...(holder?.address === undefined ? {} : { leader: holder.address }),
    analytics: { state, reason, since: isoTime(since) },
    ...(judgedAt === undefined ? {} : { asOf: isoTime(judgedAt) }),
    ledger,
    facts: { last: await engine.facts.head(), answered: caughtUp },
    unexplained,
    imports: engine.runningImports.all,
  };
}
