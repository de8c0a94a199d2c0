import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { borrowAnalytics } from '../analytics/analytics.fixture.ts';
import { Analytics, type AnalyticsStatus } from '../analytics/database.ts';
import { replay } from '../analytics/replay.ts';
import { sqlText, TemporaryFiles } from '../platform/temporary-files.ts';
import { type MemoryFacts, memoryFacts } from './facts.fixture.ts';
import type { HistoryService, WireRecord } from './history.fixture.ts';
import { runSync, type SyncOptions } from './sync.ts';

export const from = '2026-03-01';
export const to = '2026-03-05';
export const range = { from, to };

export interface TestDatabase {
  folder: string;
  file: string;
  facts: MemoryFacts;
  database: Analytics;
  files: TemporaryFiles;
  statuses: AnalyticsStatus[];
  /** Returns the rows of a query. */
  rows: (sql: string) => Promise<unknown[][]>;
  /** Runs statements in one transaction. */
  write: (sql: string) => Promise<void>;
}

/** Provides an empty analytics database backed by an in-memory record store. */
export async function openDatabase(
  change: { facts?: MemoryFacts; defaultCurrency?: string } = {},
): Promise<TestDatabase> {
  const { facts = memoryFacts(), defaultCurrency = 'USD' } = change;
  const statuses: AnalyticsStatus[] = [];
  const { folder, file, database } = await borrowAnalytics({
    facts,
    fill: (inner) =>
      replay({ database: inner, facts, files, defaultCurrency }).then(() => undefined),
    onStatus: (status) => statuses.push(status),
  });
  const files = await TemporaryFiles.open(join(folder, 'pages'));
  return { folder, file, facts, files, statuses, ...queriesOf(database) };
}

/** Opens the analytics database of a folder, backed by an in-memory record store. */
export async function openFolder(
  folder: string,
  facts = memoryFacts(),
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<TestDatabase> {
  const files = await TemporaryFiles.open(join(folder, 'pages'));
  const statuses: AnalyticsStatus[] = [];
  const file = join(folder, 'analytics.duckdb');
  const database = await Analytics.open({
    file,
    facts,
    readable: [files.folder],
    fill: async (inner) => {
      await replay({ database: inner, facts, files, defaultCurrency: 'USD' });
    },
    onStatus: (status) => statuses.push(status),
  });
  atEnd(() => database.close());
  return { folder, file, facts, files, statuses, ...queriesOf(database) };
}

function queriesOf(database: Analytics): Pick<TestDatabase, 'database' | 'rows' | 'write'> {
  return {
    database,
    rows: (sql) =>
      database.read(async (connection) => (await connection.runAndReadAll(sql)).getRows()),
    write: async (sql) => {
      await database.write((connection) => connection.run(sql));
    },
  };
}

/** Returns the records in the Parquet content of a day, by identity. */
export async function recordsOf(
  { database, files }: Pick<TestDatabase, 'database' | 'files'>,
  content: Uint8Array | undefined,
): Promise<Record<string, unknown>[]> {
  if (content === undefined) throw new Error('There is no content.');
  return files.with([{ name: 'content', content, ending: '.parquet' }], ([path = '']) =>
    database.read(async (connection) => {
      const found = await connection.runAndReadAll(
        `select * from read_parquet(${sqlText(path)}) order by identity, ordinal`,
      );
      return found.getRowObjectsJson();
    }),
  );
}

export function options(
  { facts, database, files }: Pick<TestDatabase, 'facts' | 'database' | 'files'>,
  service: Pick<HistoryService, 'fetchPage'>,
  change: Partial<SyncOptions> = {},
): SyncOptions {
  return {
    facts,
    database,
    files,
    fence: { holder: 'one', number: 1 },
    source: { page: (query) => service.fetchPage(query) },
    ...change,
    settings: { defaultCurrency: 'USD', pageSize: 20, overlap: 3, ...change.settings },
  };
}

/** Syncs days from a service. */
export function sync(
  open: TestDatabase,
  service: Pick<HistoryService, 'fetchPage'>,
  id: string,
  change: Partial<SyncOptions> & { from?: string; to?: string } = {},
) {
  const { from: first = from, to: last = to, ...others } = change;
  return runSync(options(open, service, others), { id, from: first, to: last });
}

export interface HeldFunding {
  reference: string;
  day: string;
  amount: number;
}

const byReference = (one: HeldFunding, other: HeldFunding) =>
  one.reference < other.reference
    ? -1
    : one.reference > other.reference
      ? 1
      : one.day < other.day
        ? -1
        : 1;

/** Returns the stored fundings, by lender reference. */
export async function held(open: Pick<TestDatabase, 'rows'>): Promise<HeldFunding[]> {
  const rows = await open.rows(
    'select lender_reference_id, day, transaction_amount from fundings where problem is null',
  );
  return rows
    .map(([reference, day, amount]) => ({
      reference: String(reference),
      day: String(day),
      amount: Number(amount),
    }))
    .sort(byReference);
}

/** Returns the fundings that should be stored. */
export function truth(records: readonly WireRecord[]): HeldFunding[] {
  return records
    .map((record) => ({
      reference: String(record.lenderReferenceId),
      day: record.fundedAt.slice(0, 10),
      amount: Math.round(Number(record.transactionAmount) * 100),
    }))
    .sort(byReference);
}

/** Returns the orders that are marked for judging. */
export async function dirtyKeys({ rows }: Pick<TestDatabase, 'rows'>): Promise<unknown[]> {
  const found = await rows('select distinct order_key from dirty_orders order by 1');
  return found.flat();
}
