import { stat } from 'node:fs/promises';
import { alarmKinds, exceptionCodes } from '@financing-checkout/contract/reconciliation';
import { problemCodes } from '@financing-checkout/contract/storefront';
import { addDays } from '@financing-checkout/contract/money';
import {
  createProgramMetrics,
  measureGauge,
  type MeasuredGauge,
  measureLabeled,
  type LabeledGauge,
  oneOf,
  type RenderedMetrics,
  SECONDS,
} from '@financing-checkout/kit/metrics';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AnalyticsState } from '../analytics/database.ts';
import { standingAlarms } from '../cases/alarms.ts';
import type { Engine } from '../engine/engine.ts';
import type { FundingDay, SyncRun } from '../facts/store.ts';
import { isUnavailable } from '@financing-checkout/kit/sql';
import { LISTENER } from '../http/requests.ts';
import { syncView } from '../http/routes/syncs.ts';
import type { Meter } from '../platform/meter.ts';
import { ProblemError } from '../platform/problem.ts';
import { unprovenDays } from '../queries/basis/proof.ts';
import type { Database } from '../analytics/session.ts';
import { select, text, whole } from '../queries/basis/rows.ts';

/** Metrics in the Prometheus format. They contain no amounts, ids or names. */
export interface Metrics {
  meter: Meter;
  /** Adds the metrics of the program's data and role. */
  observe(engine: Engine): void;
  /** Renders the response to `GET /metrics`. */
  render: () => Promise<RenderedMetrics>;
}

const PREFIX = 'financing_reconciliation_';
const PASS_SECONDS = [...SECONDS, 60, 300, 1_800];
/** Upper limit for counts that require reading the rows. */
const COUNTED = 1_000;

const analyticsStates = [
  'opening',
  'rebuilding',
  'ready',
  'failed',
  'closed',
] as const satisfies readonly AnalyticsState[];
const syncStates = [
  'running',
  'complete',
  'partial',
  'failed',
] as const satisfies readonly SyncRun['state'][];

export function createMetrics(version: string): Metrics {
  const { registry, request, render } = createProgramMetrics({
    listeners: [LISTENER],
    problemCodes,
    build: {
      name: `${PREFIX}build_info`,
      help: '1, with the version of the program.',
      version,
    },
  });
  const registers = [registry];
  const passes = new Histogram({
    name: `${PREFIX}pass_duration_seconds`,
    help: 'Passes that apply facts, read the companion’s ledger and judge orders, by outcome: completed or failed.',
    labelNames: ['outcome'],
    buckets: PASS_SECONDS,
    registers,
  });
  for (const outcome of ['completed', 'failed']) passes.zero({ outcome });
  const lakeWrites = new Histogram({
    name: `${PREFIX}lake_write_duration_seconds`,
    help: 'Writes of the lake, by outcome: completed or failed.',
    labelNames: ['outcome'],
    buckets: PASS_SECONDS,
    registers,
  });
  for (const outcome of ['completed', 'failed']) lakeWrites.zero({ outcome });
  const storeErrors = new Counter({
    name: `${PREFIX}store_errors_total`,
    help: 'Operations that failed because the record store was unavailable.',
    registers,
  });
  return {
    meter: {
      request,
      pass: ({ outcome, seconds }) => passes.observe({ outcome }, seconds),
      lake: ({ outcome, seconds }) => lakeWrites.observe({ outcome }, seconds),
      storeUnavailable: () => storeErrors.inc(),
    },
    observe: (engine) => {
      const gauges = gaugesOf(registry);
      observeProcess(gauges, engine);
      observeSyncs(gauges, engine);
      observeAlerts(gauges, engine);
      observeAnalytics(gauges, engine);
    },
    render,
  };
}

interface Gauges {
  gauge: (name: string, help: string, read: MeasuredGauge['read']) => void;
  labeled: (gauge: LabeledGauge) => void;
}

function gaugesOf(registry: Registry): Gauges {
  return {
    gauge: (name, help, read) =>
      measureGauge(registry, { name: PREFIX + name, help, read }, cannotBeRead),
    labeled: ({ name, ...others }) =>
      measureLabeled(registry, { name: PREFIX + name, ...others }, cannotBeRead),
  };
}

/** Returns whether the record store or the analytics database is unavailable. */
function cannotBeRead(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code === 'not-ready';
  return isUnavailable(error);
}

/** Shares one read among all callers until it ends. */
function readTogether<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

function observeProcess({ gauge, labeled }: Gauges, engine: Engine): void {
  labeled({
    name: 'role',
    help: '1 for the role of the process: leader or standby.',
    label: 'role',
    read: () => oneOf(['leader', 'standby'], engine.leader === undefined ? 'standby' : 'leader'),
  });
  gauge('facts_head', 'Number of the last fact in the record store.', () => engine.facts.head());
  gauge(
    'facts_applied',
    'Number of the last fact that the statuses of this process include.',
    () => engine.data.status.caughtUp,
  );
  gauge(
    'statuses_unexplained',
    'Orders whose status the last daily check found changed without a reason.',
    () => engine.data.status.unexplained,
  );
}

