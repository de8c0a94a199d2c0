import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createNodeTransport, type NodeTransport } from '@financing-checkout/kit/outgoing';
import { createCompanionClient } from '../companion/client.ts';
import { createFundingSource } from '../companion/funding-source.ts';
import { type CompanionLedger, createCompanionLedger } from '../companion/ledger.ts';
import { type CompanionOffice, createCompanionOffice } from '../companion/office.ts';
import { type CompanionOperations, createCompanionOperations } from '../companion/operations.ts';
import { type CompanionWorklist, createCompanionWorklist } from '../companion/worklist.ts';
import type { Configuration } from '../config/config.ts';
import { Lease } from '../facts/lease.ts';
import { openFacts } from '../facts/open.ts';
import type { FactStore } from '../facts/store.ts';
import { watchStore } from '../facts/unavailable.ts';
import { PreviewThread } from '../imports/guess/index.ts';
import { createReceiver, type Receiver, RunningImports } from '../imports/receive/index.ts';
import { MAX_WORKBOOK } from '../imports/read/index.ts';
import { type Clock, type Transport, delay, systemClock } from '@financing-checkout/kit';
import { describeError, type Logger, silentLogger } from '../platform/log.ts';
import { freeBytes } from '../platform/temporary-files.ts';
import { type Meter, silentMeter } from '../platform/meter.ts';
import { ProblemError } from '../platform/problem.ts';
import type { JournalsContext } from '../journals/export.ts';
import type { LakeContext } from '../lake/write.ts';
import type { PeriodsContext } from '../periods/read.ts';
import { decidersOf } from '../periods/deciders.ts';
import { createProvider, type Provider } from '../sign-in/provider.ts';
import { createSessions, type Sessions } from '../sign-in/sessions.ts';
import { createSignInTrail, type SignInTrail } from '../sign-in/trail.ts';
import { RulesThread } from '../statuses/rules-thread.ts';
import type { FundingSource } from '../sync/source.ts';
import { Data } from './data.ts';
import { EnvironmentMismatchError, lakeNotConfigured, LeaseHeldError } from './errors.ts';
import { Leader } from './leader.ts';
import { MovedMoney } from './moved-money.ts';

export interface EngineOptions {
  /** @default the system clock */
  clock?: Clock;
  /** @default no logging */
  logger?: Logger;
  /** Sends alerts. @default the connection pool of this program's requests */
  transport?: Transport;
  /** @default no measurements */
  meter?: Meter;
  random?: () => number;
  /** Milliseconds after which a dead process loses the lease. @default 10_000 */
  leaseMs?: number;
  /** Milliseconds between two rounds of work. @default 1_000 */
  tickMs?: number;
  /** Time that a money operation waits for updated figures, in milliseconds. @default 3_000 */
  moneyWaitMs?: number;
}

export interface StartOptions {
  /**
   * `serve` takes the lease when it is free, stands by until then, and works on its own. `command`
   * takes the lease or fails, and works only on request.
   */
  mode: 'serve' | 'command';
  /** Base URL of this process's HTTP API. */
  address?: string | undefined;
}

const TICK_MS = 1_000;
const LEASE_MS = 10_000;
/** Timeout for connecting to the companion, the provider or an alert receiver. */
const CONNECT_MS = 10_000;
const CONFIRM_EVERY_MS = 5_000;
/** A sync's days are judged again at its end, so a standby need not judge after each day. */
const FOLLOW_WHILE_READING_MS = 10_000;

/** Connects facts, analytics database, companion and lease, and keeps them up to date. */
export class Engine {
  readonly config: Configuration;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly source: FundingSource;
  readonly ledger: CompanionLedger;
  /** Work at the companion that needs a person. */
  readonly worklist: CompanionWorklist;
  /** Sends people's requests to the companion. */
  readonly office: CompanionOffice;
  /** Operations of this program that the companion has recorded. */
  readonly operations: CompanionOperations;
  /** Updates figures and cases after money moved. */
  readonly movedMoney: MovedMoney;
  /** Previews ledger files. */
  readonly previews: PreviewThread;
  readonly runningImports: RunningImports;
  /** The OpenID provider through which people sign in; undefined: none is configured. */
  readonly provider: Provider | undefined;
  readonly sessions: Sessions;
  readonly signInTrail: SignInTrail;
  readonly #outgoing: NodeTransport;
  readonly #options: EngineOptions;
  readonly #rules = new RulesThread();
  readonly #ending = new AbortController();
  #facts: FactStore | undefined;
  #data: Data | undefined;
  #workbooks: Receiver | undefined;
  #lease: Lease | undefined;
  #leader: Leader | undefined;
  #loops: Promise<void>[] = [];
  #nextFollow = 0;

