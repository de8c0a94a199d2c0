import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { onTestFinished } from 'vitest';
import { Analytics, type AnalyticsStatus } from '../analytics/database.ts';
import { replay } from '../analytics/replay.ts';
import { TemporaryFiles } from '../platform/temporary-files.ts';
import { type MemoryFacts, memoryFacts } from './facts.fixture.ts';
import type { HistoryService, WireRecord } from './history.fixture.ts';
import { runSync, type SyncOptions } from './sync.ts';

export const from = '2026-03-01';
export const to = '2026-03-05';
export const range = { from, to };

export interface OpenPlace {
  folder: string;
  file: string;
  facts: MemoryFacts;
  database: Analytics;
  files: TemporaryFiles;
  statuses: AnalyticsStatus[];
  /** Rows of a query. */
  rows: (sql: string) => Promise<unknown[][]>;
  /** Runs statements in one transaction. */
  write: (sql: string) => Promise<void>;
}

/** Opens an analytics database in a folder of its own, over a record store in memory. */
export async function openPlace(
  change: { facts?: MemoryFacts; folder?: string; defaultCurrency?: string } = {},
): Promise<OpenPlace> {
  const folder = change.folder ?? mkdtempSync(join(tmpdir(), 'reconciliation-'));
  const facts = change.facts ?? memoryFacts();
  const files = await TemporaryFiles.open(join(folder, 'pages'));
  const statuses: AnalyticsStatus[] = [];
  const file = join(folder, 'analytics.duckdb');
  const database = await Analytics.open({
    file,
    facts,
    readable: [files.folder],
    fill: async (inner) => {
      const defaultCurrency = change.defaultCurrency ?? 'USD';
      await replay({ database: inner, facts, files, defaultCurrency });
    },
    onStatus: (status) => statuses.push(status),
  });
  onTestFinished(async () => {
    await database.close();
    if (change.folder === undefined) rmSync(folder, { recursive: true });
  });
  const run = async (connection: DuckDBConnection, sql: string) =>
    (await connection.runAndReadAll(sql)).getRows();
  return {
    ...{ folder, file, facts, database, files, statuses },
    rows: (sql) => database.read((connection) => run(connection, sql)),
    write: async (sql) => {
      await database.write((connection) => connection.run(sql));
    },
  };
}

export function options(
  { facts, database, files }: Pick<OpenPlace, 'facts' | 'database' | 'files'>,
  service: Pick<HistoryService, 'fetchPage'>,
  change: Partial<SyncOptions> = {},
): SyncOptions {
  return {
    ...{ facts, database, files, fence: { holder: 'one', number: 1 } },
    source: { page: (query) => service.fetchPage(query) },
    ...change,
    settings: { defaultCurrency: 'USD', pageSize: 20, overlap: 3, ...change.settings },
  };
}

/** Runs a sync of some days over a service. */
export function sync(
  open: OpenPlace,
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

/** Fundings that are held, by the lender's reference. */
export async function held(open: Pick<OpenPlace, 'rows'>): Promise<HeldFunding[]> {
  const rows = await open.rows(
    'select lender_reference_id, day, transaction_amount from fundings where problem is null',
  );
  return rows
    .map(([reference, day, amount]) => ({
      ...{ reference: String(reference), day: String(day), amount: Number(amount) },
    }))
    .sort(byReference);
}

/** Fundings that should be held. */
export function truth(records: readonly WireRecord[]): HeldFunding[] {
  return records
    .map((record) => ({
      reference: String(record.lenderReferenceId),
      day: record.fundedAt.slice(0, 10),
      amount: Math.round(Number(record.transactionAmount) * 100),
    }))
    .sort(byReference);
}

/** Orders that were not judged since they changed. */
export async function dirtyKeys({ rows }: Pick<OpenPlace, 'rows'>): Promise<unknown[]> {
  const found = await rows('select distinct order_key from dirty_orders order by 1');
  return found.flat();
}
