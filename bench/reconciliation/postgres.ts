import pg from 'pg';
import type { Place } from '../../tests/reconciliation/companion.ts';
import { startPostgres } from '../postgres.ts';

/** A PostgreSQL of its own, and databases in it. */
export async function postgresPlaces(): Promise<{
  database: (name: string) => Promise<Place>;
  stop: () => Promise<void>;
}> {
  const postgres = await startPostgres({ max_wal_size: '4GB', shared_buffers: '256MB' });
  const pools: pg.Pool[] = [];
  const open = (url: string) => {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    pools.push(pool);
    return pool;
  };
  const server = open(postgres.url);
  return {
    async database(name) {
      await server.query(`create database ${name}`);
      const { href: url } = new URL(name, postgres.url);
      const pool = open(url);
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
    },
  };
}
