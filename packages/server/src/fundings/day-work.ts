import type { Clock } from '../clock/clock.ts';
import {
  type Account,
  type AppliedDay,
  type ApplyContext,
  applyDay,
  compareDay,
  isSuspicious,
  type ProvenDay,
} from './apply-slice.ts';
import type { FundingBooks, SliceRow } from './books.ts';
import { addDays, Calendar } from './calendar.ts';
import type { HeldLease } from './lease.ts';
import type { Digest } from './record.ts';
import type { SyncSettings } from './settings.ts';
import { emptySlice, recordsOfDay } from './slice.ts';
import { type ReadWindow, STOPPED, WindowError, type Windows } from './window.ts';
import { type Outcome, WindowReader } from './windows.ts';

/** The run was asked to stop. It is not over: the next start takes it up. */
export class SyncStoppedError extends Error {
  override readonly name = 'SyncStoppedError';
}

const ASKED_TO_STOP = 'The sync was asked to stop.';

export interface DayWorkOptions {
  books: FundingBooks;
  windows: Windows;
  digest: Digest;
  settings: SyncSettings;
  clock: Clock;
  /** Under which it is written. */
  lease: HeldLease;
  account: Account;
  /** Ends the work between two days. */
  stop?: AbortSignal | undefined;
  /** Called after each day, and waited for. */
  onDay?: (() => void | Promise<void>) | undefined;
}

/** Reads days, newest first, each until it is proven, and writes them. */
export class DayWork {
  readonly reader: WindowReader;
  /** When each day was proven: the position in that order. */
  readonly proven = new Map<string, number>();
  /** Records that came with other days than theirs. */
  strays = 0;
  readonly #options: DayWorkOptions;
  readonly #calendar: Calendar;
  readonly #apply: ApplyContext;
  readonly #onApplied: (applied: AppliedDay) => void;

  /** @param onApplied is told of each day that was proven and written */
  constructor(options: DayWorkOptions, onApplied: (applied: AppliedDay) => void = () => undefined) {
    const { books, digest, settings, clock, lease } = options;
    this.#options = options;
    this.#onApplied = onApplied;
    this.#calendar = new Calendar(settings.zone);
    this.#apply = {
      books,
      fence: lease.fence,
      calendar: this.#calendar,
      digest,
      now: () => clock.now(),
      defaultCurrency: settings.defaultCurrency,
      batchRows: settings.batchRows,
      goneLimit: settings.goneLimit,
    };
    this.reader = new WindowReader(options.windows, settings.parallel);
  }

  /**
   * @param settled by day, those that were read again because of it
   * @throws {LeaseLostError}, {SyncStoppedError}
   */
  async read(
    days: readonly string[],
    settled: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
  ): Promise<void> {
    const { reader } = this;
    reader.plan(days);
    const left = new Set(days);
    for (const day of days) {
      checkGoingOn(this.#options);
      const { own, before, after } = await reader.around(day);
      checkGoingOn(this.#options);
      const bad = [own, before, after].find((outcome) => outcome instanceof WindowError);
      if (bad) await this.mark(day, bad.state, bad.reason);
      else await this.#write(day, [own, before, after], settled.get(day) ?? new Set());
      left.delete(day);
      await this.#options.onDay?.();
      const done = [addDays(day, 1), day, addDays(day, -1)];
      reader.release(done.filter((near) => !isBeside(near, left)));
      if (reader.down !== undefined) break;
    }
    for (const day of days) {
      reader.release([addDays(day, 1), day, addDays(day, -1)]);
    }
  }

  async #write(day: string, windows: Outcome[], settled: ReadonlySet<string>): Promise<void> {
    const { settings, account } = this.#options;
    let proven = this.#join(day, windows, settled);
    let compared = await compareDay(this.#apply, proven);
    if (isSuspicious(compared.storedCount, compared.gone.length, settings.goneLimit)) {
      // So much does not go away every day: it is read from the start before it is believed.
      const passes = proven.passes;
      this.reader.release([day]);
      const { own, before, after } = await this.reader.around(day);
      const bad = [own, before, after].find((outcome) => outcome instanceof WindowError);
      if (bad) {
        await this.mark(day, bad.state, bad.reason);
        return;
      }
      proven = this.#join(day, [own, before, after], settled);
      proven.passes += passes;
      compared = await compareDay(this.#apply, proven);
    }
    const unreadable = new Map(
      proven.records.flatMap(({ hash, unreadable }) =>
        unreadable === undefined ? [] : [[hash, unreadable] as const],
      ),
    );
    this.strays += proven.strays;
    const applied = await applyDay(this.#apply, proven, compared, unreadable, account);
    const at = this.proven.size;
    this.proven.delete(day);
    this.proven.set(day, at);
    await this.reader.written(day);
    this.#onApplied(applied);
  }

  #join(day: string, windows: Outcome[], settled: ReadonlySet<string>): ProvenDay {
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
      settled,
    };
  }

  /** The slice keeps what it has, and says that it is not proven. */
  async mark(day: string, state: 'failed' | 'unproven' | 'stale', reason: string): Promise<void> {
    // That it was not read to its end says nothing of the day.
    if (reason === STOPPED) throw new SyncStoppedError(ASKED_TO_STOP);
    const { books, settings, lease, account, clock } = this.#options;
    const [known] = await books.slices(day, day);
    const slice: SliceRow = {
      ...(known ?? emptySlice(day, settings.zone)),
      state,
      reason,
      runId: account.runId,
    };
    account.tally.slicesUnproven += 1;
    await books.write(lease.fence, {
      now: clock.now(),
      changed: [],
      gone: [],
      slice,
      ...(await account.written()),
    });
  }
}

/** @throws {LeaseLostError}, {SyncStoppedError} when nothing more is to be done */
export function checkGoingOn({ lease, stop }: Pick<DayWorkOptions, 'lease' | 'stop'>): void {
  lease.check();
  if (stop?.aborted) throw new SyncStoppedError(ASKED_TO_STOP);
}

function isBeside(day: string, days: ReadonlySet<string>): boolean {
  return [addDays(day, -1), day, addDays(day, 1)].some((near) => days.has(near));
}
