import { randomUUID } from 'node:crypto';
import type {
  CaseSheet,
  LakeRecord,
  Withdrawal,
  LedgerImportRecord,
} from '@financing-checkout/contract/reconciliation';
import { alertCases } from '../cases/alerts.ts';
import type { CaseContext } from '../cases/change-cases.ts';
import { deliverAlerts } from '../cases/delivery.ts';
import { followExceptions } from '../cases/follow.ts';
import {
  type CaseRequest,
  operateOnCase,
  operateOnCases,
  type PartOutcome,
  type PartRequest,
} from '../cases/operations.ts';
import type { CompanionOperations } from '../companion/operations.ts';
import type { Configuration } from '../config/config.ts';
import type { Lease } from '../facts/lease.ts';
import type { SealFact } from '../facts/period-facts.ts';
import { removeOldContents } from '../facts/retention.ts';
import type { FactStore, Fence, SyncRun } from '../facts/store.ts';
import { createLedgerImport, type LedgerImport } from '../imports/keep/index.ts';
import type { LedgerImportOptions } from '../imports/read/index.ts';
import { createReceiver, type Upload } from '../imports/receive/index.ts';
import type { Clock, Transport } from '@financing-checkout/kit';
import { describeError, type Logger } from '../platform/log.ts';
import { freeBytes } from '../platform/temporary-files.ts';
import type { Meter } from '../platform/meter.ts';
import { Mutex } from '../platform/mutex.ts';
import { ProblemError } from '../platform/problem.ts';
import { inSpan } from '../platform/tracing.ts';
import { exceptionSource } from '../queries/cases/exception-changes.ts';
import {
  type Approving,
  type CloseContext,
  type CloseStep,
  type Deciding,
} from '../periods/decide.ts';
import { alertApprovals } from '../periods/alerts.ts';
import { closePeriod } from '../periods/close.ts';
import { type PeriodsContext } from '../periods/read.ts';
import { reopenPeriod, type WantedReopening } from '../periods/reopen.ts';
import type { JournalsContext } from '../journals/export.ts';
import type { LakeContext } from '../lake/write.ts';
import type { FundingSource } from '../sync/source.ts';
import { SyncStoppedError } from '../sync/day-work.ts';
import { runSync } from '../sync/sync.ts';
import { type CaseSheetRequest, CaseSheets } from './case-sheets.ts';
import type { Data, PassWork } from './data.ts';
import { lakeNotConfigured, SyncBusyError } from './errors.ts';
import { LakeWriter } from './lake-writer.ts';
import { TrailWatch } from './trail-watch.ts';
import { withdrawImport, type WithdrawalRequest } from './withdrawal.ts';

export interface LeaderOptions {
  /** In mode `command` there are no ticks, so a sync waits for the work that results from it. */
  mode: 'serve' | 'command';
  config: Configuration;
  facts: FactStore;
  data: Data;
  source: FundingSource;
  operations: CompanionOperations;
  /** Returns the context for reading periods. @throws {ProblemError} `not-ready` */
  periods: () => PeriodsContext;
  /** Returns the context of the lake. @throws {ProblemError} `lake-not-configured`, `not-ready` */
  lake: () => LakeContext;
  lease: Lease;
  transport: Transport;
  random: () => number;
  clock: Clock;
  logger: Logger;
  meter: Meter;
  /** Aborted to end all work. */
  ending: AbortSignal;
}

/** Days to sync; without them, the days that are due because of their age. */
interface SyncRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** A sync run of this process. */
interface SyncJob {
  /** The last written state; undefined until the run begins. */
  run: SyncRun | undefined;
  /** Resolves when all orders that the run changed have been judged. */
  done: Promise<void>;
}

