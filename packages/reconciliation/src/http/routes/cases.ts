import {
  caseHistorySchema,
  type CaseAction,
  type CaseOperation,
  caseCountsSchema,
  caseListOperations,
  caseOperations as declared,
  type CasePeople,
  casePeopleSchema,
  type CaseRecord,
  caseVerbNames,
  caseVerbs,
  manyCasesOperations,
  similarCasesSchema,
  type TrailVerification,
  trailVerificationSchema,
} from '@financing-checkout/contract/reconciliation';
import { problems } from '@financing-checkout/contract/storefront';
import { isoTime } from '@financing-checkout/kit';
import { actorOf } from '@financing-checkout/kit/http';
import { calendarOf, compareTexts } from '@financing-checkout/reconciliation-rules';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { raiseAlarm } from '../../cases/alarms.ts';
import { mentionsIn } from '../../cases/mentions.ts';
import type { PartRequest } from '../../cases/operations.ts';
import { caseEventRecord, caseRecord } from '../../cases/record.ts';
import { verifyTrail } from '../../cases/trail.ts';
import { compareTrail } from '../../companion/compare-trail.ts';
import { CompanionRefusal, CompanionSilence } from '../../companion/office.ts';
import type { Engine } from '../../engine/engine.ts';
import { orderKeyOf } from '../../platform/order-key.ts';
import { ProblemError } from '../../platform/problem.ts';
import { caseOrder } from '../../queries/cases/case-order.ts';
import {
  agingOfCases,
  casesAround,
  casesPage,
  countsOfCases,
  judgeCases,
  placeOfCase,
  summaryOfCases,
} from '../../queries/cases/cases.ts';
import type { QueryContext } from '../../queries/basis/reliability.ts';
import { similarCases } from '../../queries/cases/similar-cases.ts';
import { claimOrder, claimsOf, sumsOfClaims } from '../../queries/orders/claims.ts';
import type { CaseFact } from '../../facts/case-facts.ts';
import { eventAfter, nextEvent, nextOf, pageOf, placeAfter } from '../cursor.ts';
import { type Env, clientSignal, idempotencyKey, serve } from '../context.ts';
import { namesOfLender, selectedBy } from '../lender.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { explanationOf } from './explanation-sources.ts';
import { reading, routesOf } from '../operation.ts';
import { caseCountsQuery, caseHistoryQuery, verificationQuery } from '../queries.ts';
import { answerTagged, tagged } from '../tagged.ts';

const { list: caseList } = caseListOperations;

/** Has room for as many operations as a request may have, each with a text of 4,000 ASCII characters. */
const MANY_BYTES = 4_194_304;

/** Operations on cases. */
export const caseOperations = {
  counts: reading('/cases/counts', 'Numbers of cases of several filters', caseCountsSchema, {
    query: caseCountsQuery,
  }),
  people: reading(
    '/cases/people',
    'People who have a token or a case, or have signed in',
    casePeopleSchema,
  ),
  ...routesOf(caseListOperations),
  verification: reading(
    '/trail/verification',
    'Verification of the trail',
    trailVerificationSchema,
    {
      description:
        'Recomputes every hash and every case, and names the first invalid event. With `anchor`, an earlier head from a copy kept elsewhere, it also detects a trail that was replaced.',
      query: verificationQuery,
    },
  ),
  read: reading('/cases/:caseId', 'One case with its audit trail', caseHistorySchema, {
    query: caseHistoryQuery,
    problems: ['case-not-found'],
  }),
  similar: reading(
    '/cases/:caseId/similar',
    'Cases of the same code and lender, and how they were decided',
    similarCasesSchema,
    { problems: ['case-not-found'] },
  ),
  ...routesOf(declared),
  ...routesOf(manyCasesOperations, { maxBodyBytes: MANY_BYTES }),
};