  constructor(config: Configuration, options: EngineOptions = {}) {
    const { clock = systemClock, logger = silentLogger, meter = silentMeter } = options;
    const { environment, companion, proxy, signIn } = config;
    this.#outgoing = createNodeTransport({ proxy, connectTimeoutMs: CONNECT_MS });
    const { request, transport } = this.#outgoing;
    const client = createCompanionClient({ ...companion, environment, clock, request });
    this.config = config;
    this.clock = clock;
    this.logger = logger;
    this.meter = meter;
    this.source = createFundingSource(client);
    this.ledger = createCompanionLedger(client);
    this.worklist = createCompanionWorklist(client, clock);
    const { url, token, moneyToken = token } = companion;
    this.office = createCompanionOffice({
      url,
      environment,
      clock,
      request,
      token: moneyToken,
      ending: this.ending,
    });
    this.movedMoney = new MovedMoney({
      clock,
      logger,
      ending: this.ending,
      waitMs: options.moneyWaitMs,
      pass: () => this.#pass({ isLedgerDue: true }),
    });
    this.previews = new PreviewThread(clock);
    this.runningImports = new RunningImports(clock);
    this.operations = createCompanionOperations(this.office);
    this.provider = signIn && createProvider(signIn, clock, transport);
    const facts = () => this.facts;
    this.signInTrail = createSignInTrail(facts, clock, logger);
    const { provider, signInTrail: trail } = this;
    this.sessions = createSessions({ config, provider, facts, trail, clock, logger });
    this.#options = options;
  }

  get facts(): FactStore {
    if (this.#facts === undefined) throw new ProblemError('not-ready', { retryAfterSeconds: 2 });
    return this.#facts;
  }

  get data(): Data {
    if (this.#data === undefined) throw new ProblemError('not-ready', { retryAfterSeconds: 2 });
    return this.#data;
  }

  /** Receives workbooks to preview. */
  get workbooks(): Receiver {
    const { clock, data } = this;
    this.#workbooks ??= createReceiver({
      folder: data.files.folder,
      clock,
      freeBytes,
      maxBytes: MAX_WORKBOOK,
      adviceAbove: 'save its sheet as CSV UTF-8',
    });
    return this.#workbooks;
  }

  /** Aborted when the process ends, which also ends long responses. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Context for reading periods. @throws {ProblemError} `not-ready` */
  periods(signal?: AbortSignal): PeriodsContext {
    const { config, facts, data, worklist, clock } = this;
    const { environment, policy, sync } = config;
    return {
      facts,
      environment,
      policy,
      clock,
      database: data.database,
      zone: sync.zone,
      deciders: decidersOf(config),
      unclearOperations: () => worklist.unclearOperations(signal),
    };
  }

  /** Context for reading journals. @throws {ProblemError} `not-ready` */
  journals(signal?: AbortSignal): JournalsContext {
    const { chart } = this.config;
    return { ...this.periods(signal), files: this.data.files, chart };
  }

  /** Context for reading the lake. @throws {ProblemError} `lake-not-configured`, `not-ready` */
  lake(): LakeContext {
    const { lake: folder, environment, policy, sync } = this.config;
    if (folder === undefined) throw lakeNotConfigured();
    const { facts, data, clock } = this;
    const { files } = data;
    const database = data.database.exports;
    return { folder, environment, zone: sync.zone, facts, database, files, policy, clock };
  }

  /** Undefined on a standby. */
  get leader(): Leader | undefined {
    return this.#leader;
  }

  /** @throws {ProblemError} `standby`, with the leader's URL */
  async requireLeader(): Promise<Leader> {
    if (this.#leader !== undefined) return this.#leader;
    const holder = await this.facts.leaseHolder();
    const detail =
      holder?.address === undefined
        ? 'No process is leading at the moment: retry in a few seconds.'
        : `Send the request to ${holder.address}.`;
    throw new ProblemError('standby', { detail, leader: holder?.address, retryAfterSeconds: 5 });
  }

  /** Opens the record store. From then on, routes that need nothing else work. @throws {FactsError} */
  async openStore(): Promise<FactStore> {
    if (this.#facts === undefined) {
      const { file: path, url } = this.config.store;
      const facts = await openFacts(
        url.reveal(),
        path === undefined
          ? undefined
          : {
              path,
              report: ({ event, ...fields }) =>
                this.logger.log(event === 'store-url-replaced' ? 'info' : 'error', event, fields),
            },
      );
      this.#facts = watchStore(facts, () => this.meter.storeUnavailable());
    }
    return this.#facts;
  }

  /**
   * Opens everything.
   * @returns in mode `command`, once queries can be answered; in mode `serve`, earlier
   * @throws {FactsError}, {AnalyticsInUseError}, {EnvironmentMismatchError}; in mode `command`,
   * {LeaseHeldError}
   */
  async start({ mode, address }: StartOptions): Promise<void> {
    const { config, clock, logger, meter, ledger } = this;
    const { environment, policy, defaultCurrency, isCurrencyStated, analytics } = config;
    const facts = await this.openStore();
    const own = await facts.bindEnvironment(environment);
    if (own !== environment) throw new EnvironmentMismatchError(environment, own);
    if (mode === 'command') {
      const lease = await Lease.take(this.#leaseOptions(address));
      if (lease === undefined) throw new LeaseHeldError((await facts.leaseHolder())?.address);
      this.#lease = lease;
    }
    this.#data = new Data({
      facts,
      ledger,
      clock,
      logger,
      meter,
      analytics,
      policy,
      rules: this.#rules,
      defaultCurrency,
      isCurrencyStated,
    });
    const { ready } = await this.#data.open();
    if (mode === 'command') {
      await ready;
      if (this.#lease) this.#leader = this.#lead(this.#lease, mode);
      return;
    }
    // Data retries until it succeeds, and logs each failure.
    ready.catch(() => undefined);
    this.#loops = [this.#takePart(address), this.#keepUp(), this.#confirmSessions()];
  }

  #leaseOptions(address: string | undefined) {
    const { facts, clock, logger } = this;
    const lengthMs = this.#options.leaseMs ?? LEASE_MS;
    const holder = `${hostname()}/${process.pid}/${randomUUID()}`;
    return { facts, clock, logger, holder, address, lengthMs };
  }