/** Cases and alerts become due even if no order changes. */
const FOLLOW_EVERY_MS = 600_000;
/** Minimum interval between judging the marked orders while a sync reads days. */
const WHILE_READING_MS = 10_000;
/** Pause between two passes while a sync reads days, as a multiple of the last pass's duration. */
const PAUSE_WHILE_READING = 10;
/** Interval between checks that judge all orders to find statuses that changed without a reason. */
const CHECK_EVERY_MS = 86_400_000;
/** Delay of that check after a start or a failed attempt. */
const CHECK_AFTER_MS = 600_000;
/** Maximum delay before an interrupted sync is resumed. */
const TAKE_UP_MS = 60_000;
/**
 * Maximum number of early resumes of an interrupted sync, because the sync itself may be what
 * crashes the process.
 */
const TAKEN_UP_AT_ONCE = 3;
const DELIVERIES = 20;

/** The work of the lease holder: everything that writes facts. */
export class Leader {
  readonly #options: LeaderOptions;
  readonly #stop: AbortSignal;
  readonly #passes = new Mutex();
  #imports: LedgerImport | undefined;
  #sheets: CaseSheets | undefined;
  #sync: SyncJob | undefined;
  #closing: { period: string; step: CloseStep } | undefined;
  #nextPass = 0;
  #nextFollow = 0;
  #nextSync = 0;
  #nextCheck: number;
  #nextRetention: number;
  readonly #lake: LakeWriter | undefined;
  readonly #trail: TrailWatch;
  #nextTrail: number;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.#stop = AbortSignal.any([options.lease.lost, options.ending]);
    this.#nextCheck = options.clock.now() + CHECK_AFTER_MS;
    this.#nextRetention = this.#nextCheck;
    const { facts, logger, config, meter } = options;
    const { clock, lease, operations } = options;
    if (config.lake !== undefined) {
      const context = options.lake;
      this.#lake = new LakeWriter({ context, lease, clock, logger, meter, stop: this.#stop });
    }
    this.#trail = new TrailWatch({
      facts,
      logger,
      clock,
      operations,
      environment: config.environment,
      fence: lease.fence,
      isAlerting: config.alerts !== undefined,
    });
    this.#nextTrail = this.#nextCheck;
  }

  /** The running sync, until its orders have been judged. */
  get activeSync(): SyncRun | undefined {
    return this.#sync?.run;
  }

  /** Whether a sync is running, even before {@link activeSync} has its first progress. */
  get isSyncing(): boolean {
    return this.#sync !== undefined;
  }

  /** Does all due work. Called periodically. */
  async tick(): Promise<void> {
    const now = this.#options.clock.now();
    if (this.#sync === undefined || now >= this.#nextPass) {
      this.#nextPass = now + WHILE_READING_MS;
      await this.pass({ isReading: this.#sync !== undefined });
      const end = this.#options.clock.now();
      this.#nextPass = Math.max(this.#nextPass, end + PAUSE_WHILE_READING * (end - now));
    }
    await this.#syncWhenDue();
    await this.#deliver();
    await this.#removeOld();
    await this.#watchTrail();
    // During a sync, a row may be in two days or in none.
    if (this.#sync === undefined) this.#lake?.writeWhenDue();
  }

  /**
   * Updates the data from the facts, and cases and alerts from the data; one pass at a time.
   */
  pass(work: Pick<PassWork, 'isLedgerDue' | 'isReading'> = {}): Promise<void> {
    return this.#passes.run(async () => {
      const { data, clock } = this.#options;
      const now = clock.now();
      const all = await this.#isCheckDue(now);
      const { judged } = await data.catchUp({ ...work, all, signal: this.#stop });
      if (judged > 0) this.#lake?.mark(false);
      if (judged > 0 || now >= this.#nextFollow) await this.#follow();
    }, this.#stop);
  }

  async #isCheckDue(now: number): Promise<boolean> {
    if (now < this.#nextCheck) return false;
    this.#nextCheck = now + CHECK_AFTER_MS;
    const last = await this.#options.data.judgedAllAt();
    return last === undefined || now - last >= CHECK_EVERY_MS;
  }

  async #follow(): Promise<void> {
    const { data, config, facts, clock } = this.#options;
    // A process that ended after a decision may not have queued its message.
    await this.#alertApprovals();
    // During a sync, a funding that moves between days may be on neither of them.
    const [last] = await facts.syncs(1);
    if (last?.state === 'running') return;
    const source = exceptionSource(data.database.passes, () => Promise.resolve(data.sourceState));
    // A case that the mirror lacks would look like a new exception.
    await data.replay();
    await followExceptions(this.#caseContext(), source);
    if (config.alerts !== undefined) {
      const ctx = { ...this.#caseContext(), environment: config.environment };
      // The money at stake is that of mirrored cases.
      await data.replay();
      await alertCases(ctx, source, config.policy.alerts);
      await this.#trail.alert();
    }
    await data.replay();
    this.#nextFollow = clock.now() + FOLLOW_EVERY_MS;
  }

  async #alertApprovals(): Promise<void> {
    if (this.#options.config.alerts !== undefined) await alertApprovals(this.periods());
  }

  #caseContext(): CaseContext {
    const { facts, lease, clock, logger } = this.#options;
    return { facts, fence: lease.fence, clock, logger, signal: this.#stop };
  }

  async #deliver(): Promise<void> {
    const { config, facts, lease, transport, random, clock, logger } = this.#options;
    const { alerts: target } = config;
    if (target === undefined) return;
    const ctx = { facts, fence: lease.fence, target, transport, clock, logger, random };
    await deliverAlerts(ctx, DELIVERIES);
  }

  async #removeOld(): Promise<void> {
    const { facts, lease, clock, logger } = this.#options;
    const now = clock.now();
    if (now < this.#nextRetention) return;
    this.#nextRetention = now + CHECK_EVERY_MS;
    const count = await removeOldContents(facts, lease.fence, now);
    if (count > 0) logger.log('info', 'old-contents-removed', { count });
  }

  /** Verifies the trail once a day. */
  async #watchTrail(): Promise<void> {
    const now = this.#options.clock.now();
    if (now < this.#nextTrail) return;
    this.#nextTrail = now + CHECK_EVERY_MS;
    await this.#trail.verify();
    await this.#trail.compare();
    await this.#trail.logAnchor();
  }

  async #syncWhenDue(): Promise<void> {
    const { config, facts, clock, logger } = this.#options;
    const { everyMs } = config.sync;
    const now = clock.now();
    if (everyMs === 0 || this.#sync !== undefined) return;
    // A due time more than one interval ahead was set before the clock was turned back.
    if (now < this.#nextSync && this.#nextSync <= now + everyMs) return;
    const [last] = await facts.syncs(1);
    if (last !== undefined && last.startedAt <= now && now < last.startedAt + everyMs) {
      const isCutOff = last.state === 'running' && last.tiers && last.resumed < TAKEN_UP_AT_ONCE;
      if (!isCutOff) {
        this.#nextSync = last.startedAt + everyMs;
        return;
      }
    }
    this.#nextSync = now + Math.min(everyMs, TAKE_UP_MS);
    await this.startSync({}).catch((error: unknown) => {
      logger.log('error', 'sync-not-begun', describeError(error));
    });
  }

  /**
   * Starts a sync, or resumes an interrupted one.
   * @returns the run as it began @throws {SyncBusyError}
   */
  startSync(range: SyncRange): Promise<SyncRun> {
    if (this.#sync !== undefined) throw new SyncBusyError('Another sync is running.');
    const { data, logger } = this.#options;
    // Checked before anything is written, because a sync needs the database.
    void data.database;
    const begun = Promise.withResolvers<SyncRun>();
    const job: SyncJob = { run: undefined, done: Promise.resolve() };
    this.#sync = job;
    job.done = this.#runSync(range, (run) => {
      job.run = run;
      begun.resolve(run);
    })
      .then(() => undefined)
      .catch((error: unknown) => {
        begun.reject(error);
        const isStop = error instanceof SyncStoppedError || this.#stop.aborted;
        logger.log(isStop ? 'info' : 'error', isStop ? 'sync-stopped' : 'sync-failed', {
          syncId: job.run?.id,
          ...(isStop ? {} : describeError(error)),
        });
      })
      .finally(() => {
        this.#sync = undefined;
      });
    return begun.promise;
  }

  #runSync(range: SyncRange, onProgress: (run: SyncRun) => void): Promise<SyncRun> {
    return inSpan(
      'internal',
      'sync',
      {},
      () => this.#syncAndJudge(range, onProgress),
      ({ id, state, daysDone, daysUnproven, records, changed, gone, quarantined }) => ({
        attributes: {
          'financing.sync_id': id,
          'financing.outcome': state,
          'financing.days_proven': daysDone,
          'financing.days_unproven': daysUnproven,
          'financing.records': records,
          'financing.records_changed': changed,
          'financing.records_gone': gone,
          'financing.records_quarantined': quarantined,
        },
        failed: state === 'failed',
      }),
    );
  }

  async #syncAndJudge(range: SyncRange, onProgress: (run: SyncRun) => void): Promise<SyncRun> {
    const { config, facts, lease, data, source, clock, logger, mode } = this.#options;
    const { defaultCurrency, isCurrencyStated } = config;
    const run = await runSync(
      {
        facts,
        source,
        clock,
        onProgress,
        fence: lease.fence,
        stop: this.#stop,
        database: data.database.passes,
        files: data.files,
        applyImport: data.applyImport,
        settings: { ...config.sync, defaultCurrency, isCurrencyStated },
      },
      { id: `sync_${randomUUID()}`, ...range },
    );
    // A sync ends only after its orders have been judged, so that the next query is not stale.
    await this.pass({ isLedgerDue: true });
    this.#lake?.mark(true);
    if (mode === 'command') await this.#lake?.write().catch(() => undefined);
    const { id: syncId, state: outcome, reason, records: count, startedAt } = run;
    const durationMs = clock.now() - startedAt;
    logger.log(outcome === 'complete' ? 'info' : 'warn', 'sync-ended', {
      syncId,
      outcome,
      reason,
      count,
      durationMs,
    });
    await this.#trail.compare();
    await this.#trail.logAnchor();
    this.#nextSync = startedAt + config.sync.everyMs;
    return run;
  }

  /**
   * Imports a ledger file, or withdraws its lines, and judges its orders. See {@link LedgerImport}.
   */
  importLedger(upload: Upload, options: LedgerImportOptions): Promise<LedgerImportRecord> {
    return inSpan(
      'internal',
      'import',
      {},
      async () => {
        const report = await this.#ledgerImport().run(upload, options);
        if (report.applied) await this.pass();
        return report;
      },
      ({ applied, lines, added, withdrawn }) => ({
        attributes: {
          'financing.outcome': applied ? 'applied' : 'not-applied',
          'financing.lines': lines,
          'financing.lines_added': added,
          'financing.lines_withdrawn': withdrawn,
        },
        failed: false,
      }),
    );
  }

  /**
   * Withdraws an earlier import, only once, and judges its orders. @throws {ProblemError}
   * `not-found`
   */
  async withdrawImport(request: WithdrawalRequest): Promise<Withdrawal> {
    const withdrawal = await withdrawImport(this.#options.facts, this.#ledgerImport(), request);
    await this.pass();
    return withdrawal;
  }

  #ledgerImport(): LedgerImport {
    const { config, data, facts, lease, clock } = this.#options;
    const { folder } = data.files;
    this.#imports ??= createLedgerImport({
      facts,
      clock,
      analytics: data.database.passes,
      scratch: folder,
      receiver: createReceiver({ folder, clock, freeBytes, ...config.imports }),
      fence: () => lease.fence,
      replay: (contents) => data.replay(contents),
    });
    return this.#imports;
  }

  /** Changes many cases in one transaction. @throws {ProblemError} */
  async operateOnCases(requests: readonly PartRequest[], key: string): Promise<PartOutcome[]> {
    const outcomes = await operateOnCases(this.#caseContext(), requests, key);
    await this.#options.data.replay();
    return outcomes;
  }

  /** Changes a case. @throws {ProblemError} */
  async operateOnCase(request: CaseRequest) {
    const changed = await operateOnCase(this.#caseContext(), request);
    await this.#options.data.replay();
    return changed;
  }

  /** Compares an edited case export, or applies its differences. See {@link CaseSheets.run}. */
  async uploadCaseSheet(upload: Upload, request: CaseSheetRequest): Promise<CaseSheet> {
    const { data } = this.#options;
    this.#sheets ??= new CaseSheets(() => this.#caseContext(), data.files.folder);
    try {
      return await this.#sheets.run(upload, request);
    } finally {
      if (request.digest !== undefined) await data.replay();
    }
  }

  /** The current step of the running close. */
  get closing(): { period: string; step: CloseStep } | undefined {
    return this.#closing;
  }

  /**
   * Seals a prepared period. @throws {ProblemError}, such as `period-not-ready`; `sync-busy` while a
   * sync changes the facts
   */
  closePeriod(id: string, by: Approving): Promise<SealFact> {
    if (this.#sync !== undefined) {
      throw new ProblemError('sync-busy', {
        detail: 'A sync is running: close when it has ended.',
      });
    }
    return inSpan(
      'internal',
      'close',
      { 'financing.period': id },
      () => this.#passes.run(() => this.#close(id, by), this.#stop),
      ({ seq }) => ({ attributes: { 'financing.seal': seq }, failed: false }),
    );
  }

  async #close(id: string, by: Approving): Promise<SealFact> {
    const { data } = this.#options;
    try {
      const ctx = this.periods((step) => {
        this.#closing = { period: id, step };
      });
      const seal = await closePeriod(ctx, id, by, async () => {
        await data.catchUp({ isLedgerDue: true, signal: this.#stop });
        await this.#follow();
      });
      await data.replay();
      this.#lake?.mark(true);
      this.#options.logger.log('info', 'period-closed', { period: id, anchor: seal.hash });
      await this.#trail.logAnchor();
      return seal;
    } finally {
      this.#closing = undefined;
    }
  }

  /**
   * Reopens the last closed period, or requests it.
   * @returns whether the period is open again @throws {ProblemError}
   */
  async reopenPeriod(id: string, by: Deciding, wanted: WantedReopening): Promise<boolean> {
    const isOpen = await this.decide((ctx) => reopenPeriod(ctx, id, by, wanted));
    await this.#options.data.replay();
    if (isOpen) this.#lake?.mark(true);
    return isOpen;
  }

  /**
   * Runs a person's decision about a period. Logs the head of the trail right after it, so that
   * changing the record store alone cannot replace the decision unnoticed.
   */
  async decide<Result>(work: (ctx: CloseContext) => Promise<Result>): Promise<Result> {
    const result = await work(this.periods());
    await this.#alertApprovals();
    await this.#trail.logAnchor();
    return result;
  }

  /** Returns the context for work on periods. */
  periods(onStep: (step: CloseStep) => void = () => undefined): CloseContext {
    const { data, lease } = this.#options;
    return {
      ...this.#options.periods(),
      fence: lease.fence,
      files: data.files,
      brokenTrail: () => this.#trail.verify(),
      onStep,
    };
  }

  /** Returns the context for exporting journals. */
  journals(): JournalsContext & { fence: Fence } {
    return { ...this.periods(), chart: this.#options.config.chart };
  }

  /** Writes the lake now. @throws {ProblemError} `lake-not-configured`, `sync-busy` */
  writeLake(): Promise<LakeRecord> {
    if (this.#lake === undefined) throw lakeNotConfigured();
    if (this.#sync !== undefined) {
      throw new ProblemError('sync-busy', {
        detail: 'A sync is running: the lake is written when it has ended.',
      });
    }
    return this.#lake.write();
  }

  /** Sends an alert again. @throws {ProblemError} `not-found` */
  async replayAlert(id: string): Promise<void> {
    const { facts, lease, clock } = this.#options;
    if (await facts.replayAlert(lease.fence, id, clock.now())) return;
    throw new ProblemError('not-found', { detail: 'No alert has this id.' });
  }

  /** Waits until all work has ended. The caller must first abort its signals. */
  async end(): Promise<void> {
    await this.#sync?.done;
    await this.#lake?.end();
    await this.#passes.run(() => Promise.resolve());
  }
}
