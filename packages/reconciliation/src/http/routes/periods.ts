import {
  acceptanceRequestSchema,
  adjustmentsSchema,
  closeRequestSchema,
  periodDetailSchema,
  periodOrdersSchema,
  periodsSchema,
  type Periods,
  prepareRequestSchema,
  reopeningRequestSchema,
  requestWithdrawalSchema,
  sealVerificationSchema,
} from '@financing-checkout/contract';
import { actorOf } from '@financing-checkout/kit/http';
import { type Context, Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import type { Leader } from '../../engine/leader.ts';
import {
  acceptFinding,
  type Deciding,
  describePeriod,
  listPeriods,
  preparePeriod,
  withdrawRequest,
} from '../../periods/close.ts';
import { adjustmentsOfPeriod, ordersOfPeriod } from '../../periods/lists.ts';
import { verifySeals } from '../../periods/verify.ts';
import { ProblemError } from '../../platform/problem.ts';
import { clientSignal } from '../client-signal.ts';
import { type Env, serve } from '../env.ts';
import { noQuery, ofChange, operation, reading } from '../operation.ts';
import { adjustmentsQuery, periodOrdersQuery, periodsQuery, sealQuery } from '../queries.ts';
import { record, type RecordedAction, recordFile } from '../trail.ts';
import { tooLarge } from './money.ts';

const refusals = [
  'period-not-found',
  'period-not-permitted',
  'period-not-ready',
  'period-changed',
  'second-person-required',
  'sync-busy',
  'standby',
] as const;

/** Operations on the periods of the books. */
export const periodOperations = {
  list: reading('/periods', 'Periods of the books, newest first', periodsSchema, {
    description:
      'Calendar months, or the periods of the policy file. `open` is closed next, and `closing` is the step of a running close.',
    query: periodsQuery,
  }),
  verification: reading(
    '/periods/verification',
    'Verification of all seals',
    sealVerificationSchema,
    {
      description:
        'Recomputes the SHA-256 of each seal, of its amounts by order, and of the contents of all days and imports that it covers, and compares it with the trail of actions.',
      query: noQuery,
    },
  ),
  read: reading('/periods/:period', 'A period, and what its close needs', periodDetailSchema, {
    description: 'A closed period has the statements that were sealed, whatever has arrived since.',
    query: noQuery,
    problems: ['period-not-found'],
  }),
  adjustments: reading(
    '/periods/:period/adjustments',
    'Changes to closed periods that count in this one',
    adjustmentsSchema,
    { query: adjustmentsQuery, problems: ['period-not-found'] },
  ),
  orders: reading(
    '/periods/:period/orders',
    'The orders that make up an amount of a period',
    periodOrdersSchema,
    {
      description:
        'The largest amounts first. `sums` is the amount in the statement of each currency: as sealed, or as it would be sealed now.',
      query: periodOrdersQuery,
      problems: ['period-not-found'],
    },
  ),
  seal: reading(
    '/periods/:period/seal',
    'The seal of a closed period, to keep elsewhere',
    sealVerificationSchema,
    {
      description:
        'The body is the JSON that was hashed, byte for byte: SHA-256 of the previous hash, a line feed and the body gives the hash in the header `Financing-Seal`. With `part=flows` the amounts by order, in Parquet.',
      query: sealQuery,
      problems: ['period-not-found'],
      answers: { 200: { contentTypes: ['application/json', 'application/vnd.apache.parquet'] } },
    },
  ),
  acceptance: operation({
    ...ofChange,
    path: '/periods/:period/acceptance',
    summary: 'Accept what a check of the close found, with a reason',
    description:
      'Applies to exactly the records whose `digest` the checklist states: with another one it lapses.',
    scope: 'periods',
    body: { schema: acceptanceRequestSchema },
    answers: { 200: { schema: periodDetailSchema } },
    problems: refusals,
  }),
  preparation: operation({
    ...ofChange,
    path: '/periods/:period/preparation',
    summary: 'Prepare the close of a period for approval',
    description:
      'The statements of this moment are prepared, which are those of `statements` if it is given. The preparation lapses if they change, and after seven days.',
    scope: 'periods',
    body: { schema: prepareRequestSchema },
    answers: { 200: { schema: periodDetailSchema } },
    problems: refusals,
  }),
  close: operation({
    ...ofChange,
    path: '/periods/:period/close',
    summary: 'Approve and close a prepared period',
    description:
      'With an OpenID provider, or where two tokens have the scope `periods`, the person who prepared the period cannot approve it. Judges all orders by all facts first, and responds when the period is sealed.',
    scope: 'periods',
    body: { schema: closeRequestSchema },
    answers: { 200: { schema: periodDetailSchema } },
    problems: refusals,
  }),
  reopening: operation({
    ...ofChange,
    path: '/periods/:period/reopening',
    summary: 'Reopen the last closed period',
    description:
      'With an OpenID provider, or where two tokens have the scope `periods`, the first request records the reason, and takes effect when another person approves it without a reason, within seven days. The seal stays readable.',
    scope: 'periods',
    body: { schema: reopeningRequestSchema },
    answers: { 200: { schema: periodDetailSchema } },
    problems: refusals,
  }),
  withdrawal: operation({
    ...ofChange,
    path: '/periods/:period/withdrawal',
    summary: 'Withdraw a request for a second person',
    description: 'A preparation, or a request to reopen, by the person who made it or another one.',
    scope: 'periods',
    body: { schema: requestWithdrawalSchema },
    answers: { 200: { schema: periodDetailSchema } },
    problems: refusals,
  }),
};

const LISTED = 500;

const sealTypes = {
  statements: { ending: 'json', type: 'application/json' },
  flows: { ending: 'parquet', type: 'application/vnd.apache.parquet' },
};

/** Routes for the periods of the books. */
export function periodRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, periodOperations.list, async (c, input) => {
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

  serve(app, periodOperations.verification, async (c) => c.json(await verifySeals(engine.facts)));

  serve(app, periodOperations.read, async (c) =>
    c.json(await describePeriod(engine.periods(clientSignal(c)), periodOf(c))),
  );

  serve(app, periodOperations.adjustments, async (c, input) => {
    const { limit = LISTED } = input.query();
    const ctx = engine.periods(clientSignal(c));
    return c.json(await adjustmentsOfPeriod(ctx, periodOf(c), { limit }));
  });

  serve(app, periodOperations.orders, async (c, input) => {
    const { limit = LISTED, ...part } = input.query();
    const ctx = engine.periods(clientSignal(c));
    const asked = { ...part, id: periodOf(c) };
    return c.json(await ordersOfPeriod(ctx, asked, { limit }).catch(tooLarge));
  });

  serve(app, periodOperations.seal, async (c, input) => {
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

  serve(app, periodOperations.acceptance, async (c, input) => {
    const { by: person, ...request } = input.body();
    const action = { kind: 'acceptance', detail: request, person } as const;
    return decide(c, action, async (leader, id, by) =>
      leader.decide((ctx) => acceptFinding(ctx, id, by, request)),
    );
  });

  serve(app, periodOperations.preparation, async (c, input) => {
    const { by: person, statements } = input.body();
    const action = { kind: 'close-preparation', detail: {}, person } as const;
    return decide(c, action, async (leader, id, by) =>
      leader.decide((ctx) => preparePeriod(ctx, id, by, statements)),
    );
  });

  serve(app, periodOperations.close, async (c, input) => {
    const { by: person, statements: seen } = input.body();
    const action = { kind: 'close', detail: {}, person } as const;
    return decide(c, action, (leader, id, by) => leader.closePeriod(id, { ...by, seen }));
  });

  serve(app, periodOperations.reopening, async (c, input) => {
    const { by: person, reason, request } = input.body();
    const action = { kind: 'reopening', detail: { reason: reason ?? null }, person } as const;
    return decide(c, action, (leader, id, by) => leader.reopenPeriod(id, by, { reason, request }));
  });

  serve(app, periodOperations.withdrawal, async (c, input) => {
    const { by: person, of } = input.body();
    const action = { kind: 'request-withdrawal', detail: { of }, person } as const;
    return decide(c, action, async (leader, id, by) =>
      leader.decide((ctx) => withdrawRequest(ctx, id, by, of)),
    );
  });
  return app;

  /** Records a decision of the caller about a period, and answers with the period after it. */
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
    return c.json(await describePeriod(engine.periods(), id));
  }
}

function periodOf(c: Context<Env>): string {
  return c.req.param('period') ?? '';
}
