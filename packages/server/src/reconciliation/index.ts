import type { Environment } from '@financing-checkout/contract';
import { type Clock, systemClock } from '../clock/clock.ts';
import { hasOpenShares, isSyncing } from '../fundings/under-way.ts';
import { type Counters, createCounters } from '../observe/counters.ts';
import { type Logger, silentLogger } from '../observe/logger.ts';
import type { Store } from '../store/store.ts';
import { deliverDue, type DeliveryContext } from '../webhook/delivery.ts';
import { alertCases } from './cases/alerts.ts';
import { type CasePass, followExceptions } from './cases/follow.ts';
import type { LedgerImport } from './ledger/ledger-import.ts';
import { policyHash, type ReconciliationPolicy } from './policy.ts';
import { readRun } from './recompute/ranges.ts';
import { createRecompute, type RecomputeWorker } from './recompute/recompute.ts';

/** The part that reads the service's report: `createSync`. */
export interface ScheduledSync {
  /** Reads what is due by its age. Resolves when the run has ended, however it did. */
  runDue: () => Promise<void>;
}

export interface ReconciliationOptions {
  environment: Environment;
  store: Store;
  policy: ReconciliationPolicy;
  /** Computes statuses beside everything else: `createRecomputeWorker` of `/node`. */
  worker: RecomputeWorker;
  /** Whose imports are carried through when a companion ended in the middle of one. */
  ledgerImport?: Pick<LedgerImport, 'resume'>;
  /**
   * Prices fundings by what the ledger says: a refund that the companion makes may be the first that
   * is known of an order, and of its currency.
   */
  reprice?: () => Promise<unknown>;
  /**
   * Reads a part of a sync that another companion leads; resolves with how many there were to be taken.
   * Without it this one takes none.
   */
  help?: () => Promise<number>;
  clock?: Clock;
  logger?: Logger;
  /** Where its alarms are counted. */
  counters?: Counters;
  /** Milliseconds between the beginnings of two syncs. Without it nothing is read unasked. */
  sync?: { every: number; job: ScheduledSync } | undefined;
  /** Where finance hears of cases. Without it nobody is told. */
  alerts?: Pick<DeliveryContext, 'target' | 'transport' | 'random'> | undefined;
}

/** Reconciliation as the companion runs it. */
export interface Reconciliation {
  readonly policy: ReconciliationPolicy;
  /** Ends what is under way, and nothing begins any more; what was done so far is kept. */
  stop: () => Promise<void>;
  /** Brings statuses, cases and alerts up to date with what is in the store. */
  catchUp: () => Promise<CasePass>;
  /**
   * What is to be done again and again, each at its own pace; an answer that is not 0 means that
   * more may be due at once.
   */
  work: readonly (() => Promise<number>)[];
}

/** Statuses that nothing changed may have changed elsewhere; and cases grow old. */
const FOLLOW_EVERY_MS = 600_000;
/** While a sync reads, what it brings is computed this often: all of it is judged again at its end. */
const WHILE_READING_MS = 60_000;
/** After so long an import keeps nothing waiting: it cannot be carried through. */
const MOST_OF_IMPORT_MS = 1_800_000;
/** All statuses are computed again to see whether they are what stands. */
const CHECK_EVERY_MS = 86_400_000;
/** How long after a start it is looked whether that is due, and after a try that came to nothing. */
const CHECK_AFTER_MS = 600_000;
const DELIVERIES = 20;
/**
 * How often a sync whose process died is taken up without waiting for its interval: what ended the
 * process each time may be the sync.
 */
const TAKEN_UP_AT_ONCE = 3;
/** How often is looked whether another companion's sync has days to be taken. */
const LOOK_FOR_SHARES_MS = 5_000;
/** When to look again after some were there and none could be read. */
const SHARES_FAILED_MS = 60_000;
/** How soon is looked again whether one that somebody reads has ended. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Puts the parts of reconciliation together, for `CompanionOptions.reconciliation`, or to be called
 * by a program of your own.
 */
