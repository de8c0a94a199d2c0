import { type Clock, systemClock } from '../clock/clock.ts';
import {
  type ApplyContext,
  applyDay,
  compareDay,
  inParts,
  isSuspicious,
  type ProvenDay,
} from './apply-slice.ts';
import { type FundingBooks, MOVED, type RunRow, type SliceRow } from './books.ts';
import { addDays, Calendar } from './calendar.ts';
import { HeldLease } from './lease.ts';
import { daysToRead, RESUME_MS, tieredRange } from './plan.ts';
import { defaultSyncSettings, type SyncSettings } from './settings.ts';
import type { Digest } from './record.ts';
import { emptySlice, identityOfId, recordsOfDay, type StoredFunding } from './slice.ts';
import { type ReadWindow, STOPPED, WindowError, type Windows } from './window.ts';
import { type Outcome, WindowReader } from './windows.ts';

export interface SyncOptions {
  environment: string;
  books: FundingBooks;
  windows: Windows;
  digest: Digest;
  /** Of this process, as no other has it. */
  holder: string;
  settings?: Partial<SyncSettings>;
  clock?: Clock;
  /** Ends the run between two days; it stays to be taken up. */
  stop?: AbortSignal;
  /** Called when a run has begun, and after each slice. */
  onProgress?: (run: RunRow) => void;
}

/** Days of the declared zone, both included; without them, what is due by its age. */
export interface SyncRequest {
  runId: string;
  from?: string | undefined;
  to?: string | undefined;
}

/** Another sync is under way. */
export class SyncBusyError extends Error {
  override readonly name = 'SyncBusyError';
}

/** The run was asked to stop. It is not over: the next start takes it up. */
export class SyncStoppedError extends Error {
  override readonly name = 'SyncStoppedError';
}

/** How often days are read again in one run because their fundings moved. */
const MAX_ROUNDS = 3;
/** As far as a lender re-dates what it posted. */
const REDATED_DAYS = 35;
const ASKED_TO_STOP = 'The sync was asked to stop.';
/** The service goes by another date, or by none: those of days that nobody asks for are not there. */
const STRAYS = 'records came with days that they are not of';

/**
 * Brings the fundings to what the service states. Days are read newest first, each until two passes
 * agree, and written as they are proven; a run that was killed is taken up where it was.
 * @returns the run as it ended
 * @throws {SyncBusyError}, {LeaseLostError}, {SyncStoppedError}
 */
export async function runSync(options: SyncOptions, request: SyncRequest): Promise<RunRow> {
  const settings = { ...defaultSyncSettings, ...options.settings };
  const { books, holder, clock = systemClock } = options;
  const lease = await HeldLease.take(
    books,
    { lease: `fundings:${options.environment}`, holder },
    clock,
    settings.leaseMs,
  );
  if (!lease) throw new SyncBusyError('Another sync is under way.');
  try {
    return await new Sync(options, settings, clock, lease).run(request);
  } finally {
    await lease.release();
  }
}

class Sync {
  readonly #options: SyncOptions;
  readonly #settings: SyncSettings;
  readonly #clock: Clock;
  readonly #lease: HeldLease;
  readonly #calendar: Calendar;
  readonly #apply: ApplyContext;
  readonly #reader: WindowReader;
  /** When each day was proven in this run: the position in that order. */
  readonly #proven = new Map<string, number>();
  /** Days that have to be read again, because a funding of theirs is elsewhere now. */
  #again = new Set<string>();
  /** For each day those that had to be read again because of it. */
  readonly #settled = new Map<string, Set<string>>();
  /** Records that came with other days than theirs. */
  #strays = 0;
  /** Fundings that went away, and when: they may be on a day that was read before. */
  #gone: { stored: StoredFunding; at: number }[] = [];

