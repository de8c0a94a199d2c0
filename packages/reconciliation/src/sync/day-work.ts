import { addDays } from '@financing-checkout/contract/money';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { DayState, FactStore, Fence, FundingDay, SyncRun } from '../facts/store.ts';
import type { Clock } from '@financing-checkout/kit';
import { DayContents, type DayDifference, type GoneFunding } from './day-content.ts';
import type { SyncSettings } from './settings.ts';
import type { Stage } from './stage.ts';
import { type ReadWindow, STOPPED, WindowError, type Windows } from './window.ts';
import { type Outcome, WindowReader } from './windows.ts';

/** The part of the record store that a sync needs. */
export type SyncFacts = Pick<
  FactStore,
  | 'days'
  | 'daysAfter'
  | 'content'
  | 'writeDay'
  | 'writeSync'
  | 'syncs'
  | 'importsAfter'
  | 'importContent'
>;

/** The sync was stopped before its end. The next start resumes it. */
export class SyncStoppedError extends Error {
  override readonly name = 'SyncStoppedError';
}

const ASKED_TO_STOP = 'The sync was told to stop.';

export interface DayWorkOptions {
  facts: SyncFacts;
  fence: Fence;
  windows: Windows;
  stage: Stage;
  calendar: Calendar;
  settings: SyncSettings;
  clock: Clock;
  /** The counters are updated after each day. */
  run: SyncRun;
  /** Stops the work between two days. */
  stop?: AbortSignal | undefined;
  /**
   * Awaited after each day. @param changed number of changed records to replay into the database
   */
  onDay: (changed: number) => Promise<void>;
}

/** A removed funding, which may have moved to a day that was read earlier. */
export interface Gone extends GoneFunding {
  day: string;
  /** Position in the order of proofs. The funding can only be in days proven earlier. */
  at: number;
}

/** Up to this number of vanished fundings, a percentage is meaningless. */
const FEW = 10;

/** Returns whether so many fundings vanished that a second reading must confirm it. */
export function isSuspicious(stored: number, gone: number, limit: number): boolean {
  return gone > FEW && gone > stored * limit;
}

const NOTHING: DayDifference = {
  changed: 0,
  gone: [],
  superseded: undefined,
};

/** Reads days, newest first, each until it is proven, and writes them. */
export class DayWork {
  readonly reader: WindowReader;
  /** Each day's position in the order of proofs. */
  readonly proven = new Map<string, number>();
  /** Days that could not be proven. */
  readonly unproven = new Set<string>();
  /** Fundings that have vanished since the last search for moved fundings. */
  gone: Gone[] = [];
  /** Number of records returned for a day other than their own. */
  strays = 0;
  readonly #options: DayWorkOptions;
  readonly #contents: DayContents;

  constructor(options: DayWorkOptions) {
    this.#options = options;
    this.#contents = new DayContents(options.stage, options.calendar);
    this.reader = new WindowReader(options.windows, options.settings.parallel);
  }

  /** @throws {LeaseLostError}, {SyncStoppedError} */
  async read(days: readonly string[]): Promise<void> {
    const { reader } = this;
    reader.plan(days);
    const left = new Set(days);
    for (const day of days) {
      this.checkGoingOn();
      const { own, before, after } = await reader.around(day);
      this.checkGoingOn();
      const changed = await this.#take(day, own, [before, after]);
      left.delete(day);
      await this.#options.onDay(changed);
      const done = [addDays(day, 1), day, addDays(day, -1)];
      reader.release(done.filter((near) => !isBeside(near, left)));
      if (reader.down !== undefined) break;
    }
    for (const day of days) reader.release([addDays(day, 1), day, addDays(day, -1)]);
  }

