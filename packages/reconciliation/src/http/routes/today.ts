import {
  dailyOperations,
  ledgerStartRequestSchema,
  ledgerStartSchema,
  searchSchema,
  keyHeader,
} from '@financing-checkout/contract/reconciliation';
import { lenderNames, lenderOf } from '@financing-checkout/reconciliation-rules';
import { Hono } from 'hono';
import { standingAlarms } from '../../cases/alarms.ts';
import type { Engine } from '../../engine/engine.ts';
import { fundingForecast, lenderLags } from '../../queries/today/forecast.ts';
import { waitingRequests } from '../../periods/read.ts';
import type { QueryContext } from '../../queries/basis/reliability.ts';
import { search } from '../../queries/search/search.ts';
import { type TodaySources, workOfToday } from '../../queries/today/today.ts';
import { unprovenDays } from '../../queries/basis/proof.ts';
import { listValue } from '../../platform/duckdb.ts';
import { ProblemError } from '../../platform/problem.ts';
import { ledgerStartSubject, readLedgerStartAnswers } from '../../statuses/ledger-starts.ts';
import { type Env, clientSignal, idempotencyKey, serve } from '../context.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { gapsOf, gapsOfSearch } from '../gaps.ts';
import { ofChange, operation, reading, routesOf } from '../operation.ts';
import { searchQuery } from '../queries.ts';
import { checkedSpan } from '../period.ts';
import { record } from '../trail.ts';
import { answerTagged, tagged, unlessUnchanged } from '../tagged.ts';

const MAX_ALERTS = 1_000;
/** Maximum number of imports that a search reads. */
const MAX_IMPORTS = 1_000;

/** Operations for the daily work list. */
export const todayOperations = {
  ...routesOf(dailyOperations),
  search: reading('/search', 'Everything with an ID, a name or an amount', searchSchema, {
    description:
      'Orders, charges, transactions, lenders’ references, cases, lenders, people and imports, by any fragment of at least three characters in any letter case (shorter: by the beginning); applications, exact; amounts of orders, of their lines and of exceptions, in any notation: an integer is read as major and as minor units. An ID is also found with another hyphen or dash, and after a number sign. `groups` lists at most five of each kind. An exact ID ends the search. Kinds that were not searched for a fragment within 100 ms are in `unsearched`: repeat the request with `fragments` for each of them. `notSearched` states what the answer does not include. Of imports, the newest 1,000 are searched by ID and source. `matches` has orders by the beginning of an ID alone.',
    query: searchQuery,
  }),
  ledgerStart: operation({
    ...ofChange,
    path: '/ledger-starts',
    summary: 'Answer whether fundings from before the ledger of their lender are missing from it',
    description:
      'Answers an item `ledger-start` of today. `elsewhere`: the fundings are recorded elsewhere, and none is judged. `missing`: the ledger should have them, so all are judged, and cases open. The last answer counts.',
    scope: 'cases',
    headers: keyHeader,
    body: { schema: ledgerStartRequestSchema },
    answers: { 200: { schema: ledgerStartSchema } },
    problems: ['idempotency-key-missing', 'idempotency-key-reused', 'not-found', 'standby'],
  }),
};

