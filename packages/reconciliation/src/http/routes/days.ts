import {
  coverageSchema,
  fundingOperations,
  noQuery,
} from '@financing-checkout/contract/reconciliation';
import { Hono } from 'hono';
import { isGuessed } from '../../analytics/schema.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FundingDay, SyncRun } from '../../facts/store.ts';
import { isoTime } from '@financing-checkout/kit';
import { quarantinedRecords } from '../../queries/today/quarantine.ts';
import { select, text, whole } from '../../queries/basis/rows.ts';
import { unprovenDays } from '../../queries/basis/proof.ts';
import { type Env, clientSignal, serve } from '../context.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { checkedSpan, within } from '../period.ts';
import { reading, routesOf } from '../operation.ts';
import type { CoverageRecord, FundingDayRecord } from '../schemas.ts';
import { todaySources } from './today.ts';
import { type SyncView, syncRecords, syncView } from './syncs.ts';

const LISTED = 100;

export const dayOperations = {
  ...routesOf(fundingOperations),
  coverage: reading('/coverage', 'Completeness of the fundings', coverageSchema, {
    query: noQuery,
  }),
};

export function dayRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();
  const view = syncView(engine);

  const tables = { engine, answerFile, rows: Number.MAX_SAFE_INTEGER };
  const { zone: own } = engine.config.sync;

  serveTable(app, tables, dayOperations.days, async (c, { from, to, state }) => {
    checkedSpan({ from, to, zone: own });
    const days = await engine.facts.days(from, to);
    const wanted = days.filter((day) => state === undefined || day.state === state);
    const sums = await sumsOfDays(engine, from, to, clientSignal(c));
    return { days: wanted.map((day) => dayRecord(day, sums.get(day.day))) };
  });

  serveTable(app, tables, dayOperations.sums, async (c, { from, to }) => {
    checkedSpan({ from, to, zone: own });
    const days = await engine.facts.days(from, to);
    const found = await sumsOfDays(engine, from, to, clientSignal(c));
    return {
      sums: days.flatMap(({ day }) =>
        Object.entries(found.get(day)?.sums ?? {}).map(([currency, sum]) => ({
          ...sum,
          day,
          currency,
        })),
      ),
    };
  });

  serveTable(app, tables, dayOperations.unproven, async (c) => {
    const { days } = await todaySources(engine, clientSignal(c)).unprovenDays();
    return { unproven: days };
  });

  serveTable(app, tables, dayOperations.quarantine, async (c, { limit, ...part }) => {
    const context = engine.data.context(clientSignal(c));
    const isWithin = within(part, part.zone ?? own);
    const all = await quarantinedRecords(context, Number.MAX_SAFE_INTEGER);
    return { quarantined: all.filter(({ seenAt }) => isWithin(seenAt)).slice(0, limit) };
  });

  serve(app, dayOperations.coverage, async (c, input) => {
    input.query();
    return c.json(await coverage(engine, view, clientSignal(c)));
  });
  return app;
}

type DaySums = Pick<FundingDayRecord, 'quarantined' | 'assumedCurrency' | 'sums'>;
const noSums = (): DaySums => ({ quarantined: 0, assumedCurrency: 0, sums: {} });

/** Returns each day's sums by currency, as decimal strings because they may exceed 2^53. */
async function sumsOfDays(
  engine: Pick<Engine, 'data'>,
  from: string | undefined,
  to: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, DaySums>> {
  const rows = await engine.data.database.read(
    (connection) =>
      select(
        connection,
        `select day, problem is not null as is_held_back, ${isGuessed('fundings')} as assumed,
          currency, count(*) as count,
          coalesce(sum(transaction_amount), 0)::varchar as transaction,
          coalesce(sum(discount_amount), 0)::varchar as discount,
          coalesce(sum(net_amount), 0)::varchar as net
        from fundings where day between $from and $to group by all order by day, currency`,
        { from: from ?? '', to: to ?? '9999-12-31' },
      ),
    signal,
  );
  const sums = new Map<string, DaySums>();
  for (const row of rows) {
    const day = text(row.day);
    const own = sums.get(day) ?? noSums();
    sums.set(day, own);
    const count = whole(row.count);
    if (row.is_held_back === true) own.quarantined += count;
    else if (row.assumed === true) own.assumedCurrency += count;
    else {
      const [transaction, discount, net] = ['transaction', 'discount', 'net'].map((name) =>
        text(row[name]),
      );
      if (transaction === undefined || discount === undefined || net === undefined) continue;
      own.sums[text(row.currency)] = { count, transaction, discount, net };
    }
  }
  return sums;
}

/** Returns a day in the API's format. */
function dayRecord(day: FundingDay, sums: DaySums = noSums()): FundingDayRecord {
  return {
    day: day.day,
    state: day.state,
    reason: day.reason,
    zone: day.zone,
    syncId: day.syncId,
    ...(day.provenAt === undefined ? {} : { syncedAt: isoTime(day.provenAt) }),
    passes: day.passes,
    pages: day.pages,
    overlaps: day.overlaps,
    records: day.count,
    ...sums,
    hash: day.digest,
  };
}

async function coverage(
  engine: Engine,
  view: (run: SyncRun) => Promise<SyncView>,
  signal: AbortSignal,
): Promise<CoverageRecord> {
  const { facts, clock } = engine;
  const { zone } = engine.config.sync;
  const [run] = await facts.syncs(1);
  const [last] = await syncRecords(facts, run === undefined ? [] : [await view(run)]);
  const shared = {
    quarantined: await quarantinedRecords(engine.data.context(signal), LISTED),
    last,
  };
  const days = await facts.days();
  const range = unprovenDays(days, { zone, now: clock.now(), firstPlanned: last?.from });
  if (range === undefined) {
    return { zone, days: 0, unproven: [], unprovenDays: 0, records: 0, ...shared };
  }
  return {
    zone,
    ...range,
    unproven: range.unproven.slice(0, LISTED),
    unprovenDays: range.unproven.length,
    // Includes future days, because lenders post-date some postings.
    records: days.reduce((sum, { count }) => sum + count, 0),
    ...shared,
  };
}
