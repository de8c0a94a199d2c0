import { resolve } from 'node:path';
import { Analytics, meta, NO_FILE, type AnalyticsStatus } from '../analytics/database.ts';
import { reprice } from '../analytics/pricing.ts';
import { replay, type ReplayOptions } from '../analytics/replay.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database, SessionOptions } from '../analytics/session.ts';
import { raiseAlarm } from '../cases/alarms.ts';
import type { SourceState } from '../cases/exception-source.ts';
import type { MemoryLimit } from '../config/memory.ts';
import type { SetUpState } from '@financing-checkout/contract/reconciliation';
import type { FactNumber, FactStore } from '../facts/store.ts';
import { applyLines } from '../imports/compare/index.ts';
import type { MerchantLedger } from '../imports/keep/index.ts';
import { type Clock, delay } from '@financing-checkout/kit';
import { describeError, type Logger } from '../platform/log.ts';
import type { Meter } from '../platform/meter.ts';
import { Mutex } from '../platform/mutex.ts';
import { ProblemError } from '../platform/problem.ts';
import { TemporaryFiles } from '../platform/temporary-files.ts';
import { inSpan } from '../platform/tracing.ts';
import { isComplete, type QueryContext } from '../queries/basis/reliability.ts';
import { isJudgingDue, judge, type JudgeResult } from '../statuses/judge.ts';
import { readLedgerStartAnswers, readSetUpState } from '../statuses/ledger-starts.ts';
import type { QueryPolicy } from '../statuses/policy.ts';
import type { BatchJudge } from '../statuses/rules-thread.ts';
import { followLedger, isLedgerRead } from './ledger.ts';

export interface DataOptions {
  facts: FactStore;
  ledger: MerchantLedger;
  rules: BatchJudge;
  policy: QueryPolicy;
  defaultCurrency: string;
  isCurrencyStated: boolean;
  analytics: Pick<SessionOptions, 'file' | 'memoryLimit' | 'threads' | 'spillLimit'> &
    Pick<MemoryLimit, 'isMemoryLeast'>;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/** Optional work in a pass, in addition to applying new facts. */
export interface PassWork {
  /** Reads the companion's ledger now, instead of every few seconds. */
  isLedgerDue?: boolean;
  /** Judges all orders, and reports those whose status changed without a reason. */
  all?: boolean;
  /**
   * Whether a sync is reading. A sync applies its own facts in batches, and a pass over all orders waits
   * until it ends.
   */
  isReading?: boolean;
  signal?: AbortSignal | undefined;
}

/** State of this process's own database. */
export interface DataStatus {
  analytics: AnalyticsStatus;
  /** Whether a ledger exists; undefined until the companion's ledger has been read. */
  ledger: SetUpState | undefined;
  /** Last time orders were judged, in milliseconds since 1970; undefined: never. */
  judgedAt: number | undefined;
  /** Number of the last fact that the statuses include. */
  caughtUp: FactNumber;
  /** Number of orders whose status had changed without a reason at the last daily check. */
  unexplained: number;
}

/**
 * Milliseconds between two requests for the companion's ledger. Orders are also judged at this
 * interval when there are no new facts, because lines become late, and days unproven, as time
 * passes.
 */
const LEDGER_MS = 5_000;
const RETRY_MS = 5_000;
const noPass = { judgedAt: undefined, caughtUp: 0, unexplained: 0 };
const nothing: JudgeResult = {
  deferred: false,
  all: false,
  judged: 0,
  byRules: 0,
  changed: 0,
  failed: 0,
  unexplained: 0,
};

/**
 * This process's analytics database, kept up to date with the facts and the companion's ledger, and
 * judged. Writes no facts, so the writer and standbys use it in the same way.
 */
export class Data {
  readonly #options: DataOptions;
  readonly #folder: string;
  readonly #passes = new Mutex();
  #analytics: Analytics | undefined;
  #files: TemporaryFiles | undefined;
  #status: DataStatus;
  #state: SourceState = 'incomplete';
  #nextLedger = 0;
  /** Files with the contents of imports being applied, by id. */
  readonly #contents = new Map<string, string>();
  /** Number of the last fact included in a complete pass; undefined while work remains. */
  #settled: FactNumber | undefined;
  #isClosed = false;
  #hasReportedSpill = false;

  constructor(options: DataOptions) {
    this.#options = options;
    this.#folder = resolve(`${options.analytics.file}.pages`);
    const analytics = { state: 'opening', reason: undefined, since: options.clock.now() } as const;
    this.#status = { analytics, ledger: undefined, ...noPass };
  }

  get status(): DataStatus {
    return this.#status;
  }

  /** Whether the exceptions of the last pass permit conclusions. */
  get sourceState(): SourceState {
    return this.#status.analytics.state === 'ready' ? this.#state : 'rebuilding';
  }

