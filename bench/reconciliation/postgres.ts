import pg from 'pg';
import { startPostgres } from '../postgres.ts';

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** A PostgreSQL server for the bench, with its databases. */
export async function postgresPlaces(): Promise<{
  /** Creates a database. @returns its URL */
  database: (name: string) => Promise<string>;
  stop: () => Promise<void>;
}> {
  const postgres = await startPostgres({ max_wal_size: '4GB', shared_buffers: '256MB' });
  return {
    async database(name) {
      await query(postgres.url, `create database ${name}`);
      return new URL(name, postgres.url).href;
    },
    stop: () => postgres.stop(),
  };
}
