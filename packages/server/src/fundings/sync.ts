import { type Clock, systemClock } from '../clock/clock.ts';
import type { AppliedDay } from './apply-slice.ts';
import { type FundingBooks, fundingsLease, MOVED, type RunRow } from './books.ts';
import { addDays, Calendar } from './calendar.ts';
import { DayWork } from './day-work.ts';
import { HeldLease } from './lease.ts';
import { lostOf } from './lost-fundings.ts';
import { daysToRead, RESUME_MS, tieredRange } from './plan.ts';
import { defaultSyncSettings, type SyncSettings } from './settings.ts';
import { cutShares, readShares } from './shared-days.ts';
import type { Digest } from './record.ts';
import { WindowError, type Windows } from './window.ts';

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

/** How often days are read again in one run because their fundings moved. */
const MAX_ROUNDS = 3;
/** As far as a lender re-dates what it posted. */
const REDATED_DAYS = 35;
/** The service goes by another date, or by none: those of days that nobody asks for are not there. */
const STRAYS = 'records came with days that they are not of';

/**
 * Brings the fundings to what the service states. Days are read newest first, each until two passes
 * agree, and written as they are proven; a run that was killed is taken up where it was. Where the books
 * can be shared, other companions take a part of a long one (`helpSync`).
 * @returns the run as it ended
 * @throws {SyncBusyError}, {LeaseLostError}, {SyncStoppedError}
 */
export async function runSync(options: SyncOptions, request: SyncRequest): Promise<RunRow> {
  const settings = { ...defaultSyncSettings, ...options.settings };
  const { books, holder, clock = systemClock } = options;
  const lease = await HeldLease.take(
    books,
    { lease: fundingsLease(options.environment), holder },
    clock,
    settings.leaseMs,
  );
  if (!lease) throw new SyncBusyError('Another sync is under way.');
  try {
    return await new Sync({ ...options, settings, clock }, lease).run(request);
  } finally {
    await lease.release();
  }
}

/** A funding that went away: it may be on a day that was read before. */
interface Gone {
  id: string;
  orderKey: string;
  /** Only days that were proven before this one may have it. */
  at: number;
  /** Whether it is known to be nowhere. */
  isLost?: boolean;
}

type CompleteOptions = SyncOptions & { settings: SyncSettings; clock: Clock };

class Sync {
  readonly #options: CompleteOptions;
  readonly #lease: HeldLease;
  readonly #calendar: Calendar;
  /** Days that have to be read again, because a funding of theirs is elsewhere now. */
  #again = new Set<string>();
  /** For each day those that had to be read again because of it. */
  readonly #settled = new Map<string, Set<string>>();
  #gone: Gone[] = [];

  constructor(options: CompleteOptions, lease: HeldLease) {
    this.#options = options;
    this.#lease = lease;
    this.#calendar = new Calendar(options.settings.zone);
  }

  async run(request: SyncRequest): Promise<RunRow> {
    const { books, clock, settings, onProgress } = this.#options;
    const run = await this.#begin(request);
    const today = this.#calendar.dayOf(run.startedAt);
    const slices = await books.slices(run.fromDay, run.toDay);
    let days = daysToRead(run, { now: clock.now(), today }, slices, settings.tiers);
    run.slicesPlanned = run.slicesDone + days.length;
    await this.#write(run);
    // Now that what they counted is kept; who is at one of them has no part in what is read from here on.
    await books.shares?.clear(this.#lease.fence);
    onProgress?.({ ...run });
    const work = this.#workAt(run);
    let down: string | undefined;
    for (let round = 1; days.length > 0; round++) {
      down = await this.#readRound(days, work, run, round);
      if (down !== undefined) break;
      await this.#lookForGone(work, run);
      days = [...this.#again].sort().reverse();
      this.#again = new Set();
      if (round === MAX_ROUNDS) {
        for (const day of days) await work.mark(day, 'stale', MOVED);
        break;
      }
      run.slicesPlanned += days.length;
    }
    run.slicesUnproven = Math.max(run.slicesUnproven, run.slicesPlanned - run.slicesDone);
    run.state = run.slicesUnproven === 0 ? 'complete' : run.slicesDone === 0 ? 'failed' : 'partial';
    if (down !== undefined) run.reason = down;
    else if (run.slicesUnproven > 0) run.reason = 'not every day could be proven';
    else if (work.strays > 0) run.reason = STRAYS;
    run.endedAt = clock.now();
    await this.#write(run);
    onProgress?.({ ...run });
    return run;
  }

  #workAt(run: RunRow): DayWork {
    const { books, windows, digest, settings, clock, stop, onProgress } = this.#options;
    const account = { runId: run.id, tally: run, written: () => Promise.resolve({ run }) };
    const onDay = () => onProgress?.({ ...run });
    const lease = this.#lease;
    const work: DayWork = new DayWork(
      { books, windows, digest, settings, clock, lease, account, stop, onDay },
      (applied) => this.#note(applied, work.proven.size - 1),
    );
    return work;
  }

  /** @param at the day's position among those that were proven */
  #note({ day, stale, gone }: AppliedDay, at: number): void {
    for (const other of stale) this.#again.add(other);
    this.#settled.set(day, new Set([...(this.#settled.get(day) ?? []), ...stale]));
    for (const { id, orderKey } of gone) this.#gone.push({ id, orderKey, at });
  }

