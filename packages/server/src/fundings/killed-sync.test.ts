import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished, test, expect } from 'vitest';
import { sqliteDialect } from '../node/sqlite.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { seeded } from './history.fixture.ts';
import { killedSync } from './killed-sync.fixture.ts';
import { SyncBusyError } from './sync.ts';

const KILLS = 100;
/** Kills of one history before it is let come to its end. */
const KILLS_IN_A_ROW = 5;
/** Milliseconds within which a process is killed, from its beginning to read. */
const WITHIN_MS = 60;

const program = fileURLToPath(new URL('./killed-sync.fixture.ts', import.meta.url));

/** Everything a sync leaves, but for when it did and how often it was taken up. */
function stateOf(file: string): Record<string, unknown[]> {
  const database = new DatabaseSync(file, { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all();
  const state = {
    fundings: all('select * from fundings order by id'),
    records: all('select * from funding_records order by id'),
    versions: all(
      'select id, version, hash, raw, slice_day, reason from funding_versions order by id, version',
    ),
    quarantine: all(
      'select id, slice_day, order_key, reason, raw from funding_quarantine order by id',
    ),
    slices: all(
      'select day, state, rows, quarantined, sums, hash from funding_slices order by day',
    ),
    dirty: all('select order_key from dirty_orders order by order_key'),
    leases: all('select name from leases'),
  };
  database.close();
  return state;
}

/** Starts a sync in a process and kills it. @returns whether it was in the middle */
async function startAndKill(file: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  const begun = once(child.stdout, 'data').then(() => true);
  if (await Promise.race([begun, closed.then(() => false)])) {
    const kill = setTimeout(() => child.kill('SIGKILL'), afterMs);
    const [, signal] = await closed;
    clearTimeout(kill);
    return signal === 'SIGKILL';
  }
  return false;
}

/** Within so many milliseconds the lease of one that was killed has run out. */
const FREE_MS = 5_000;

/** Does it once it can: until then it is refused as busy. */
async function onceFree(work: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + FREE_MS;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof SyncBusyError) || Date.now() > end) throw error;
    }
    await pause(50);
  }
}

test(
  `SIGKILL at random moments of a sync, ${KILLS} times: the state is that of an undisturbed one`,
  // A hundred starts of Node: minutes where the machine has other work.
  { timeout: 420_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'killed-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const first = join(folder, 'first.db');
    const store = createKyselyStore({ dialect: sqliteDialect(first) });
    await store.migrate();
    await store.close();
    await killedSync(first, 'first');
    const undisturbed = join(folder, 'undisturbed.db');
    copyFileSync(first, undisturbed);
    await killedSync(undisturbed, 'second');
    const expected = stateOf(undisturbed);
    expect(expected.versions?.length).toBeGreaterThan(100);
    expect(expected.quarantine?.length).toBeGreaterThan(10);

    const random = seeded(2_026);
    let kills = 0;
    async function round(number: number): Promise<void> {
      const file = join(folder, `${number}.db`);
      copyFileSync(first, file);
      for (let inARow = 0; inARow < KILLS_IN_A_ROW; inARow++) {
        if (await startAndKill(file, random() * WITHIN_MS)) kills += 1;
      }
      await onceFree(() => killedSync(file, 'second'));
      expect(stateOf(file)).toEqual(expected);
      rmSync(file);
    }
    let next = 0;
    async function rounds(): Promise<void> {
      while (kills < KILLS) await round(next++);
    }
    // Two at a time: most of it is the start of a process.
    await Promise.all([rounds(), rounds()]);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  },
);
