import { Hono } from 'hono';
import { z } from 'zod';
import { isGuessed } from '../../analytics/schema.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FundingDay } from '../../facts/store.ts';
import { addDays, Calendar, daysBetween } from '../../platform/calendar.ts';
import { isoTime } from '../../platform/clock.ts';
import { isOfOneZone, isReadToItsEnd } from '../../queries/proof.ts';
import { optional, select, text, whole } from '../../queries/rows.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { parseQuery } from '../parse.ts';
import { checkedSpan } from '../period.ts';
import { daysQuery } from '../queries.ts';
import type { CoverageRecord, FundingDayRecord } from '../schemas.ts';
import { syncRecord } from './syncs.ts';

const LISTED = 100;
const MAX_DAYS = 4_000;
const NEVER_READ = 'never read';
const HOW_TO_END =
  'import the ledger of the order, or, where all orders are in one currency, set RECONCILIATION_DEFAULT_CURRENCY';

/** Routes for the proof of days. */
export function dayRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/days', async (c) => {
    const { from, to, state } = parseQuery(c, daysQuery);
    checkedSpan({ from, to, zone: engine.config.sync.zone });
    const days = await engine.facts.days(from, to);
    const wanted = days.filter((day) => state === undefined || day.state === state);
    const sums = await sumsOfDays(engine, from, to, clientSignal(c));
    return c.json({ days: wanted.map((day) => dayRecord(day, sums.get(day.day))) });
  });

  app.get('/coverage', async (c) => {
    parseQuery(c, z.strictObject({}));
    return c.json(await coverage(engine, clientSignal(c)));
  });
  return app;
}

type DaySums = Pick<FundingDayRecord, 'quarantined' | 'assumedCurrency' | 'sums'>;
const noSums = (): DaySums => ({ quarantined: 0, assumedCurrency: 0, sums: {} });

/** Sums of each day by currency, as decimal text: they may exceed 2^53. */
async function sumsOfDays(
  engine: Engine,
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

function dayRecord(day: FundingDay, sums: DaySums = noSums()): FundingDayRecord {
  return {
    day: day.day,
    state: day.state,
    ...(day.reason === undefined ? {} : { reason: day.reason }),
    zone: day.zone,
    syncId: day.syncId,
    ...(day.provenAt === undefined ? {} : { syncedAt: isoTime(day.provenAt) }),
    passes: day.passes,
    pages: day.pages,
    overlaps: day.overlaps,
    records: day.count,
    ...sums,
    hash: day.sha256,
  };
}

async function coverage(engine: Engine, signal: AbortSignal): Promise<CoverageRecord> {
  const { facts, clock } = engine;
  const { zone } = engine.config.sync;
  const [last] = await facts.syncs(1);
  const shared = {
    quarantined: await quarantined(engine, signal),
    ...(last === undefined ? {} : { last: syncRecord(last) }),
  };
  const days = await facts.days();
  const [oldest] = days;
  const newest = days.at(-1);
  if (oldest === undefined || newest === undefined) {
    return { zone, days: 0, unproven: [], unprovenDays: 0, records: 0, ...shared };
  }
  // Until today: tomorrow's proof is not due yet.
  const now = clock.now();
  const calendar = new Calendar(zone);
  const today = calendar.dayOf(now);
  const to = oldest.day > today ? newest.day : today;
  // An interrupted sync may not have reached all days that it planned.
  const first = last !== undefined && last.fromDay < oldest.day ? last.fromDay : oldest.day;
  const from = first < addDays(to, -MAX_DAYS) ? addDays(to, -MAX_DAYS) : first;
  const known = new Map(days.map((day) => [day.day, day]));
  const all = daysBetween(from, to);
  const unproven = all.reverse().flatMap((day) => {
    const found = known.get(day);
    if (found?.state === 'complete') {
      const isWhole = isOfOneZone(found, known.get(addDays(day, 1)));
      if (isWhole && isReadToItsEnd(found, calendar, now)) return [];
      const reason = isWhole
        ? 'read before the day ended'
        : 'read in another time zone than the following day';
      return { day, state: 'stale', reason };
    }
    const { state, reason } = found ?? { state: NEVER_READ, reason: undefined };
    return { day, state, ...(reason === undefined ? {} : { reason }) };
  });
  // Failed days come before unread ones, each newest first.
  const isUnread = ({ state }: { state: string }) => Number(state === NEVER_READ);
  unproven.sort((one, other) => isUnread(one) - isUnread(other));
  return {
    ...{ zone, from, to, days: all.length },
    unproven: unproven.slice(0, LISTED),
    unprovenDays: unproven.length,
    // Includes future days: lenders date ahead.
    records: days.reduce((sum, { count }) => sum + count, 0),
    ...shared,
  };
}

/** The newest records in quarantine. */
async function quarantined(
  engine: Engine,
  signal: AbortSignal,
): Promise<CoverageRecord['quarantined']> {
  const rows = await engine.data.database.read(
    (connection) =>
      select(
        connection,
        `select f.id, f.day, f.merchant_order_id, f.currency, f.problem,
          coalesce(d.proven_at, 0) as seen_at, ${isGuessed('f')} as assumed
        from fundings f left join funding_days d on d.day = f.day
        where f.problem is not null order by f.day desc, f.id limit ${LISTED}`,
      ),
    signal,
  );
  return rows.map((row) => {
    const merchantOrderId = optional(row.merchant_order_id);
    return {
      id: text(row.id),
      day: text(row.day),
      ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
      reason: reasonOf(text(row.problem), text(row.currency), row.assumed === true),
      seenAt: isoTime(whole(row.seen_at)),
    };
  });
}

/** With an assumed currency the record may be right and the currency wrong. */
function reasonOf(problem: string, currency: string, isAssumed: boolean): string {
  if (!isAssumed || !problem.endsWith('amount-too-precise')) return problem;
  return `${problem} for ${currency}, which is assumed: ${HOW_TO_END}`;
}
