import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inject, onTestFinished } from 'vitest';
import { openFacts } from './open.ts';
import { createDatabase, queryPostgres } from './postgres.fixture.ts';
import type { FactStore, Fence, FundingDay, SyncRun } from './store.ts';
import { GENESIS } from './schema.ts';
import { patienceMs } from '../../../../vitest.shared.ts';

/** A new record store for one test. */
export interface TestFacts {
  url: string;
  /** Opens the store again, as another process would. */
  open: () => Promise<FactStore>;
  /** Runs a statement directly on the database. */
  meddle: (sql: string) => Promise<void>;
  /**
   * Runs a statement directly on the database and returns its rows, with binary data in
   * hexadecimal.
   */
  ask: (sql: string) => Promise<Record<string, unknown>[]>;
}

/** Returns a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-facts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function factsAt(url: string, { ask, meddle }: Pick<TestFacts, 'ask' | 'meddle'>): TestFacts {
  return {
    url,
    meddle,
    ask: async (sql) => (await ask(sql)).map(plain),
    async open() {
      const facts = await openFacts(url);
      onTestFinished(() => facts.close());
      return facts;
    },
  };
}

export function sqliteFacts(): TestFacts {
  const file = join(temporaryFolder(), 'facts.db');
  const within = <Result>(work: (database: DatabaseSync) => Result): Promise<Result> => {
    const database = new DatabaseSync(file, { timeout: patienceMs });
    try {
      return Promise.resolve(work(database));
    } finally {
      database.close();
    }
  };
  return factsAt(file, {
    meddle: (sql) => within((database) => database.exec(sql)),
    ask: (sql) => within((database) => database.prepare(sql).all()),
  });
}

/** Normalizes a row, so that both databases give the same values. */
function plain(row: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : typeof value === 'string' && /^\d{1,15}$/.test(value)
        ? Number(value)
        : value,
  ]);
  return Object.fromEntries(values) as Record<string, unknown>;
}

/** Databases of earlier tests, kept to be emptied and reused, because creating one takes a second. */
const free: string[] = [];

async function emptyDatabase(): Promise<string> {
  const used = free.pop();
  const url = used ?? (await createDatabase(inject('postgresUrl')));
  if (used !== undefined) {
    // A test that never opened its store has left no tables.
    const [tables] = await queryPostgres(used, "select to_regclass('days') as found");
    if (tables?.found !== null) await queryPostgres(used, EMPTY);
  }
  onTestFinished(() => void free.push(url));
  return url;
}

const EMPTY = `
  delete from days; delete from day_contents;
  delete from superseded_contents; delete from seals; delete from seal_flows;
  delete from sealed_days; delete from sealed_contents; delete from journals;
  delete from journal_contents; delete from people; delete from sessions;
  delete from ledger_imports; delete from ledger_import_contents; delete from sync_runs;
  delete from cases; delete from trail; delete from alerts;
  delete from kysely_migration where name > '0016-baseline';
  update trail_head set seq = 0, hash = '${GENESIS}';
  update fact_head set last_number = 0, fence = 0, holder = '', address = null, until = 0,
    environment = null, store_id = gen_random_uuid()`;

/** Both kinds of database, which must behave the same. */
export const databases: readonly (readonly [name: string, make: () => Promise<TestFacts>])[] = [
  ['SQLite', () => Promise.resolve(sqliteFacts())],
  [
    'PostgreSQL',
    async () => {
      const url = await emptyDatabase();
      return factsAt(url, {
        meddle: async (sql) => void (await queryPostgres(url, sql)),
        ask: (sql) => queryPostgres(url, sql),
      });
    },
  ],
];

/** Content of the nth day that `writer.fixture.ts` writes. */
export const contentOf = (nth: number) => `${nth} `.repeat(200);

export const NOW = Date.UTC(2026, 10, 20, 12);
export const MINUTE_MS = 60_000;

/** Acquires an available lease. */
export async function take(facts: FactStore, holder = 'one', now = NOW): Promise<Fence> {
  const fence = await facts.takeLease(holder, undefined, now, now + MINUTE_MS);
  if (fence === undefined) throw new Error('The lease is held.');
  return fence;
}

export function fundingDay(
  day: string,
  change: Partial<FundingDay> = {},
): Omit<FundingDay, 'number'> {
  return {
    day,
    state: 'complete',
    reason: undefined,
    zone: 'UTC',
    syncId: 'sync-1',
    passes: 2,
    pages: 4,
    overlaps: 0,
    count: 1,
    changed: 1,
    gone: 0,
    digest: 'a'.repeat(32),
    provenAt: NOW,
    ...change,
  };
}

export function syncRun(change: Partial<SyncRun> = {}): SyncRun {
  return {
    id: 'sync-1',
    state: 'running',
    reason: undefined,
    fromDay: '2026-11-01',
    toDay: '2026-11-19',
    zone: 'Europe/Vienna',
    tiers: true,
    startedAt: NOW,
    endedAt: undefined,
    resumed: 0,
    daysPlanned: 19,
    daysDone: 0,
    daysUnproven: 0,
    records: 0,
    changed: 0,
    gone: 0,
    quarantined: 0,
    ...change,
  };
}
