import { addDays } from '@financing-checkout/contract/money';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { replay, type ReplayOptions } from '../analytics/replay.ts';
import type { Database } from '../analytics/session.ts';
import type { Fence, SyncRun } from '../facts/store.ts';
import { type Clock, systemClock } from '@financing-checkout/kit';
import type { TemporaryFiles } from '../platform/temporary-files.ts';
import { DayWork, type SyncFacts } from './day-work.ts';
import { lostOf, MOVED, movedDays } from './moved.ts';
import { daysToRead, RESUME_MS, tieredRange } from './plan.ts';
import { defaultSyncSettings, type SyncSettings } from './settings.ts';
import type { FundingSource } from './source.ts';
import { Stage } from './stage.ts';
import { createWindows, WindowError, type Windows } from './window.ts';

export interface SyncOptions {
  facts: SyncFacts;
  /**
   * Fencing token for all writes. The caller acquires the lease before a sync and renews it during
   * the sync.
   */
  fence: Fence;
  database: Database;
  source: FundingSource;
  /** Folder for pages that are being read. */
  files: TemporaryFiles;
  settings?: Partial<SyncSettings>;
  applyImport?: ReplayOptions['applyImport'];
  clock?: Clock;
  /** Stops the sync between two days, or while it waits for pages. The sync can be resumed. */
  stop?: AbortSignal;
  /** Called when a sync has started, after each day, and at the end. */
  onProgress?: (run: SyncRun) => void | Promise<void>;
  /** Wraps the reading of windows. @internal */
  windows?: (windows: Windows) => Windows;
}

/**
 * Days in the declared time zone, inclusive; without them, the days that are due because of their
 * age.
 */
export interface SyncRequest {
  /** For a new sync; a resumed one keeps its id. */
  id: string;
  from?: string | undefined;
  to?: string | undefined;
}

/** Maximum delay until answers include new records while few arrive. */
const FOLLOW_MS = 60_000;
/** Maximum number of times that one sync reads a day because of moved fundings. */
const MAX_ROUNDS = 3;
/** Maximum number of days by which lenders re-date fundings. */
const REDATED_DAYS = 35;
/**
 * Reason if the service filters by another date or not at all, so that fundings of days outside the
 * request are missing.
 */
const STRAYS = 'some records came with the wrong day';
const NOT_PROVEN = 'some days are unproven';
/** Reason for a sync whose end was never recorded. */
export const INTERRUPTED = 'it was interrupted';

/**
 * Updates the facts from the service, and the analytics database from the facts. Reads days newest
 * first, each until two passes agree, and writes each day once it is proven. Resumes a sync that
 * was killed.
 * @returns the sync as it ended @throws {LeaseLostError}, {SyncStoppedError}
 */
export async function runSync(options: SyncOptions, request: SyncRequest): Promise<SyncRun> {
  const { files, stop, source } = options;
  const settings = { ...defaultSyncSettings, ...options.settings };
  const calendar = new Calendar(settings.zone);
  const stage = await Stage.open({ files });
  try {
    const windows = createWindows({ source, stage, settings, calendar, signal: stop });
    const sync = new Sync({
      ...options,
      settings,
      stage,
      calendar,
      clock: options.clock ?? systemClock,
      windows: options.windows?.(windows) ?? windows,
    });
    return await sync.run(request);
  } finally {
    await stage.close();
  }
}

interface CompleteOptions extends Omit<SyncOptions, 'windows' | 'settings' | 'clock'> {
  settings: SyncSettings;
  stage: Stage;
  calendar: Calendar;
  windows: Windows;
  clock: Clock;
}

class Sync {
  readonly #options: CompleteOptions;
  /** Number of changed records since the last replay into the database, and the time of that replay. */
  #behind = 0;
  #followedAt = 0;

  constructor(options: CompleteOptions) {
    this.#options = options;
  }

  async run(request: SyncRequest): Promise<SyncRun> {
    const { facts, clock, settings, calendar } = this.#options;
    const run = await this.#begin(request);
    const today = calendar.dayOf(run.startedAt);
    this.#followedAt = clock.now();
    const known = await facts.days(run.fromDay, run.toDay);
    const days = daysToRead(run, { now: clock.now(), today }, known, settings.tiers);
    run.daysPlanned = run.daysDone + days.length;
    await this.#write(run);
    const work = new DayWork({
      ...this.#options,
      run,
      onDay: async (changed) => {
        this.#behind += changed;
        const isDue = clock.now() - this.#followedAt >= FOLLOW_MS;
        if (this.#behind >= settings.replayRecords || isDue) await this.#follow();
        await this.#options.onProgress?.({ ...run });
      },
    });
    try {
      await this.#readAll(days, work, run);
    } finally {
      await work.reader.end();
    }
    return this.#end(run, work);
  }

  async #readAll(days: readonly string[], work: DayWork, run: SyncRun): Promise<void> {
    // Runs at least once even if no day is due, because an earlier process may have died before it
    // searched for moved fundings.
    for (let due = days, round = 1; round === 1 || due.length > 0; round++) {
      await work.read(due);
      const { down } = work.reader;
      const again = await this.#daysToReadAgain(work, run, down === undefined);
      if (round === MAX_ROUNDS || down !== undefined) {
        for (const day of again) await work.mark(day, 'stale', MOVED);
        return;
      }
      due = again;
      run.daysPlanned += due.length;
    }
  }

