import type { Environment } from '@financing-checkout/contract';
import type { RunRow, SliceRow } from '../fundings/books.ts';
import { toRun, toSlice } from '../fundings/rows.ts';
import type { Database } from './database.ts';

/** A record that could not be held, as it is listed. */
export interface QuarantineRow {
  id: string;
  day: string;
  orderKey: string | undefined;
  reason: string;
  seenAt: number;
}

/** How far the fundings are: the runs of the sync, and the proof of each day. */
export interface FundingProgressStore {
  syncRun(environment: Environment, id: string): Promise<RunRow | undefined>;
  /** Newest first, before the moment and id of `before`. */
  syncRuns(
    environment: Environment,
    limit: number,
    before?: { startedAt: number; id: string },
  ): Promise<RunRow[]>;
  /** Days from one to the other, both included, oldest first. */
  fundingSlices(environment: Environment, fromDay: string, toDay: string): Promise<SliceRow[]>;
  /** First and last day of which anything is known. */
  fundingDays(environment: Environment): Promise<{ first: string; last: string } | undefined>;
  quarantinedFundings(environment: Environment, limit: number): Promise<QuarantineRow[]>;
}

export function fundingProgress({ db }: Database): FundingProgressStore {
  return {
    async syncRun(environment, id) {
      const row = await db
        .selectFrom('funding_runs')
        .selectAll()
        .where('id', '=', id)
        .where('environment', '=', environment)
        .executeTakeFirst();
      return row && toRun(row);
    },
    async syncRuns(environment, limit, before) {
      let query = db.selectFrom('funding_runs').selectAll().where('environment', '=', environment);
      if (before !== undefined) {
        query = query.where((eb) =>
          eb.or([
            eb('started_at', '<', before.startedAt),
            eb.and([eb('started_at', '=', before.startedAt), eb('id', '<', before.id)]),
          ]),
        );
      }
      const rows = await query
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toRun);
    },
    async fundingSlices(environment, fromDay, toDay) {
      const rows = await db
        .selectFrom('funding_slices')
        .selectAll()
        .where('environment', '=', environment)
        .where('day', '>=', fromDay)
        .where('day', '<=', toDay)
        .orderBy('day')
        .execute();
      return rows.map(toSlice);
    },
    async fundingDays(environment) {
      const row = await db
        .selectFrom('funding_slices')
        .select((eb) => [eb.fn.min('day').as('first'), eb.fn.max('day').as('last')])
        .where('environment', '=', environment)
        .executeTakeFirst();
      // Of no row there is no smallest one.
      const { first, last } = (row ?? {}) as { first?: string | null; last?: string | null };
      return first && last ? { first, last } : undefined;
    },
    async quarantinedFundings(environment, limit) {
      const rows = await db
        .selectFrom('funding_quarantine')
        .select(['id', 'slice_day', 'order_key', 'reason', 'seen_at'])
        .where('environment', '=', environment)
        .orderBy('slice_day', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        day: row.slice_day,
        orderKey: row.order_key ?? undefined,
        reason: row.reason,
        seenAt: Number(row.seen_at),
      }));
    },
  };
}
