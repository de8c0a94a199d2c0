import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { settle, startCompanion } from './companion/companion.fixture.ts';
import { temporaryFolder } from './facts/facts.fixture.ts';
import { openFacts } from './facts/open.ts';
import type { StatusRecord } from './http/schemas.ts';
import { clientOf, dayBefore, until, variablesOf } from './program.fixture.ts';
import { wireRecord } from './sync/history.fixture.ts';

/** `DAILY_SYNCS=400` runs more than a year of syncs with more fundings, and prints the sizes. */
const long = process.env.DAILY_SYNCS;
const SYNCS = Number(long ?? 3);
const FUNDINGS = long === undefined ? 200 : 2_000;
const DAYS = 5;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 400;

interface Sizes {
  syncs: number;
  database: number;
  log: number;
  /** Pages of the record store, including its log. */
  facts: number;
  factsLog: number;
  /** Superseded versions only. */
  superseded: number;
  memory: number;
}

/** Returns the bytes of all pages of a SQLite file, including those in its log. */
function pagesOf(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const value = (pragma: string) =>
      Number(database.prepare(`pragma ${pragma}`).get()?.[pragma] ?? 0);
    return value('page_count') * value('page_size');
  } finally {
    database.close();
  }
}

test(
  'limits the sizes of file, log, record store and memory over many syncs with changes',
  { timeout: 3_600_000 },
  async () => {
    const shop = await startCompanion();
    for (let index = 0; index < FUNDINGS; index++) {
      const at = new Date(Date.now() - (1 + (index % DAYS)) * DAY_MS).toISOString();
      shop.records.push(wireRecord(index, at));
      shop.entries.push(
        settle(index + 1, `A-${index}`, 10_000 + index, {
          transactionId: `txn-${index}`,
          merchantTransactionId: `mtx-${index}`,
        }),
      );
    }
    const folder = temporaryFolder();
    const variables = variablesOf(shop, {}, folder);
    const child = fork(join(import.meta.dirname, 'daily-syncs.fixture.ts'), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { PATH: process.env.PATH, ...variables },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(child, 'message')) as [string];
    const client = clientOf((path, init) => fetch(`${url}${path}`, init));
    await until(async () => (await fetch(`${url}/readyz`)).ok);
    await until(async () => (await client.get<StatusRecord>('/status')).role === 'leader');
    const facts = await openFacts(join(folder, 'facts.db'));
    onTestFinished(() => facts.close());
    const days = Array.from({ length: DAYS + 2 }, (_, index) => dayBefore(index));
    const range = { from: dayBefore(DAYS + 1), to: dayBefore(0) };

    async function measure(syncs: number): Promise<Sizes> {
      const path = (name: string) => join(folder, name);
      const size = (name: string) => (existsSync(path(name)) ? statSync(path(name)).size : 0);
      let superseded = 0;
      for (const day of days) {
        for (const { content } of await facts.superseded(day)) superseded += content.length;
      }
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const found = {
        syncs,
        database: size('analytics.duckdb'),
        log: size('analytics.duckdb.wal'),
        facts: pagesOf(path('facts.db')),
        factsLog: size('facts.db-wal'),
        superseded,
        memory: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024,
      };
      if (long !== undefined) process.stdout.write(`${JSON.stringify(found)}\n`);
      return found;
    }
    async function sync(first: number, last: number): Promise<Sizes> {
      for (let round = first; round <= last; round++) {
        for (let nth = 0; nth < FUNDINGS / 100; nth++) {
          const index = (round * 7_919 + nth * 101) % FUNDINGS;
          const record = shop.records[index];
          if (record === undefined) throw new Error('There is no such record.');
          shop.records[index] = { ...record, transactionAmount: 100 + round + nth / 100 };
        }
        const run = await client.sync(range);
        expect(run).toMatchObject({ state: 'complete' });
        expect(run.changed).toBeGreaterThan(0);
        if (long !== undefined && round % 50 === 0 && round < last) await measure(round);
      }
      return measure(last);
    }

    const third = Math.ceil(SYNCS / 3);
    const before = await sync(1, third);
    const after = await sync(third + 1, SYNCS);
    const MB = 1_048_576;
    // DuckDB moves its log into the file at 16 MB.
    expect(after.database + after.log).toBeLessThan(before.database + before.log + 20 * MB);
    expect(after.memory).toBeLessThan(before.memory * 1.25 + 64 * MB);
    expect(after.factsLog).toBeLessThan(20 * MB);
    // The retention period keeps superseded versions; sync runs and the trail grow as well.
    expect(after.superseded).toBeGreaterThan(before.superseded);
    expect(after.facts - before.facts).toBeLessThan(
      4 * (after.superseded - before.superseded) + 8_192 * (SYNCS - third) + MB,
    );
    // After the retention period, new versions reuse the space of removed ones.
    child.send((RETENTION_DAYS + 1) * DAY_MS);
    await until(
      async () => (await Promise.all(days.map((day) => facts.superseded(day)))).flat().length === 0,
    );
    const later = await sync(SYNCS + 1, SYNCS + third);
    expect(later.superseded).toBeLessThan(after.superseded);
    expect(later.facts).toBeLessThan(after.facts + MB);
  },
);