  /** The run that was under way when its process died, if it was for the same; else a new one. */
  async #begin({ runId, from, to }: SyncRequest): Promise<RunRow> {
    const { books, clock, settings } = this.#options;
    const now = clock.now();
    const today = this.#calendar.dayOf(now);
    const tiers = from === undefined && to === undefined;
    const range = tieredRange(today, settings.tiers);
    const fromDay = from ?? range.fromDay;
    const toDay = to ?? range.toDay;
    const last = await books.findRunning();
    // What other companions have read of it was counted by them.
    const running = last && { ...last, ...(await books.shares?.counted(last.id)) };
    if (running) {
      const same =
        running.zone === settings.zone &&
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
      zone: settings.zone,
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

  /** @returns why the service gives no pages, where it does not */
  async #readRound(
    days: readonly string[],
    work: DayWork,
    run: RunRow,
    round: number,
  ): Promise<string | undefined> {
    const { books, settings } = this.#options;
    const shares = round === 1 && books.shares ? cutShares(days, settings.shareDays) : [];
    if (books.shares === undefined || shares.length < 2) {
      await work.read(days, this.#settled);
      return work.reader.down;
    }
    const { findings, down } = await readShares(
      { ...this.#options, shares: books.shares, lease: this.#lease },
      run,
      shares,
    );
    for (const { moved, lost, proofs, strays } of findings) {
      work.strays += strays;
      for (const [day, proof] of Object.entries(proofs)) {
        work.reader.adopt({ day, proof });
        work.proven.set(day, work.proven.size);
      }
      for (const [day, others] of Object.entries(moved)) {
        this.#note({ day, stale: new Set(others), gone: [] }, 0);
        // Which of the two was read first, nobody knows.
        if (others.length > 0) this.#again.add(day);
      }
      for (const [day, fundings] of Object.entries(lost)) {
        if (fundings !== 'many')
          this.#gone.push(...fundings.map((one) => ({ ...one, at: Infinity })));
        else this.#gone.push({ id: `${day}:`, orderKey: '', at: Infinity, isLost: true });
      }
    }
    return down;
  }

  /**
   * A funding that went away may have been dated to a day that this run had read before. Where the
   * pages of those days are not what they were, the days are read again.
   */
  async #lookForGone(work: DayWork, run: RunRow): Promise<void> {
    const { books, settings } = this.#options;
    const lost = await lostOf(books, this.#gone, settings.batchRows);
    this.#gone = [];
    const days = new Set<string>();
    for (const { id, at } of lost) {
      const own = id.slice(0, 10);
      const [from, to] = [addDays(own, -REDATED_DAYS), addDays(own, REDATED_DAYS)];
      for (const [day, position] of work.proven) {
        if (position < at && day !== own && day >= from && day <= to) days.add(day);
      }
    }
    if (days.size === 0) return;
    this.#lease.check();
    try {
      for (const day of await work.reader.changedSince([...days])) {
        for (const near of [addDays(day, -1), day, addDays(day, 1)]) {
          if (near >= run.fromDay && near <= run.toDay) this.#again.add(near);
        }
      }
    } catch (error) {
      if (!(error instanceof WindowError)) throw error;
      for (const day of days) await work.mark(day, 'stale', error.reason);
    }
  }

  async #write(run: RunRow): Promise<void> {
    const { books, clock } = this.#options;
    await books.write(this.#lease.fence, { now: clock.now(), changed: [], gone: [], run });
  }
}
