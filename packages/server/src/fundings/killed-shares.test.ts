import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { readPostgresUrl } from '../config/postgres-url.ts';
import { postgresDialect } from '../node/postgres.ts';
import { createDatabase } from '../postgres.fixture.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { seeded } from './history.fixture.ts';
import { killedSync } from './killed-sync.fixture.ts';
import { SyncBusyError } from './sync.ts';

const KILLS = 8;
const COMPANIONS = 3;
/** Milliseconds within which a process is killed, from its beginning to read. */
const WITHIN_MS = 1_200;

const program = fileURLToPath(new URL('./killed-sync.fixture.ts', import.meta.url));

async function database(): Promise<string> {
  const url = await createDatabase(inject('postgresUrl'));
  const store = createKyselyStore({ dialect: postgresDialect({ address: readPostgresUrl(url) }) });
  await store.migrate();
  await store.close();
  await killedSync(url, 'first');
  return url;
}

/** Everything that syncs leave, but for when they did, in how many runs, and how often they were cut off. */
async function stateOf(url: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const all = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;
  const state = {
    fundings: await all('select * from fundings order by id'),
    records: await all('select * from funding_records order by id'),
    versions: await all(
      'select id, version, hash, raw, slice_day, reason from funding_versions order by id, version',
    ),
    quarantine: await all(
      'select id, slice_day, order_key, reason, raw from funding_quarantine order by id',
    ),
    slices: await all(
      'select day, state, rows, quarantined, sums, hash from funding_slices order by day',
    ),
    dirty: await all('select order_key from dirty_orders order by order_key'),
    leases: await all('select name from leases'),
    shares: await all('select ordinal from funding_shares'),
  };
  await client.end();
  return state;
}

/** Until it can: another one is at it as long as its lease. */
async function onceFree(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof SyncBusyError)) throw error;
    }
    await pause(50);
  }
}

test(
  `SIGKILL at random moments of companions that share a sync, ${KILLS} times: the state is that of an undisturbed one`,
  { timeout: 240_000 },
  async () => {
    const undisturbed = await database();
    await killedSync(undisturbed, 'second');
    const expected = await stateOf(undisturbed);
    expect(expected.versions?.length).toBeGreaterThan(100);
    expect(expected.quarantine?.length).toBeGreaterThan(10);

    const url = await database();
    const random = seeded(2_027);
    let kills = 0;
    async function companion(): Promise<void> {
      while (kills < KILLS) {
        const child = spawn(process.execPath, [program, url], {
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const closed = once(child, 'close') as Promise<[number | null, string | null]>;
        const begun = once(child.stdout, 'data').then(() => true);
        if (!(await Promise.race([begun, closed.then(() => false)]))) continue;
        const kill = setTimeout(() => child.kill('SIGKILL'), random() * WITHIN_MS);
        const [, signal] = await closed;
        clearTimeout(kill);
        if (signal === 'SIGKILL') kills += 1;
      }
    }
    await Promise.all(Array.from({ length: COMPANIONS }, companion));
    await onceFree(() => killedSync(url, 'second'));
    expect(await stateOf(url)).toEqual(expected);
  },
);
