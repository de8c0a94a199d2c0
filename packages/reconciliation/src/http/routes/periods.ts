import { type Periods, periodOperations } from '@financing-checkout/contract/reconciliation';
import { actorOf } from '@financing-checkout/kit/http';
import { type Context, Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import type { Leader } from '../../engine/leader.ts';
import { acceptFinding, preparePeriod, withdrawRequest } from '../../periods/prepare.ts';
import { type Deciding } from '../../periods/decide.ts';
import { listPeriods, reviewedPeriod } from '../../periods/read.ts';
import { adjustmentsOfPeriod, ordersOfPeriod } from '../../periods/lists.ts';
import { verifySeals } from '../../periods/verify.ts';
import { ProblemError } from '../../platform/problem.ts';
import { type Env, clientSignal, serve } from '../context.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { routesOf } from '../operation.ts';
import { record, type RecordedAction, recordFile } from '../trail.ts';
import { tooLarge } from './money.ts';

export const periodRouteTable = routesOf(periodOperations);

const LISTED = 500;

const sealTypes = {
  statements: { ending: 'json', type: 'application/json' },
  flows: { ending: 'parquet', type: 'application/vnd.apache.parquet' },
};

export function periodRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const routes = periodRouteTable;
  const app = new Hono<Env>();

  serve(app, routes.list, async (c, input) => {
    const ctx = engine.periods(clientSignal(c));
    const { from = '', to = '9999' } = input.query();
    const { periods, open } = await listPeriods(ctx);
    const closing = engine.leader?.closing;
    return c.json({
      zone: ctx.zone,
      periods: periods.filter((one) => one.to >= from && one.from <= to),
      open,
      closing,
    } satisfies Periods);
  });

  serve(app, routes.verification, async (c, input) => {
    input.query();
    return c.json(await verifySeals(engine.facts));
  });

  serve(app, routes.read, async (c, input) => {
    input.query();
    return c.json(await reviewedPeriod(engine.periods(clientSignal(c)), periodOf(c)));
  });

  // Each read sums up the period's orders again.
  const tables = { engine, answerFile, rows: 50_000 };
  serveTable(app, tables, routes.adjustments, async (c, { limit = LISTED, after = 0 }) => {
    const ctx = engine.periods(clientSignal(c));
    const found = await adjustmentsOfPeriod(ctx, periodOf(c), { limit, offset: after });
    return { ...found, next: nextOf(found.count, after + found.adjustments.length) };
  });

  serveTable(app, tables, routes.orders, async (c, { limit = LISTED, after = 0, ...part }) => {
    const ctx = engine.periods(clientSignal(c));
    const asked = { ...part, id: periodOf(c) };
    const found = await ordersOfPeriod(ctx, asked, { limit, offset: after }).catch(tooLarge);
    return { ...found, next: nextOf(found.count, after + found.orders.length) };
  });

  serve(app, routes.seal, async (c, input) => {
    const { part, seq } = input.query();
    const id = periodOf(c);
    const seals = (await engine.facts.seals()).filter(({ period }) => period === id);
    const seal = seq === undefined ? seals.at(-1) : seals.find((one) => one.seq === seq);
    if (seal === undefined) throw new ProblemError('period-not-found');
    const taken = { subject: 'seal', detail: { period: id, seq: seal.seq, part } };
    const body = await recordFile(engine, c, taken, async () =>
      part === 'statements' ? seal.body : new Uint8Array(await engine.facts.sealFlows(seal.seq)),
    );
    c.header('financing-seal', seal.hash);
    const { ending, type } = sealTypes[part];
    return c.body(body, 200, {
      'content-disposition': `attachment; filename="${id}-seal-${seal.seq}.${ending}"`,
      'content-type': type,
    });
  });

  serve(app, routes.acceptance, async (c, input) => {
    const { by: person, ...request } = input.body();
    const action = { kind: 'acceptance', detail: request, person } as const;
    return decide(c, action, async (leader, id, by) =>
      leader.decide((ctx) => acceptFinding(ctx, id, by, request)),
    );
  });

  serve(app, routes.preparation, async (c, input) => {
    const { by: person, statements } = input.body();
    const action = { kind: 'close-preparation', detail: {}, person } as const;
    return decide(c, action, async (leader, id, by) =>
      leader.decide((ctx) => preparePeriod(ctx, id, by, statements)),
    );
  });

  serve(app, routes.close, async (c, input) => {
    const { by: person, decided, statements: seen } = input.body();
    const action = { kind: 'close', detail: {}, person } as const;
    return decide(c, action, (leader, id, by) => leader.closePeriod(id, { ...by, decided, seen }));
  });

  serve(app, routes.reopening, async (c, input) => {
    const { by: person, reason, request } = input.body();
    const action = { kind: 'reopening', detail: { reason: reason ?? null }, person } as const;
    return decide(c, action, (leader, id, by) => leader.reopenPeriod(id, by, { reason, request }));
  });

  serve(app, routes.withdrawal, async (c, input) => {
    const { by: person, of } = input.body();
    const action = { kind: 'request-withdrawal', detail: { of }, person } as const;
    return decide(c, action, async (leader, id, by) =>
      leader.decide((ctx) => withdrawRequest(ctx, id, by, of)),
    );
  });
  return app;

  /** Records the caller's decision about a period, and responds with the updated period. */
  async function decide(
    c: Context<Env>,
    recorded: Omit<RecordedAction, 'subject'>,
    work: (leader: Leader, id: string, by: Deciding) => Promise<unknown>,
  ): Promise<Response> {
    const leader = await engine.requireLeader();
    const id = periodOf(c);
    const actor = actorOf(c, recorded.person);
    await record(
      engine,
      c,
      { ...recorded, subject: id },
      (action) =>
        work(leader, id, { actor, person: c.get('person'), session: c.get('session'), action }),
      () => undefined,
    );
    return c.json(await reviewedPeriod(engine.periods(), id));
  }
}

/** Returns the cursor of the next page; undefined after the last page. */
function nextOf(count: number, read: number): number | undefined {
  return read < count ? read : undefined;
}

function periodOf(c: Context<Env>): string {
  return c.req.param('period') ?? '';
}