/** Routes for cases: work on exceptions, and its audit trail. */
export function caseRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const { clock } = engine;
  const { zone } = engine.config.sync;
  const app = new Hono<Env>();

  serve(app, caseOperations.list, async (c, input) => {
    const { after, limit } = input.query();
    const ctx = engine.data.context(clientSignal(c));
    const { filter, order } = await listOf(ctx, input.query());
    const part = { order, after: placeAfter(after, order), limit };
    const { cases, next } = await casesPage(ctx, filter, part);
    const isCounted = next !== undefined && after === undefined;
    return answerTagged(c, {
      cases,
      count: isCounted ? (await summaryOfCases(ctx, filter)).count : undefined,
      next: nextOf(order, next),
    });
  });

  serve(app, caseOperations.summary, async (c, input) => {
    const ctx = engine.data.context(clientSignal(c));
    const filter = await selectedBy(ctx, input.query(), zone);
    return answerTagged(c, await summaryOfCases(ctx, filter));
  });

  serve(app, caseOperations.counts, async (c, input) => {
    const { filter } = input.query();
    return answerTagged(c, await countsOfCases(engine.data.context(clientSignal(c)), filter));
  });

  serve(app, caseOperations.people, async (c) => {
    return c.json({ people: await people() } satisfies CasePeople);
  });

  const tables = { engine, answerFile, rows: 500, respond: tagged };
  serveTable(app, tables, caseOperations.aging, (c) =>
    agingOfCases(engine.data.context(clientSignal(c))),
  );

  serveTable(app, tables, caseOperations.claims, async (c, { after, lender, limit }) => {
    const ctx = engine.data.context(clientSignal(c));
    const lenders = (await namesOfLender(ctx, lender)) ?? [];
    const part = { lenders, after: placeAfter(after, claimOrder), limit };
    const { claims, next } = await claimsOf(ctx, part);
    return {
      sums: after === undefined ? await sumsOfClaims(ctx, lenders) : undefined,
      claims,
      next: nextOf(claimOrder, next),
    };
  });

  serve(app, caseOperations.verification, async (c, input) => {
    const { anchor } = input.query();
    const { environment } = engine.config;
    const trail = await verifyTrail({ facts: engine.facts, environment, anchor });
    const { broken } = trail;
    // A wrong anchor of the request is no finding.
    if (broken !== undefined && anchor === undefined) {
      await raiseAlarm(engine, 'trail-broken', { seq: broken.seq, reason: broken.reason });
    }
    return c.json({ ...trail, ...(await compared(engine)) } satisfies TrailVerification);
  });

  serve(app, caseOperations.read, async (c, input) => {
    const { after, limit } = input.query();
    const row = await engine.facts.findCase(c.req.param('caseId'));
    if (row === undefined) throw new ProblemError('case-not-found');
    const query = { subjects: [row.id], after: eventAfter(after) ?? 0, limit: limit + 1 };
    const events = await engine.facts.trailEvents(query);
    const { page, last } = pageOf(events, limit);
    return answerTagged(c, {
      case: (await judged([row], clientSignal(c)))[0],
      events: page.map(caseEventRecord),
      next: nextEvent(last?.seq),
    });
  });

  serve(app, caseOperations.similar, async (c) => {
    const row = await engine.facts.findCase(c.req.param('caseId'));
    if (row === undefined) throw new ProblemError('case-not-found');
    return answerTagged(c, await similarCases(engine.data.context(clientSignal(c)), row));
  });

  for (const verb of caseVerbNames) {
    serve(app, caseOperations[verb], async (c, input) => {
      const key = idempotencyKey(c);
      const leader = await engine.requireLeader();
      const one = { ...input.body(), verb, caseId: c.req.param('caseId') } as CaseOperation;
      const names = verb === 'note' ? await people() : [];
      const { caseId } = one;
      const { shown } = input.query();
      const ctx = engine.data.context(clientSignal(c));
      const list = shown === undefined ? undefined : await listOf(ctx, shownList(shown));
      // A decision may change its place.
      const place = list && (await placeOfCase(ctx, list.order, caseId));
      const { events, fact } = await leader.operateOnCase({ ...partOf(c, one, names), key });
      const [record] = await judged([fact], clientSignal(c));
      if (list === undefined || place === undefined) return c.json(record);
      const page = {
        events: events.map(caseEventRecord),
        order: await explanationOf(engine, fact.orderKey, clientSignal(c)),
        queue: await casesAround(ctx, list.filter, { id: caseId, order: list.order, place }),
      };
      return c.json({ ...record, page });
    });
  }

  serve(app, caseOperations.operate, async (c, input) => {
    const key = idempotencyKey(c);
    const leader = await engine.requireLeader();
    const names = await people();
    const parts = input.body().operations.map((one) => partOf(c, one, names));
    const outcomes = await leader.operateOnCases(parts, key);
    const done = outcomes.flatMap((one) => ('fact' in one ? [one.fact] : []));
    const records = new Map((await judged(done, clientSignal(c))).map((one) => [one.id, one]));
    return c.json({
      results: outcomes.map((one) => {
        if ('fact' in one) {
          const { fact, revision } = one;
          return { caseId: fact.id, case: records.get(fact.id), revision };
        }
        const { code, extras } = one.problem;
        return {
          caseId: one.caseId,
          problem: { code, ...problems[code], retrySafe: false, ...extras },
        };
      }),
    });
  });
  return app;

  async function listOf(ctx: QueryContext, query: z.output<typeof caseList.query>) {
    const { sort, direction, merchantOrderId, ...filters } = query;
    const filter = {
      ...(await selectedBy(ctx, filters, zone)),
      orderKey: merchantOrderId === undefined ? undefined : orderKeyOf(merchantOrderId),
    };
    return { filter, order: caseOrder(sort, direction) };
  }

  async function people(): Promise<string[]> {
    const { tokens } = engine.config;
    const names = [
      ...tokens.map(({ name }) => name),
      ...(await engine.facts.people()).map(({ name }) => name),
      ...(await engine.facts.assignees()),
    ];
    return [...new Set(names)].sort(compareTexts);
  }

  async function judged(rows: readonly CaseFact[], signal: AbortSignal): Promise<CaseRecord[]> {
    const found = await judgeCases(engine.data.context(signal), rows);
    return found.map((one) => caseRecord(one, clock.now(), engine.config.policy.caseDays));
  }

  /** @param names people whom a note may mention */
  function partOf(
    c: Context<Env>,
    { by, caseId, ifRevision, verb, ...written }: CaseOperation,
    names: readonly string[],
  ): PartRequest {
    const action = { kind: caseVerbs[verb].kind, ...written } as CaseAction;
    return {
      caseId,
      operation: action.kind === 'snoozed' ? snoozed(action.until) : action,
      by: actorOf(c, by),
      ifRevision,
      mentions: action.kind === 'noted' ? mentionsIn(action.note, names) : undefined,
    };
  }

  /** Returns the action for snoozing until the start of a day in the business zone. */
  function snoozed(day: string): CaseAction {
    const until = calendarOf(engine.config.policy.slaDays).startOf(day);
    if (until > clock.now()) return { kind: 'snoozed', until: isoTime(until) };
    const errors = [{ path: 'until', message: 'must be a day after today' }];
    throw new ProblemError('invalid-request', { errors });
  }
}

/** Reads the list that a page shows. @throws {ProblemError} `invalid-request` */
function shownList(shown: string): z.output<typeof caseList.query> {
  const { data } = caseList.query.safeParse(Object.fromEntries(new URLSearchParams(shown)));
  if (data !== undefined) return data;
  const errors = [{ path: 'shown', message: 'must be a query of GET /cases' }];
  throw new ProblemError('invalid-request', { errors });
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