  #lead(lease: Lease, mode: StartOptions['mode']): Leader {
    const { config, facts, data, source, operations, clock, logger, meter, ending } = this;
    const { transport = this.#outgoing.transport, random = Math.random } = this.#options;
    return new Leader({
      mode,
      config,
      facts,
      data,
      source,
      operations,
      periods: () => this.periods(),
      lake: () => this.lake(),
      clock,
      logger,
      meter,
      ending,
      lease,
      transport,
      random,
    });
  }

  /** A method, because the compiler assumes that a property does not change during an await. */
  #isEnding(): boolean {
    return this.ending.aborted;
  }

  /** Takes the lease whenever it is free, and leads until the lease is lost. */
  async #takePart(address: string | undefined): Promise<void> {
    while (!this.#isEnding()) {
      const lease = await Lease.wait(this.#leaseOptions(address), this.ending);
      if (lease === undefined) return;
      if (this.#isEnding()) return lease.release();
      this.#lease = lease;
      const leader = this.#lead(lease, 'serve');
      this.#leader = leader;
      this.logger.log('info', 'leading');
      await aborted(AbortSignal.any([lease.lost, this.ending]));
      this.#leader = undefined;
      await leader.end();
      if (this.#isEnding()) return;
      this.#lease = undefined;
      this.logger.log('warn', 'standing-by');
    }
  }

  /** Does all work that is due, in either role. */
  async #keepUp(): Promise<void> {
    while (!this.#isEnding()) {
      try {
        if (this.data.status.analytics.state === 'ready') {
          await (this.#leader?.tick() ?? this.#followLeader());
        }
      } catch (error) {
        if (!this.#isEnding()) this.logger.log('error', 'work-failed', describeError(error));
      }
      await delay(this.clock, this.#options.tickMs ?? TICK_MS, this.ending);
    }
  }

  /** Asks the provider to confirm the sessions of people who signed in to this process. */
  async #confirmSessions(): Promise<void> {
    while (this.provider !== undefined && !this.#isEnding()) {
      await this.sessions.confirmDue().catch((error: unknown) => {
        this.logger.log('error', 'sessions-not-confirmed', describeError(error));
      });
      await delay(this.clock, CONFIRM_EVERY_MS, this.ending);
    }
  }

  /** Updates the data and, if this process leads, cases and alerts. */
  async #pass(work: { isLedgerDue: boolean }): Promise<void> {
    if (this.#leader !== undefined) await this.#leader.pass(work);
    else await this.data.catchUp({ ...work, signal: this.ending });
  }

  /** Updates a standby's own data, less often while the leader's sync writes many days. */
  async #followLeader(): Promise<void> {
    const now = this.clock.now();
    const [last] = await this.facts.syncs(1);
    if (last?.state === 'running' && now < this.#nextFollow) return;
    this.#nextFollow = now + FOLLOW_WHILE_READING_MS;
    await this.data.catchUp({ signal: this.ending });
  }

  /** Signals all work and long responses to end. Queries are answered until {@link Engine.stop}. */
  end(): void {
    this.#ending.abort();
  }

  /** Stops all work, keeping the results so far. Releases the lease at once. */
  async stop(): Promise<void> {
    this.end();
    await Promise.allSettled(this.#loops);
    await this.#leader?.end();
    this.#leader = undefined;
    await this.#lease?.release().catch((error: unknown) => {
      this.logger.log('warn', 'lease-not-released', describeError(error));
    });
    await this.#data?.close();
    await this.#rules.close();
    await this.previews.close();
    await this.#facts?.close();
    await this.#outgoing.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
