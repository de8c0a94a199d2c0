import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FactStore } from '../facts/store.ts';
import { Analytics, type AnalyticsOptions, type AnalyticsStatus } from './database.ts';

/** What differs per test in a shared analytics database. */
export interface TestUse {
  facts: Pick<FactStore, 'id' | 'head'>;
  fill: AnalyticsOptions['fill'];
  onStatus?: (status: AnalyticsStatus) => void;
}

export interface SharedAnalytics {
  folder: string;
  file: string;
  database: Analytics;
  use: TestUse;
}

/** Pool of unused empty databases, because opening one takes longer than most tests. */
const idle: SharedAnalytics[] = [];

/** Lends an empty analytics database until the end of the test. `fill` runs only on a rebuild. */
export async function borrowAnalytics(use: TestUse): Promise<SharedAnalytics> {
  const shared = idle.pop() ?? (await open());
  shared.use = use;
  onTestFinished(async () => {
    shared.use = unused;
    await clear(shared.database);
    idle.push(shared);
  });
  return shared;
}

const ID = 'store-1';
const unused: TestUse = {
  facts: { id: ID, head: () => Promise.resolve(0) },
  fill: () => Promise.resolve(),
};

async function open(): Promise<SharedAnalytics> {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'analytics.duckdb');
  const shared = { use: unused };
  const database = await Analytics.open({
    file,
    facts: { id: ID, head: () => shared.use.facts.head() },
    readable: [folder],
    threads: 1,
    fill: (inner) => shared.use.fill(inner),
    onStatus: (status) => shared.use.onStatus?.(status),
  });
  return Object.assign(shared, { folder, file, database });
}

async function clear(database: Analytics): Promise<void> {
  await database.write(async (connection) => {
    const tables = await connection.runAndReadAll(
      `select table_name from duckdb_tables() where not temporary and table_name <> 'meta'`,
    );
    for (const [table] of tables.getRows()) await connection.run(`delete from ${String(table)}`);
    await connection.run(`delete from meta where key not in ('schema', 'store')`);
    await connection.run(`insert into meta values ('applied', '0')`);
  });
}