export async function createReconciliation(
  options: ReconciliationOptions,
): Promise<Reconciliation> {
  const { environment, policy, store, worker, alerts, sync } = options;
  const { clock = systemClock, logger = silentLogger, counters = createCounters() } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const cases = { environment, store, clock, logger, signal };
  const recompute = createRecompute({
    environment,
    store,
    worker,
    policy,
    policyHash: await policyHash(policy),
    isComplete: async () => (await store.proof(environment, clock.now())).complete,
    clock,
    logger,
    counters,
    signal,
  });
  let nextFollow = 0;
  let nextWhileReading = 0;
  /** As what the statuses were computed last: with all data there, or without. */
  let computedAs: boolean | undefined;
  let nextSync = 0;
  let nextHelp = 0;
  // Not at once: a companion that is started again and again would do nothing else.
  let nextCheck = clock.now() + CHECK_AFTER_MS;

  async function follow(): Promise<CasePass> {
    nextFollow = clock.now() + FOLLOW_EVERY_MS;
    const resumed = signal.aborted ? undefined : options.ledgerImport?.resume();
    await resumed?.catch(() => undefined);
    if ((await applyingImport()) !== undefined) {
      // It may have begun while orders were judged: once it has ended they are judged anew.
      nextFollow = 0;
      await resumed;
      return { opened: 0, changed: 0, reopened: 0, closed: 0 };
    }
    const { complete } = await store.proof(environment, clock.now());
    // While a sync reads, or another companion computes, statuses may be of when data was missing.
    const last = await readRun(store.bulk, environment);
    const isJudgedWhole = last?.state === 'complete' && last.complete;
    const pass = await followExceptions(cases, { complete: complete && isJudgedWhole });
    if (alerts) await alertCases(cases, policy.alerts);
    // Cases do not wait for an import that fails again and again; whoever asked hears of it.
    await resumed;
    return pass;
  }

  async function catchUp(): Promise<CasePass> {
    await recompute.projectLedger();
    await recompute.dirty();
    return follow();
  }

  /** The import of which a part may be in the books; none that cannot be carried through. */
  async function applyingImport(): Promise<{ until: number } | undefined> {
    const applying = await store.applyingImport(environment);
    const isHopeless = applying && clock.now() >= applying.since + MOST_OF_IMPORT_MS;
    return isHopeless === true ? undefined : applying;
  }

  /**
   * Whether a part of an import is in the books and the rest is not: an order of both would be judged
   * by half of its lines. One whose companion is gone is first carried through.
   */
  async function isHalfImported(): Promise<boolean> {
    const applying = await applyingImport();
    if (applying === undefined) return false;
    if (clock.now() <= applying.until || options.ledgerImport === undefined) return true;
    await options.ledgerImport.resume();
    return (await store.applyingImport(environment)) !== undefined;
  }

  /**
   * What changed is computed at once; cases follow it, and else every ten minutes. Where there is
   * nothing to do, nothing is written: a pass takes a lease, and this is asked every second.
   */
  async function keepUp(): Promise<number> {
    const now = clock.now();
    const [run] = await store.syncRuns(environment, 1, undefined);
    if (run?.state === 'running' && now < nextWhileReading) return 0;
    if (await isHalfImported()) return 0;
    nextWhileReading = now + WHILE_READING_MS;
    const { complete } = await store.proof(environment, now);
    const isDue =
      now >= nextFollow ||
      complete !== computedAs ||
      (await store.isReconciliationDue(environment, now));
    if (!isDue) return 0;
    await recompute.projectLedger();
    const { changed, state } = await recompute.dirty();
    if (state === 'done' || state === 'helped') computedAs = complete;
    if (changed > 0 || now >= nextFollow) await follow();
    return 0;
  }

  /** Computes everything once a day; what then differs from what stands is an alarm in the log. */
  async function checkDaily(): Promise<number> {
    const now = clock.now();
    if (now < nextCheck) return 0;
    // Another companion may have done it, or this one before it was started again.
    const last = await readRun(store.bulk, environment);
    if (last && last.now <= now && now < last.now + CHECK_EVERY_MS) {
      nextCheck = last.now + CHECK_EVERY_MS;
      return 0;
    }
    // It may fail, or another pass be under way: a day without it is known by the run that is not there.
    nextCheck = now + CHECK_AFTER_MS;
    const priced = options.reprice?.();
    await priced?.catch(() => undefined);
    const { changed } = await recompute.full();
    if (changed > 0) await follow();
    // All is checked whatever becomes of it; whoever asked hears of it.
    await priced;
    return 0;
  }

  /** Only companions on PostgreSQL share a sync: a file has one. */
  async function helpWhenShared(): Promise<number> {
    const now = clock.now();
    if (options.help === undefined || store.bulk.kind === 'sqlite' || now < nextHelp) return 0;
    nextHelp = now + LOOK_FOR_SHARES_MS;
    if (!(await hasOpenShares(store.bulk, environment, now))) return 0;
    if ((await options.help()) === 0) nextHelp = clock.now() + SHARES_FAILED_MS;
    return 0;
  }

  async function syncWhenDue(): Promise<number> {
    const now = clock.now();
    if (sync === undefined) return 0;
    // Further away than an interval is what a clock that is set back had set.
    if (now < nextSync && nextSync <= now + sync.every) return 0;
    // Another companion may have read them, or this one before it was started again.
    const [last] = await store.syncRuns(environment, 1, undefined);
    if (last && last.startedAt <= now && now < last.startedAt + sync.every) {
      const isUnended = last.state === 'running' && last.tiers && last.resumed < TAKEN_UP_AT_ONCE;
      if (!isUnended) {
        nextSync = last.startedAt + sync.every;
        return 0;
      }
      // Its reader is at it, or died just now: that shows when its lease runs out.
      if (await isSyncing(store.bulk, environment, now)) {
        nextSync = now + LOOK_AGAIN_MS;
        return 0;
      }
    }
    nextSync = now + sync.every;
    await sync.job.runDue();
    // One that failed is not ended either, and is taken up as if its process had died.
    nextSync = Math.min(nextSync, clock.now() + LOOK_AGAIN_MS);
    const [ended] = await store.syncRuns(environment, 1, undefined);
    if (ended?.state !== 'running') nextSync = now + sync.every;
    await catchUp();
    return 0;
  }

  return {
    policy,
    stop() {
      ending.abort();
      return worker.close();
    },
    catchUp,
    work: [
      keepUp,
      checkDaily,
      ...(sync ? [syncWhenDue] : []),
      helpWhenShared,
      ...(alerts
        ? [
            () =>
              deliverDue(
                { ...alerts, environment, store, clock, logger, reader: 'finance' },
                DELIVERIES,
              ),
          ]
        : []),
    ],
  };
}