  /** @throws {SyncStoppedError} if the sync was stopped */
  checkGoingOn(): void {
    if (this.#options.stop?.aborted) throw new SyncStoppedError(ASKED_TO_STOP);
  }

  /** @returns the number of changed records */
  async #take(day: string, own: Outcome, beside: readonly Outcome[], passes = 0): Promise<number> {
    const bad = [own, ...beside].find((outcome) => outcome instanceof WindowError);
    if (bad) {
      await this.mark(day, bad.state, bad.reason);
      return 0;
    }
    const { facts, settings } = this.#options;
    const [known] = await facts.days(day, day);
    const windows = beside.filter((outcome): outcome is ReadWindow => 'passes' in outcome);
    const window = own as ReadWindow;
    const taken = await this.#contents.join(day, window, windows, async (content) => {
      const { strays, count, digest, rows } = content;
      const stored = known?.digest ? known : undefined;
      const isNew = stored?.digest !== digest;
      const difference =
        stored === undefined
          ? { ...NOTHING, changed: count }
          : isNew
            ? await this.#contents.compare(rows, facts, stored)
            : NOTHING;
      const isFirst = passes === 0;
      if (isFirst && isSuspicious(stored?.count ?? 0, difference.gone.length, settings.goneLimit)) {
        return undefined;
      }
      this.strays += strays;
      const reason = strays === 0 ? undefined : `${strays} records belong to other days`;
      await this.#write(day, { ...window, passes: passes + window.passes }, difference, {
        count,
        digest,
        reason,
        content: isNew ? await this.#contents.pack(rows) : undefined,
        known,
      });
      return difference.changed + difference.gone.length;
    });
    if (taken !== undefined) return taken;
    // Such a loss is unusual, so the day is read again from the start to confirm it.
    this.reader.release([day]);
    const again = await this.reader.around(day);
    return this.#take(day, again.own, [again.before, again.after], window.passes);
  }

  async #write(
    day: string,
    { passes, pages, overlaps }: ReadWindow,
    { changed, gone, superseded }: DayDifference,
    to: {
      count: number;
      digest: string;
      reason: string | undefined;
      content: Uint8Array | undefined;
      known: FundingDay | undefined;
    },
  ): Promise<void> {
    const { facts, fence, settings, clock, run } = this.#options;
    run.daysDone += 1;
    run.records += to.count;
    run.changed += changed;
    run.gone += gone.length;
    const isChanged = to.content !== undefined;
    await facts.writeDay(
      fence,
      {
        day,
        state: 'complete',
        reason: to.reason,
        zone: settings.zone,
        syncId: run.id,
        passes,
        pages,
        overlaps,
        count: to.count,
        digest: to.digest,
        provenAt: clock.now(),
        changed: isChanged ? changed : (to.known?.changed ?? 0),
        gone: isChanged ? gone.length : (to.known?.gone ?? 0),
      },
      to.content && { content: to.content, superseded },
      run,
    );
    const at = this.proven.size;
    this.proven.delete(day);
    this.proven.set(day, at);
    this.unproven.delete(day);
    for (const funding of gone) this.gone.push({ ...funding, day, at });
  }

  /** Keeps the day's content, and records the day as unproven. */
  async mark(day: string, state: Exclude<DayState, 'complete'>, reason: string): Promise<void> {
    // An interrupted reading is no evidence about the day.
    if (reason === STOPPED) throw new SyncStoppedError(ASKED_TO_STOP);
    const { facts, fence, settings, run } = this.#options;
    const [known] = await facts.days(day, day);
    const kept = known ?? nothingKnown(day, settings.zone);
    run.daysUnproven += 1;
    this.unproven.add(day);
    await facts.writeDay(fence, { ...kept, state, reason, syncId: run.id }, undefined, run);
  }
}

function nothingKnown(day: string, zone: string): Omit<FundingDay, 'number'> {
  return {
    day,
    state: 'failed',
    reason: undefined,
    zone,
    syncId: '',
    passes: 0,
    pages: 0,
    overlaps: 0,
    count: 0,
    changed: 0,
    gone: 0,
    digest: '',
    provenAt: undefined,
  };
}

function isBeside(day: string, days: ReadonlySet<string>): boolean {
  return [addDays(day, -1), day, addDays(day, 1)].some((near) => days.has(near));
}