/** Registers gauges for the newest sync run and the days that syncs have proven. */
function observeSyncs({ gauge, labeled }: Gauges, engine: Engine): void {
  const { clock, config } = engine;
  const view = syncView(engine);
  const newest = readTogether(async () => {
    const [run] = await engine.facts.syncs(1);
    return run && (await view(run)).run;
  });
  labeled({
    name: 'sync_state',
    help: '1 for the state of the newest sync: running, complete, partial (also while interrupted) or failed.',
    label: 'state',
    read: async () => oneOf(syncStates, (await newest())?.state),
  });
  gauge(
    'sync_duration_seconds',
    'Time from the start of the newest sync to its end, or until now.',
    async () => {
      const run = await newest();
      return run && ((run.endedAt ?? clock.now()) - run.startedAt) / 1_000;
    },
  );
  gauge(
    'sync_started_timestamp_seconds',
    'When the newest sync started, in Unix time.',
    async () => {
      const run = await newest();
      return run === undefined ? undefined : run.startedAt / 1_000;
    },
  );
  gauge('sync_records', 'Records that the newest sync has read.', async () => {
    return (await newest())?.records;
  });
  gauge('sync_records_quarantined', 'Records in quarantine after the newest sync.', async () => {
    return (await newest())?.quarantined;
  });
  const { zone } = config.sync;
  const proofs = readTogether(async () => {
    const [days, run] = await Promise.all([engine.facts.days(), newest()]);
    const range = unprovenDays(days, { zone, now: clock.now(), firstPlanned: run?.fromDay });
    const unproven = new Set(range?.unproven.map(({ day }) => day));
    return { unproven: unproven.size, lastProven: lastProvenDay(days, unproven) };
  });
  gauge(
    'days_unproven',
    'Days that are not proven, from the first day ever read until today.',
    async () => (await proofs()).unproven,
  );
  gauge(
    'last_proven_day_age_seconds',
    'Time since the end of the newest proven day in the business zone; 0 for the current day.',
    async () => {
      const { lastProven } = await proofs();
      if (lastProven === undefined) return undefined;
      const end = new Calendar(zone).startOf(addDays(lastProven, 1));
      return Math.max(0, (clock.now() - end) / 1_000);
    },
  );
}

function lastProvenDay(
  days: readonly FundingDay[],
  unproven: ReadonlySet<string>,
): string | undefined {
  return days.findLast(({ day, state }) => state === 'complete' && !unproven.has(day))?.day;
}

function observeAlerts({ gauge, labeled }: Gauges, engine: Engine): void {
  labeled({
    name: 'alarms',
    help: `Alarms that no person has acknowledged: ${alarmKinds.join(', ')}.`,
    label: 'kind',
    read: async () => {
      const standing = Map.groupBy(await standingAlarms(engine.facts), ({ kind }) => kind);
      return new Map(alarmKinds.map((kind) => [kind, standing.get(kind)?.length ?? 0]));
    },
  });
  const alerts = (state: 'waiting' | 'dead') => () =>
    engine.facts.alerts({ state, limit: COUNTED });
  const waiting = readTogether(alerts('waiting'));
  const dead = readTogether(alerts('dead'));
  labeled({
    name: 'alerts',
    help: `Messages to finance that wait to be sent (waiting) or are no longer sent (dead), each counted up to ${COUNTED}.`,
    label: 'state',
    read: async () =>
      new Map([
        ['waiting', (await waiting()).length],
        ['dead', (await dead()).length],
      ]),
  });
  gauge(
    'alerts_oldest_waiting_seconds',
    'Age of the oldest message to finance that is not delivered and still sent; 0 without one.',
    async () => {
      const [oldest] = await waiting();
      return Math.max(0, (engine.clock.now() - (oldest?.createdAt ?? Infinity)) / 1_000);
    },
  );
}

function observeAnalytics({ gauge, labeled }: Gauges, engine: Engine): void {
  labeled({
    name: 'analytics_state',
    help: `1 for the state of the analytics database of this process: ${analyticsStates.join(', ')}.`,
    label: 'state',
    read: () => oneOf(analyticsStates, engine.data.status.analytics.state),
  });
  gauge(
    'ledger_set_up',
    '1 while no ledger exists, so that no funding is judged missing from it; else 0.',
    () => {
      const { ledger } = engine.data.status;
      return ledger && (ledger === 'set-up' ? 1 : 0);
    },
  );
  gauge(
    'analytics_size_bytes',
    'Size of the file of the analytics database, with its log.',
    async () => {
      const { file } = engine.config.analytics;
      const sizes = await Promise.all([sizeOf(file), sizeOf(`${file}.wal`)]);
      return sizes[0] === undefined ? undefined : sizes[0] + (sizes[1] ?? 0);
    },
  );
  gauge('orders_to_judge', 'Orders whose lines have changed since they were judged.', () =>
    ordersToJudge(engine.data.database),
  );
  labeled({
    name: 'cases_open',
    help: 'Open cases by the code of their exception; a merged case counts as its main case.',
    label: 'code',
    read: async () => {
      const counts = await openCasesByCode(engine.data.database);
      return new Map(exceptionCodes.map((code) => [code, counts.get(code) ?? 0]));
    },
  });
}

/** Returns the size of a file in bytes; undefined if it does not exist. */
async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

type Reader = Pick<Database, 'read'>;

/** Counts the open cases by code; a merged case counts as its main case. */
function openCasesByCode(database: Reader): Promise<Map<string, number>> {
  return database.read(async (connection) => {
    const rows = await select(
      connection,
      `select code, count(*) as count from cases
       where state = 'open' and merged_into is null group by code`,
    );
    return new Map(rows.map(({ code, count }) => [text(code), whole(count)]));
  });
}

/** Counts the orders whose lines have changed since they were judged. */
function ordersToJudge(database: Reader): Promise<number> {
  return database.read(async (connection) => {
    const [row] = await select(
      connection,
      'select count(distinct order_key) as count from dirty_orders',
    );
    return whole(row?.count);
  });
}
