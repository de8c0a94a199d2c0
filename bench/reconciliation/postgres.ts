import pg from 'pg';
import { startPostgres } from '../postgres.ts';

/** A PostgreSQL server for the bench, with its databases. */
export async function postgresPlaces(): Promise<{
  /** Creates a database. @returns its URL */
  database: (name: string) => Promise<string>;
  stop: () => Promise<void>;
}> {
  const postgres = await startPostgres({ max_wal_size: '4GB', shared_buffers: '256MB' });
  return {
    async database(name) {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return new URL(name, postgres.url).href;
    },
    stop: () => postgres.stop(),
  };
}
