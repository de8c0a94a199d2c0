import type { Database } from '../../store/database.ts';
import { addDays, Calendar } from '../../fundings/calendar.ts';

/** How far the service's report is known to have been read to the end. */
export interface Proof {
  /**
   * Each day from the oldest line of the ledger, or the first day ever read, until now is proved, and
   * was read after it had ended: what a lender posts later that day is not there.
   */
  complete: boolean;
  unprovenDays: number;
}

export interface ProofStore {
  proof(environment: string, now: number): Promise<Proof>;
  /** How many records could not be held. */
  quarantined(environment: string): Promise<number>;
  /** Whether an entry of the ledger, a line, a funding or the hour has changed an order's status. */
  isReconciliationDue(environment: string, now: number): Promise<boolean>;
}

const DAY_MS = 86_400_000;

/**
 * Whether all that was posted on a day is there that could be late by now: lines are late when a UTC
 * day has ended, so that what was posted since the last midnight is not asked for.
 */
export function isReadToItsEnd(
  { day, syncedAt }: { day: string; syncedAt: number | undefined },
  calendar: Calendar,
  now: number,
): boolean {
  const read = syncedAt ?? 0;
  // Of every zone: no day ends later. Most days are told by this alone.
  if (read >= Date.parse(day) + 2 * DAY_MS) return true;
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  if (calendar.startOf(day) >= midnight) return true;
  return read >= Math.min(calendar.startOf(addDays(day, 1)), midnight);
}

/**
 * Whether a day and the one after it were read as days of the same zone: between those of two zones
 * there may be hours that are in neither.
 */
export function isOfOneZone(slice: { zone: string }, next: { zone: string } | undefined): boolean {
  return next === undefined || next.zone === slice.zone;
}

export function proofStore({ db }: Database): ProofStore {
  async function oldestLine(environment: string): Promise<number | undefined> {
    const row = await db
      .selectFrom('ledger_lines')
      .select('occurred_at')
      .where('environment', '=', environment)
      .orderBy('occurred_at')
      .limit(1)
      .executeTakeFirst();
    return row && Number(row.occurred_at);
  }

  return {
    async isReconciliationDue(environment, now) {
      const dirty = await db
        .selectFrom('dirty_orders')
        .select('order_key')
        .where('environment', '=', environment)
        .limit(1)
        .executeTakeFirst();
      if (dirty) return true;
      const due = await db
        .selectFrom('order_statuses')
        .select('order_key')
        .where('environment', '=', environment)
        .where('recheck_at', '<=', now)
        .limit(1)
        .executeTakeFirst();
      if (due) return true;
      const head = await db.selectFrom('ledger_head').select('last_id').executeTakeFirst();
      const read = await db
        .selectFrom('ledger_projections')
        .select('last_id')
        .where('environment', '=', environment)
        .executeTakeFirst();
      return Number(head?.last_id ?? 0) > Number(read?.last_id ?? 0);
    },

    async quarantined(environment) {
      const row = await db
        .selectFrom('funding_quarantine')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('environment', '=', environment)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    async proof(environment, now) {
      const slices = await db
        .selectFrom('funding_slices')
        .select(['day', 'state', 'zone', 'synced_at'])
        .where('environment', '=', environment)
        .orderBy('day')
        .execute();
      const calendar = new Calendar(slices.at(-1)?.zone ?? 'UTC');
      const today = calendar.dayOf(now);
      const line = await oldestLine(environment);
      const days = [slices.at(0)?.day, line === undefined ? undefined : calendar.dayOf(line)];
      const start = days
        .filter((day) => day !== undefined)
        .sort()
        .at(0);
      if (start === undefined) return { complete: false, unprovenDays: 0 };
      const proved = slices.filter(
        (slice, index) =>
          slice.state === 'complete' &&
          slice.day <= today &&
          isOfOneZone(slice, slices[index + 1]) &&
          isReadToItsEnd({ day: slice.day, syncedAt: Number(slice.synced_at ?? 0) }, calendar, now),
      );
      const all = Math.max(0, Math.round((Date.parse(today) - Date.parse(start)) / DAY_MS) + 1);
      const unprovenDays = Math.max(0, all - proved.length);
      return { complete: unprovenDays === 0, unprovenDays };
    },
  };
}