  /** Returns the days to read again, newest first. */
  async #daysToReadAgain(work: DayWork, run: SyncRun, lookForGone: boolean): Promise<string[]> {
    await this.#follow();
    const again = new Set(await this.#options.database.read(movedDays));
    if (lookForGone) for (const day of await this.#daysOfGone(work, run)) again.add(day);
    return [...again]
      .filter((day) => !work.unproven.has(day))
      .sort()
      .reverse();
  }

  /**
   * Returns already read days whose pages have changed since, and their neighbors: a vanished
   * funding may have moved there.
   */
  async #daysOfGone(work: DayWork, run: SyncRun): Promise<Set<string>> {
    const { gone } = work;
    work.gone = [];
    const lost = await this.#options.database.read((connection) => lostOf(connection, gone));
    const days = new Set<string>();
    for (const { day: own, at } of lost) {
      const [from, to] = [addDays(own, -REDATED_DAYS), addDays(own, REDATED_DAYS)];
      for (const [day, position] of work.proven) {
        if (position < at && day !== own && day >= from && day <= to) days.add(day);
      }
    }
    const again = new Set<string>();
    if (days.size === 0) return again;
    work.checkGoingOn();
    try {
      for (const day of await work.reader.changedSince([...days])) {
        for (const near of [addDays(day, -1), day, addDays(day, 1)]) {
          if (near >= run.fromDay && near <= run.toDay) again.add(near);
        }
      }
    } catch (error) {
      if (!(error instanceof WindowError)) throw error;
      for (const day of days) await work.mark(day, 'stale', error.reason);
    }
    return again;
  }

  /**
   * Resumes the interrupted sync of a dead process if it covers the same days; otherwise starts a
   * new one.
   */
  async #begin({ id, from, to }: SyncRequest): Promise<SyncRun> {
    const { facts, clock, settings, calendar } = this.#options;
    const now = clock.now();
    const tiers = from === undefined && to === undefined;
    const range = tieredRange(calendar.dayOf(now), settings.tiers);
    const fromDay = from ?? range.fromDay;
    const toDay = to ?? range.toDay;
    const [running] = (await facts.syncs(1)).filter(({ state }) => state === 'running');
    if (running) {
      const same =
        running.zone === settings.zone &&
        running.tiers === tiers &&
        (tiers
          ? now - running.startedAt < RESUME_MS
          : running.fromDay === fromDay && running.toDay === toDay);
      if (same) return { ...running, resumed: running.resumed + 1, daysUnproven: 0 };
      const left = running.daysPlanned - running.daysDone;
      await facts.writeSync(this.#options.fence, {
        ...running,
        state: 'partial',
        reason: INTERRUPTED,
        endedAt: now,
        daysUnproven: Math.max(running.daysUnproven, left),
      });
    }
    return {
      id,
      state: 'running',
      reason: undefined,
      fromDay,
      toDay,
      zone: settings.zone,
      tiers,
      startedAt: now,
      endedAt: undefined,
      resumed: 0,
      daysPlanned: 0,
      daysDone: 0,
      daysUnproven: 0,
      records: 0,
      changed: 0,
      gone: 0,
      quarantined: 0,
    };
  }

  async #end(run: SyncRun, work: DayWork): Promise<SyncRun> {
    const { clock, database } = this.#options;
    await this.#follow();
    run.quarantined = await database.read(async (connection) => {
      const found = await connection.runAndReadAll(
        `select count(*) from fundings where problem is not null
         and day in (select day from funding_days where sync_id = $1)`,
        [run.id],
      );
      return Number(found.getRows()[0]?.[0]);
    });
    run.daysUnproven = Math.max(run.daysUnproven, run.daysPlanned - run.daysDone);
    run.state = run.daysUnproven === 0 ? 'complete' : run.daysDone === 0 ? 'failed' : 'partial';
    run.reason =
      work.reader.down ??
      (run.daysUnproven > 0 ? NOT_PROVEN : work.strays > 0 ? STRAYS : undefined);
    run.endedAt = clock.now();
    await this.#write(run);
    return run;
  }

  /** Updates the database from the facts. */
  async #follow(): Promise<void> {
    const { database, facts, files, settings, applyImport } = this.#options;
    const { defaultCurrency, isCurrencyStated } = settings;
    const currency = { defaultCurrency, isCurrencyStated };
    await replay({ database, facts, files, ...currency, ...(applyImport && { applyImport }) });
    this.#behind = 0;
    this.#followedAt = this.#options.clock.now();
  }

  async #write(run: SyncRun): Promise<void> {
    const { facts, fence, onProgress } = this.#options;
    await facts.writeSync(fence, run);
    await onProgress?.({ ...run });
  }
}
