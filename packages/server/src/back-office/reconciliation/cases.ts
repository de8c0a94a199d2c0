import {
  assignRequestSchema,
  noteRequestSchema,
  reasonRequestSchema,
} from '@financing-checkout/contract';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { parseBody, parseQuery } from '../../http/parse.ts';
import type { Env } from '../../http/requests.ts';
import { idempotencyKey } from '../../idempotency/key.ts';
import { orderKeyOf } from '../../order-key.ts';
import { ProblemError } from '../../problem/problem.ts';
import { ageingOfCases } from '../../reconciliation/cases/ageing.ts';
import { type CaseOperation, operateOnCase } from '../../reconciliation/cases/operations.ts';
import { caseEventRecord, caseRecord } from '../../reconciliation/cases/record.ts';
import { verifyTrail } from '../../reconciliation/cases/trail.ts';
import { actorOf } from '../access.ts';
import type { ReconciliationRoutesContext } from './context.ts';
import { cursorOf } from './cursor.ts';
import { caseHistoryQuery, casesQuery, verificationQuery } from './queries.ts';
import { answerTagged } from './tagged.ts';

const DAY_MS = 86_400_000;

/** Routes of the back office for cases: what is done about exceptions, and the trail of it. */
export function caseRoutes(ctx: ReconciliationRoutesContext): Hono<Env> {
  const { environment, store, clock } = ctx;
  const app = new Hono<Env>();

  app.get('/reconciliation/cases', async (c) => {
    const { after, days, limit, merchantOrderId, ...query } = parseQuery(c, casesQuery);
    const now = clock.now();
    const rows = await store.findCases({
      ...query,
      environment,
      orderKey: merchantOrderId === undefined ? undefined : orderKeyOf(merchantOrderId),
      before: days === undefined ? undefined : now - days * DAY_MS + 1,
      after: after?.[0],
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return answerTagged(c, {
      cases: page.map((row) => caseRecord(row, now)),
      ...(rows.length > limit && last !== undefined ? { next: cursorOf(last.id) } : {}),
    });
  });

  app.get('/reconciliation/cases/ageing', async (c) =>
    answerTagged(c, await ageingOfCases(store, environment, clock.now())),
  );

  app.get('/reconciliation/cases/verification', async (c) => {
    const { anchor } = parseQuery(c, verificationQuery);
    const [seq = '', hash = ''] = anchor?.split(':') ?? [];
    const kept = anchor === undefined ? undefined : { seq: Number(seq), hash };
    return c.json(await verifyTrail(store, environment, kept));
  });

  app.get('/reconciliation/cases/:caseId', async (c) => {
    const { after, limit } = parseQuery(c, caseHistoryQuery);
    const row = await store.findCase(environment, c.req.param('caseId'));
    if (row === undefined) throw new ProblemError('case-not-found');
    const events = await store.caseEvents({
      environment,
      caseIds: [row.id],
      after: after ?? 0,
      limit: limit + 1,
    });
    const page = events.slice(0, limit);
    const last = page.at(-1);
    return answerTagged(c, {
      case: caseRecord(row, clock.now()),
      events: page.map(caseEventRecord),
      ...(events.length > limit && last !== undefined ? { next: cursorOf(String(last.seq)) } : {}),
    });
  });

  app.post('/reconciliation/cases/:caseId/assign', (c) => {
    const { by, assignee } = parseBody(c, assignRequestSchema);
    return operate(c, by, { kind: 'assigned', assignee });
  });
  app.post('/reconciliation/cases/:caseId/note', (c) => {
    const { by, note } = parseBody(c, noteRequestSchema);
    return operate(c, by, { kind: 'noted', note });
  });
  for (const [verb, kind] of [
    ['resolve', 'resolved'],
    ['ignore', 'ignored'],
    ['reopen', 'reopened'],
  ] as const) {
    app.post(`/reconciliation/cases/:caseId/${verb}`, (c) => {
      const { by, reason } = parseBody(c, reasonRequestSchema);
      return operate(c, by, { kind, reason });
    });
  }
  return app;

  async function operate(
    c: Context<Env>,
    person: string | undefined,
    operation: CaseOperation,
  ): Promise<Response> {
    const row = await operateOnCase(ctx, {
      caseId: c.req.param('caseId') ?? '',
      operation,
      by: actorOf(c, person),
      key: idempotencyKey(c.req.header('idempotency-key')),
    });
    return c.json(caseRecord(row, clock.now()));
  }
}
