import {
  assignRequestSchema,
  type CaseRecord,
  noteRequestSchema,
  reasonRequestSchema,
  type TrailVerification,
} from '@financing-checkout/contract';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { CaseOperation } from '../../cases/operations.ts';
import { caseEventRecord, caseRecord } from '../../cases/record.ts';
import { verifyTrails } from '../../cases/trail-head.ts';
import { compareTrail } from '../../companion/compare-trail.ts';
import { CompanionRefusal, CompanionSilence } from '../../companion/office.ts';
import type { Engine } from '../../engine/engine.ts';
import { orderKeyOf } from '../../platform/order-key.ts';
import { ProblemError } from '../../platform/problem.ts';
import { ageingOfCases, casesPage, isAssumed } from '../../queries/cases.ts';
import type { CaseRow } from '../../facts/case-facts.ts';
import { actorOf } from '../access.ts';
import { cursorOf } from '../cursor.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { parseBody, parseQuery } from '../parse.ts';
import { caseHistoryQuery, casesQuery, verificationQuery } from '../queries.ts';
import { answerTagged } from '../tagged.ts';

const verbs = [
  ['resolve', 'resolved'],
  ['ignore', 'ignored'],
  ['reopen', 'reopened'],
] as const;

/** Routes for cases: work on exceptions, and its audit trail. */
export function caseRoutes(engine: Engine): Hono<Env> {
  const { clock } = engine;
  const app = new Hono<Env>();

  app.get('/cases', async (c) => {
    const { after, merchantOrderId, ...query } = parseQuery(c, casesQuery);
    const { cases, next } = await casesPage(engine.data.context(clientSignal(c)), {
      ...query,
      orderKey: merchantOrderId === undefined ? undefined : orderKeyOf(merchantOrderId),
      after: after?.[0],
    });
    return answerTagged(c, { cases, ...(next === undefined ? {} : { next: cursorOf(next) }) });
  });

  app.get('/cases/ageing', async (c) =>
    answerTagged(c, await ageingOfCases(engine.data.context(clientSignal(c)))),
  );

  // The route of earlier versions has the same answer.
  for (const path of ['/cases/verification', '/trail/verification']) {
    app.get(path, async (c) => {
      const { anchor } = parseQuery(c, verificationQuery);
      const { environment } = engine.config;
      const trails = await verifyTrails({ facts: engine.facts, environment, anchor });
      return c.json({ ...trails, ...(await compared(engine)) } satisfies TrailVerification);
    });
  }

  app.get('/cases/:caseId', async (c) => {
    const { after, limit } = parseQuery(c, caseHistoryQuery);
    const row = await engine.facts.findCase(c.req.param('caseId'));
    if (row === undefined) throw new ProblemError('case-not-found');
    const query = { caseIds: [row.id], after: after ?? 0, limit: limit + 1 };
    const events = await engine.facts.caseEvents(query);
    const page = events.slice(0, limit);
    const last = page.at(-1);
    return answerTagged(c, {
      case: await judged(row, clientSignal(c)),
      events: page.map(caseEventRecord),
      ...(events.length > limit && last ? { next: cursorOf(String(last.seq)) } : {}),
    });
  });

  app.post('/cases/:caseId/assign', (c) => {
    const { by, assignee } = parseBody(c, assignRequestSchema);
    return operate(c, by, { kind: 'assigned', assignee });
  });
  app.post('/cases/:caseId/note', (c) => {
    const { by, note } = parseBody(c, noteRequestSchema);
    return operate(c, by, { kind: 'noted', note });
  });
  for (const [verb, kind] of verbs) {
    app.post(`/cases/:caseId/${verb}`, (c) => {
      const { by, reason } = parseBody(c, reasonRequestSchema);
      return operate(c, by, { kind, reason });
    });
  }
  return app;

  async function judged(row: CaseRow, signal: AbortSignal): Promise<CaseRecord> {
    const currencyAssumed = await isAssumed(engine.data.context(signal), row);
    return caseRecord({ ...row, currencyAssumed }, clock.now());
  }

  async function operate(
    c: Context<Env>,
    person: string | undefined,
    operation: CaseOperation,
  ): Promise<Response> {
    const key = idempotencyKey(c);
    const leader = await engine.requireLeader();
    const row = await leader.operateOnCase({
      operation,
      key,
      caseId: c.req.param('caseId') ?? '',
      by: actorOf(c, person),
    });
    return c.json(await judged(row, clientSignal(c)));
  }
}

/** Returns the comparison with the companion, or why there is none. */
async function compared(
  engine: Engine,
): Promise<Pick<TrailVerification, 'companion' | 'notCompared'>> {
  try {
    return { companion: await compareTrail(engine.facts, engine.operations) };
  } catch (error) {
    if (error instanceof CompanionSilence) return { notCompared: error.reason };
    if (error instanceof CompanionRefusal) return { notCompared: error.problem.code };
    throw error;
  }
}
