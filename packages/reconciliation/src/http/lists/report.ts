import { quarantinedRecords } from '../../queries/quarantine.ts';
import { dayRecord, sumsOfDays } from '../routes/days.ts';
import { importRecord } from '../routes/imports.ts';
import { syncRecords, syncView } from '../routes/syncs.ts';
import { todaySources } from '../routes/today.ts';
import { checkedSpan } from '../period.ts';
import { type ListContext, type ListFilter, type ListSources, pagesOf, yesNo } from './list.ts';

/** Returns the days of a period with their sums, as `GET /days` does. */
async function daysOf({ engine, signal, zone }: ListContext, { from, state, to }: ListFilter) {
  checkedSpan({ from, to, zone });
  const days = await engine.facts.days(from, to);
  const sums = await sumsOfDays(engine, from, to, signal);
  return days
    .filter((day) => state === undefined || day.state === state)
    .map((day) => dayRecord(day, sums.get(day.day)));
}

/** Lists of the fundings report and of imported files. */
export const reportLists: ListSources<
  'imports' | 'syncs' | 'days' | 'day-sums' | 'unproven-days' | 'quarantine'
> = {
  async *imports({ engine: { facts } }) {
    const pages = pagesOf<Awaited<ReturnType<typeof facts.imports>>[number]>((last, limit) =>
      facts.imports(limit, last?.number),
    );
    for await (const page of pages) {
      yield page.map(importRecord).map(({ action, actor, at, count, id, isWithdrawn, source }) => ({
        at,
        import: id,
        action,
        source,
        actor,
        count,
        withdrawn: yesNo(isWithdrawn),
      }));
    }
  },

  async *syncs({ engine }) {
    const view = syncView(engine);
    const pages = pagesOf<Awaited<ReturnType<typeof engine.facts.syncs>>[number]>((last, limit) =>
      engine.facts.syncs(limit, last?.id),
    );
    for await (const page of pages) {
      const runs = await syncRecords(engine.facts, await Promise.all(page.map(view)));
      yield runs.map((run) => ({
        started_at: run.startedAt,
        ended_at: run.endedAt,
        sync: run.id,
        state: run.state,
        reason: run.reason,
        from: run.from,
        to: run.to,
        days_zone: run.zone,
        days_planned: run.days.planned,
        days_done: run.days.done,
        days_unproven: run.days.unproven,
        records: run.records,
        changed: run.changed,
        gone: run.gone,
        quarantined: run.quarantined,
      }));
    }
  },

  async *days(ctx, filter) {
    yield (await daysOf(ctx, filter)).map((one) => ({
      day: one.day,
      state: one.state,
      reason: one.reason,
      synced_at: one.syncedAt,
      records: one.records,
      passes: one.passes,
      pages: one.pages,
      quarantined: one.quarantined,
      assumed_currency: one.assumedCurrency,
      days_zone: one.zone,
      hash: one.hash,
    }));
  },

  async *'day-sums'(ctx, filter) {
    yield (await daysOf(ctx, filter)).flatMap(({ day, sums }) =>
      Object.entries(sums).map(([currency, { count, discount, net, transaction }]) => ({
        day,
        currency,
        count,
        amount: transaction,
        discount,
        net,
      })),
    );
  },

  async *'unproven-days'({ engine, signal }) {
    const { days } = await todaySources(engine, signal).unprovenDays();
    yield days.map(({ day, reason, state }) => ({ day, state, reason }));
  },

  async *quarantine({ engine, signal }) {
    const all = await quarantinedRecords(engine.data.context(signal), Number.MAX_SAFE_INTEGER);
    yield all.map(({ day, id, merchantOrderId, reason, seenAt }) => ({
      day,
      record: id,
      order: merchantOrderId,
      reason,
      seen_at: seenAt,
    }));
  },
};