  /** @throws {ProblemError} `not-ready` while the database opens or is rebuilt */
  get database(): Analytics {
    const { state } = this.#status.analytics;
    if (this.#analytics === undefined || state !== 'ready') {
      throw new ProblemError('not-ready', {
        detail: `The analytics database is ${state}: retry in a moment. No data is lost.`,
        retryAfterSeconds: 2,
      });
    }
    return this.#analytics;
  }

  /** Private files next to the database, which statements may read and write. */
  get files(): TemporaryFiles {
    if (this.#files === undefined) throw new ProblemError('not-ready', { retryAfterSeconds: 2 });
    return this.#files;
  }

  async rebuild(): Promise<void> {
    await this.database.rebuild('requested');
  }

  /**
   * Opens the file. Resolves once this process owns it; filling may take longer.
   * @returns `ready`, which resolves when queries are answered or the data is closed
   * @throws {AnalyticsInUseError}
   */
  async open(): Promise<{ ready: Promise<void> }> {
    let ready: Promise<void> | undefined;
    await new Promise<void>((resolve, reject) => {
      ready = this.#openUntilItWorks(resolve);
      ready.catch(reject);
    });
    return { ready: ready ?? Promise.resolve() };
  }

  async #openUntilItWorks(onOpen: () => void): Promise<void> {
    const { clock, logger } = this.#options;
    while (!this.#isOver()) {
      try {
        this.#analytics = await this.#open(onOpen);
        if (this.#isOver()) await this.#analytics.close();
        return;
      } catch (error) {
        // Until this process owns the file, another process may have it open.
        if (this.#files === undefined) throw error;
        logger.log('error', 'analytics-not-opened', describeError(error));
        await delay(clock, RETRY_MS);
      }
    }
  }

  /** A method, because the compiler assumes that a property does not change during an await. */
  #isOver(): boolean {
    return this.#isClosed;
  }

  #open(onOpen: () => void): Promise<Analytics> {
    const { analytics, facts, clock, logger } = this.#options;
    return Analytics.open({
      ...analytics,
      facts,
      clock,
      readable: [this.#folder],
      onSpill: analytics.isMemoryLeast ? () => this.#reportSpill() : undefined,
      fill: async (database) => {
        // Only the owner of the file may clean up its folder.
        this.#files ??= await TemporaryFiles.open(this.#folder);
        onOpen();
        await this.#bringUp(database, { isLedgerDue: true });
      },
      onStatus: (status) => {
        this.#status = { ...this.#status, analytics: status };
        const { state, reason } = status;
        // A file that is missing at the first start is not a loss.
        const isLoss = state === 'rebuilding' && reason !== NO_FILE;
        const level = state === 'failed' ? 'error' : isLoss ? 'warn' : 'info';
        logger.log(level, 'analytics', { outcome: state, reason });
      },
    });
  }

  /**
   * Applies outstanding facts to the database, without judging.
   * @param contents files with import contents, by ID, to avoid reading them again
   */
  async replay(contents: ReadonlyMap<string, string> = new Map()): Promise<void> {
    for (const [id, file] of contents) this.#contents.set(id, file);
    try {
      await this.#replay(this.database.passes);
    } finally {
      for (const id of contents.keys()) this.#contents.delete(id);
    }
  }

  async #replay(database: Database): Promise<void> {
    const { facts, defaultCurrency, isCurrencyStated } = this.#options;
    await replay({
      database,
      facts,
      defaultCurrency,
      isCurrencyStated,
      files: this.files,
      applyImport: this.applyImport,
    });
  }

  /** Applies an import during a replay. */
  readonly applyImport: ReplayOptions['applyImport'] = async (connection, fact) => {
    const file = this.#contents.get(fact.id);
    if (file !== undefined) return applyLines(connection, file, fact);
    const content = await this.#options.facts.importContent(fact.id);
    await this.files.with([{ name: 'import', content, ending: '' }], ([path = '']) =>
      applyLines(connection, path, fact),
    );
  };

  /**
   * Updates the database from the facts and the ledger, and judges changed orders; one pass at a
   * time.
   * @param work.isLedgerDue reads the companion's ledger now; otherwise every few seconds
   * @param work.all judges all orders and compares the results
   */
  catchUp(work: PassWork = {}): Promise<JudgeResult> {
    return this.#passes.run(() => this.#bringUp(this.database.passes, work), work.signal);
  }

  async #bringUp(database: Database, work: PassWork): Promise<JudgeResult> {
    const { facts, clock, meter } = this.#options;
    const head = await facts.head();
    const now = clock.now();
    // A due time more than one interval ahead was set before the clock was turned back.
    const isDue = now >= this.#nextLedger || this.#nextLedger > now + LEDGER_MS;
    const isLedgerDue = work.isLedgerDue === true || isDue;
    if (head === this.#settled && !isLedgerDue && !work.all) return nothing;
    const secondsPassed = () => (clock.now() - now) / 1_000;
    try {
      const result = await inSpan(
        'internal',
        'pass',
        {},
        () => this.#pass(database, { ...work, isLedgerDue, head }),
        ({ judged, changed }) => ({
          attributes: {
            'financing.fact': head,
            'financing.orders_judged': judged,
            'financing.orders_changed': changed,
          },
          failed: false,
        }),
      );
      meter.pass({ outcome: 'completed', seconds: secondsPassed() });
      return result;
    } catch (error) {
      // A pass interrupted by the end of the process has not failed.
      if (work.signal?.aborted !== true) {
        meter.pass({ outcome: 'failed', seconds: secondsPassed() });
      }
      throw error;
    }
  }