/** Routes for the daily work list and for searching. */
export function todayRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();

  const files = { engine, answerFile, rows: Number.MAX_SAFE_INTEGER };
  const tables = { ...files, respond: tagged };

  serveTable(app, tables, todayOperations.today, async (c, { kind, limit }) => {
    const signal = clientSignal(c);
    const { holds } = engine.config.policy;
    const sources = todaySources(engine, signal);
    const work = await workOfToday(engine.data.context(signal), sources, holds, limit);
    return { ...work, items: work.items.filter((one) => kind === undefined || one.kind === kind) };
  });

  serve(app, todayOperations.acknowledgement, async (c, input) => {
    const { by: person, reason } = input.body();
    const key = idempotencyKey(c);
    const alarm = Number(c.req.param('alarm'));
    const found = (await standingAlarms(engine.facts)).find(({ number }) => number === alarm);
    // A repeated request finds no alarm, and is answered like the first one.
    const earlier = found ? undefined : await engine.facts.eventOfKey(key);
    const kind = found?.kind ?? earlier?.subject;
    if (kind === undefined) {
      throw new ProblemError('not-found', { detail: 'No alarm with this number stands.' });
    }
    const detail = { alarm, reason };
    const action = { kind: 'acknowledgement', subject: kind, detail, person, key } as const;
    await record(engine, c, action, () => Promise.resolve());
    return c.json({ alarm });
  });

  serve(app, todayOperations.search, async (c, input) => {
    const { q, fragments } = input.query();
    const signal = clientSignal(c);
    const context = engine.data.context(signal);
    let read = 0;
    const sources = {
      ordersOfApplication: (applicationId: string) =>
        engine.worklist.ordersOfApplication(applicationId, signal),
      assignees: () => engine.facts.assignees(),
      async imports() {
        const found = await engine.facts.imports(MAX_IMPORTS);
        read = found.length;
        return found;
      },
    };
    const found = await search(context, q, sources, { fragments });
    const own = gapsOfSearch(found, { read, limit: MAX_IMPORTS });
    return answerTagged(c, { ...found, notSearched: await gapsOf(engine, context, own) });
  });

  const unchanged = { ...files, respond: unlessUnchanged(engine) };
  serveTable(app, unchanged, todayOperations.lags, async (c, { from, to, currency, ...part }) => {
    const period = { from, to, zone: part.zone ?? engine.config.sync.zone };
    const wanted = { currency, period, span: checkedSpan(period) };
    return lenderLags(engine.data.context(clientSignal(c)), wanted);
  });

  serveTable(app, tables, todayOperations.forecast, async (c, { currency }) => {
    const found = await fundingForecast(engine.data.context(clientSignal(c)));
    const isWanted = (one: { currency: string }) =>
      currency === undefined || one.currency === currency;
    const { days, late, lenders } = found;
    return {
      ...found,
      days: days.filter(isWanted),
      late: late.filter(isWanted),
      lenders: lenders.filter(isWanted),
    };
  });

  serve(app, todayOperations.ledgerStart, async (c, input) => {
    const { answer, by: person, currency, lender = '', reason } = input.body();
    const key = idempotencyKey(c);
    const leader = await engine.requireLeader();
    const { policy } = engine.config;
    if (!(await hasFundings(engine.data.context(clientSignal(c)), currency, lender))) {
      throw new ProblemError('not-found', {
        detail: 'No funding of the lender is in this currency.',
      });
    }
    const action = {
      kind: 'ledger-start',
      subject: ledgerStartSubject(currency, lenderOf(lender, policy)),
      detail: { answer, reason: reason ?? null },
      person,
      key,
    } as const;
    await record(engine, c, action, () => Promise.resolve());
    // The trail is not replayed as a fact; only a pass that is due reads it.
    await leader.pass({ isLedgerDue: true });
    return c.json({ currency, ...(lender === '' ? {} : { lender }), answer });
  });
  return app;
}

/** Returns whether a lender has a funding in a currency. Without a name, checks fundings without a lender. */
function hasFundings(
  { database, policy, signal }: QueryContext,
  currency: string,
  lender: string,
): Promise<boolean> {
  return database.read(async (connection) => {
    const found = await connection.runAndReadAll(
      `select exists (from fundings where currency = $currency
        and list_contains($names::varchar[], coalesce(lender_name, '')))`,
      { currency, names: listValue(lenderNames(lender, policy)) },
    );
    return found.getRows()[0]?.[0] === true;
  }, signal);
}

/** Returns the daily work list's sources outside the analytics database. */
export function todaySources(engine: Engine, signal: AbortSignal): TodaySources {
  const { clock, config, facts, worklist } = engine;
  return {
    unclearOperations: () => worklist.unclearOperations(signal),
    deadWebhooks: () => worklist.deadWebhooks(signal),
    alarms: () => standingAlarms(facts),
    deadAlerts: () => facts.alerts({ state: 'dead', limit: MAX_ALERTS }),
    ledgerStartAnswers: () => readLedgerStartAnswers(facts, config.policy),
    waitingRequests: () => waitingRequests(engine.periods(signal)),
    async unprovenDays() {
      const { zone } = config.sync;
      const [last] = await facts.syncs(1);
      const wanted = { zone, now: clock.now(), firstPlanned: last?.fromDay };
      return { zone, days: unprovenDays(await facts.days(), wanted)?.unproven ?? [] };
    },
  };
}