  constructor(options: SyncOptions, settings: SyncSettings, clock: Clock, lease: HeldLease) {
    this.#options = options;
    this.#settings = settings;
    this.#clock = clock;
    this.#lease = lease;
    this.#calendar = new Calendar(settings.zone);
    this.#apply = {
      books: options.books,
      fence: lease.fence,
      calendar: this.#calendar,
      digest: options.digest,
      now: () => clock.now(),
      defaultCurrency: settings.defaultCurrency,
      batchRows: settings.batchRows,
      goneLimit: settings.goneLimit,
    };
    this.#reader = new WindowReader(options.windows, settings.parallel);
  }

  async run(request: SyncRequest): Promise<RunRow> {
    const { books, onProgress } = this.#options;
    const run = await this.#begin(request);
    const today = this.#calendar.dayOf(run.startedAt);
    const slices = await books.slices(run.fromDay, run.toDay);
    const moment = { now: this.#clock.now(), today };
    let days = daysToRead(run, moment, slices, this.#settings.tiers);
    run.slicesPlanned = run.slicesDone + days.length;
    await this.#write(run);
    onProgress?.({ ...run });
    for (let round = 1; days.length > 0; round++) {
      await this.#readDays(days, run);
      if (this.#reader.down !== undefined) break;
      await this.#lookForGone(run);
      days = [...this.#again].sort().reverse();
      this.#again = new Set();
      if (round === MAX_ROUNDS) {
        for (const day of days) await this.#mark(day, run, 'stale', MOVED);
        break;
      }
      run.slicesPlanned += days.length;
    }
    run.slicesUnproven = Math.max(run.slicesUnproven, run.slicesPlanned - run.slicesDone);
    run.state = run.slicesUnproven === 0 ? 'complete' : run.slicesDone === 0 ? 'failed' : 'partial';
    if (this.#reader.down !== undefined) run.reason = this.#reader.down;
    else if (run.slicesUnproven > 0) run.reason = 'not every day could be proven';
    else if (this.#strays > 0) run.reason = STRAYS;
    run.endedAt = this.#clock.now();
    await this.#write(run);
    onProgress?.({ ...run });
    return run;
  }

  /** The run that was under way when its process died, if it was for the same; else a new one. */
  async #begin({ runId, from, to }: SyncRequest): Promise<RunRow> {
    const { books } = this.#options;
    const now = this.#clock.now();
    const today = this.#calendar.dayOf(now);
    const tiers = from === undefined && to === undefined;
    const range = tieredRange(today, this.#settings.tiers);
    const fromDay = from ?? range.fromDay;
    const toDay = to ?? range.toDay;
    const running = await books.findRunning();
    if (running) {
      const same =
        running.zone === this.#settings.zone &&
        running.tiers === tiers &&
        (tiers
          ? now - running.startedAt < RESUME_MS
          : running.fromDay === fromDay && running.toDay === toDay);
      if (same) return { ...running, resumed: running.resumed + 1, slicesUnproven: 0 };
      const planned = running.slicesPlanned - running.slicesDone;
      await this.#write({
        ...running,
        state: 'partial',
        reason: 'it was not ended',
        endedAt: now,
        slicesUnproven: Math.max(running.slicesUnproven, planned),
      });
    }
    return {
      id: runId,
      state: 'running',
      reason: undefined,
      fromDay,
      toDay,
      zone: this.#settings.zone,
      tiers,
      startedAt: now,
      resumed: 0,
      endedAt: undefined,
      slicesPlanned: 0,
      slicesDone: 0,
      slicesUnproven: 0,
      rows: 0,
      changed: 0,
      gone: 0,
      quarantined: 0,
    };
  }

  async #readDays(days: readonly string[], run: RunRow): Promise<void> {
    this.#reader.plan(days);
    const left = new Set(days);
    for (const day of days) {
      this.#check();
      const { own, before, after } = await this.#reader.around(day);
      this.#check();
      const bad = [own, before, after].find((outcome) => outcome instanceof WindowError);
      if (bad) await this.#mark(day, run, bad.state, bad.reason);
      else await this.#writeDay(day, [own, before, after], run);
      left.delete(day);
      this.#options.onProgress?.({ ...run });
      const done = [addDays(day, 1), day, addDays(day, -1)];
      this.#reader.release(done.filter((near) => !isBeside(near, left)));
      if (this.#reader.down !== undefined) break;
    }
    for (const day of days) {
      this.#reader.release([addDays(day, 1), day, addDays(day, -1)]);
    }
  }

  #check(): void {
    this.#lease.check();
    if (this.#options.stop?.aborted) throw new SyncStoppedError(ASKED_TO_STOP);
  }

  async #writeDay(day: string, windows: Outcome[], run: RunRow): Promise<void> {
    let proven = this.#join(day, windows);
    let compared = await compareDay(this.#apply, proven);
    if (isSuspicious(compared.storedCount, compared.gone.length, this.#settings.goneLimit)) {
      // So much does not go away every day: it is read from the start before it is believed.
      const passes = proven.passes;
      this.#reader.release([day]);
      const { own, before, after } = await this.#reader.around(day);
      const bad = [own, before, after].find((outcome) => outcome instanceof WindowError);
      if (bad) {
        await this.#mark(day, run, bad.state, bad.reason);
        return;
      }
      proven = this.#join(day, [own, before, after]);
      proven.passes += passes;
      compared = await compareDay(this.#apply, proven);
    }
    const unreadable = new Map(
      proven.records.flatMap(({ hash, unreadable }) =>
        unreadable === undefined ? [] : [[hash, unreadable] as const],
      ),
    );
    this.#strays += proven.strays;
    const { stale, gone } = await applyDay(this.#apply, proven, compared, unreadable, run);
    const at = this.#proven.size;
    this.#proven.delete(day);
    this.#proven.set(day, at);
    for (const stored of gone) this.#gone.push({ stored, at });
    await this.#reader.written(day);
    for (const other of stale) this.#again.add(other);
    this.#settled.set(day, new Set([...proven.settled, ...stale]));
  }

  #join(day: string, windows: Outcome[]): ProvenDay {
    const read = windows.filter((outcome): outcome is ReadWindow => 'days' in outcome);
    const own = read.find((window) => window.day === day);
    const beside = [addDays(day, -1), day, addDays(day, 1)];
    const strays = [...(own?.days ?? [])].filter(([other]) => !beside.includes(other));
    return {
      day,
      records: recordsOfDay(read.map((window) => window.days.get(day) ?? [])),
      passes: own?.passes ?? 0,
      pages: own?.pages ?? 0,
      overlaps: own?.overlaps ?? 0,
      strays: strays.reduce((sum, [, { length }]) => sum + length, 0),
      settled: this.#settled.get(day) ?? new Set(),
    };
  }

  /** The slice keeps what it has, and says that it is not proven. */
  async #mark(
    day: string,
    run: RunRow,
    state: 'failed' | 'unproven' | 'stale',
    reason: string,
  ): Promise<void> {
    // That it was not read to its end says nothing of the day.
    if (reason === STOPPED) throw new SyncStoppedError(ASKED_TO_STOP);
    const [known] = await this.#options.books.slices(day, day);
    const slice: SliceRow = {
      ...(known ?? emptySlice(day, this.#settings.zone)),
      state,
      reason,
      runId: run.id,
    };
    run.slicesUnproven += 1;
    await this.#options.books.write(this.#lease.fence, {
      now: this.#clock.now(),
      changed: [],
      gone: [],
      slice,
      run,
    });
  }

  /**
   * A funding that went away may have been dated to a day that this run had read before. Where the
   * pages of those days are not what they were, the days are read again.
   */
  async #lookForGone(run: RunRow): Promise<void> {
    const gone = this.#gone.filter(({ stored }) => !identityOfId(stored.id).startsWith('c.'));
    this.#gone = [];
    if (gone.length === 0) return;
    const known = new Set<string>();
    for (const part of inParts(gone, this.#settings.batchRows)) {
      const found = await this.#options.books.elsewhere(part.map(({ stored }) => stored));
      for (const { id } of found) known.add(identityOfId(id));
    }
    const lost = gone.filter(({ stored }) => !known.has(identityOfId(stored.id)));
    const days = new Set<string>();
    for (const { stored, at } of lost) {
      const from = addDays(stored.id.slice(0, 10), -REDATED_DAYS);
      const to = addDays(stored.id.slice(0, 10), REDATED_DAYS);
      for (const [day, position] of this.#proven) {
        if (position < at && day >= from && day <= to) days.add(day);
      }
    }
    if (days.size === 0) return;
    this.#lease.check();
    try {
      for (const day of await this.#reader.changedSince([...days])) {
        for (const near of [addDays(day, -1), day, addDays(day, 1)]) {
          if (near >= run.fromDay && near <= run.toDay) this.#again.add(near);
        }
      }
    } catch (error) {
      if (!(error instanceof WindowError)) throw error;
      for (const day of days) await this.#mark(day, run, 'stale', error.reason);
    }
  }

  async #write(run: RunRow): Promise<void> {
    const { books } = this.#options;
    const batch = { now: this.#clock.now(), changed: [], gone: [], run };
    await books.write(this.#lease.fence, batch);
  }
}

function isBeside(day: string, days: ReadonlySet<string>): boolean {
  return [addDays(day, -1), day, addDays(day, 1)].some((near) => days.has(near));
}