  async #pass(database: Database, work: PassWork & { head: FactNumber }): Promise<JudgeResult> {
    const { clock, defaultCurrency } = this.#options;
    const { head, isLedgerDue } = work;
    this.#settled = undefined;
    if (!work.isReading) await this.#replay(database);
    if (work.all) await database.write((connection) => reprice(connection, defaultCurrency));
    if (isLedgerDue) {
      this.#nextLedger = clock.now() + LEDGER_MS;
      await this.#followLedger(database, work.signal);
    }
    const result = (await isLedgerRead(database)) ? await this.#judge(database, work) : undefined;
    if (result === undefined) this.#state = 'incomplete';
    else if (result.unexplained > 0 || work.all) this.#report(result.unexplained);
    const { judgedAt, ledger } = await database.read(async (connection) => ({
      judgedAt: await meta(connection, metaKeys.judgedAt),
      ledger: await readSetUpState(connection),
    }));
    this.#status = {
      ...this.#status,
      ...(result && { ledger }),
      judgedAt: judgedAt === undefined ? undefined : Number(judgedAt),
      caughtUp: work.isReading ? this.#status.caughtUp : head,
    };
    if (!work.isReading && result?.deferred !== true) this.#settled = head;
    return result ?? nothing;
  }

  /** If the companion is unreachable, the next pass queries it again. */
  async #followLedger(database: Database, signal: AbortSignal | undefined): Promise<void> {
    const { ledger, defaultCurrency, facts, clock, logger } = this.#options;
    const onReplaced = async (entry: { seq: number; digest: string }) => {
      logger.log('error', 'ledger-replaced', { count: entry.seq });
      await raiseAlarm({ facts, clock }, 'ledger-replaced', entry);
    };
    try {
      await followLedger(database, ledger, { defaultCurrency, onReplaced }, signal);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'CompanionError') throw error;
      logger.log('warn', 'ledger-not-read', { reason: error.message });
    }
  }

  async #judge(
    database: Database,
    { all = false, isReading = false, signal }: PassWork,
  ): Promise<JudgeResult> {
    const { facts, policy, rules, clock, logger } = this.#options;
    const complete = await isComplete({ database, facts, policy, clock });
    const now = clock.now();
    const defersAll = isReading && !all;
    const ledgerAnswers = await readLedgerStartAnswers(facts, policy);
    const terms = { policy, now, complete, ledgerAnswers };
    const options = { ...terms, rules, all, defersAll, ...(signal && { signal }) };
    this.#state = 'incomplete';
    const result =
      all || (await isJudgingDue(database, options)) ? await judge(database, options) : nothing;
    this.#state = complete && !result.deferred ? 'complete' : 'incomplete';
    if (result.judged > 0) {
      const durationMs = clock.now() - now;
      logger.log('info', 'judged', { count: result.judged, durationMs });
    }
    return result;
  }

  #reportSpill(): void {
    if (this.#hasReportedSpill) return;
    this.#hasReportedSpill = true;
    const { memoryLimit } = this.#options.analytics;
    this.#options.logger.log('warn', 'analytics-spilled', {
      reason: `its memory limit is only ${memoryLimit}, so work takes longer: give the process more memory, or raise RECONCILIATION_MEMORY_LIMIT`,
    });
  }

  #report(unexplained: number): void {
    this.#status = { ...this.#status, unexplained };
    if (unexplained === 0) return;
    this.#options.logger.log('error', 'statuses-unexplained', { count: unexplained });
  }

  /**
   * Returns the database for exports, which do not delay queries. @throws {ProblemError}
   * `not-ready`
   */
  exportContext(signal?: AbortSignal): QueryContext {
    return this.#context(this.database.exports, signal);
  }

  /** Returns the database for queries. @throws {ProblemError} `not-ready` */
  context(signal?: AbortSignal): QueryContext {
    return this.#context(this.database, signal);
  }

  #context(database: QueryContext['database'], signal?: AbortSignal): QueryContext {
    const { facts, policy, clock } = this.#options;
    return { database, facts, policy, clock, signal };
  }

  /** Returns the last time all orders were judged; undefined: never. */
  async judgedAllAt(): Promise<number | undefined> {
    const text = await this.database.passes.read((connection) =>
      meta(connection, metaKeys.judgedAllAt),
    );
    return text === undefined ? undefined : Number(text);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#analytics?.close();
    await this.#files?.close();
  }
}
