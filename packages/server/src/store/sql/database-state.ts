import { type Kysely, sql, SqliteAdapter } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';

function isSqlite<Tables>(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/** Returns the encoding of a PostgreSQL database; undefined for SQLite, which stores UTF-8. */
export async function serverEncoding<Tables>(db: Kysely<Tables>): Promise<string | undefined> {
  if (isSqlite(db)) return undefined;
  const query = sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`;
  return (await query.execute(db)).rows[0]?.encoding;
}

/** Returns the names of the applied migrations, oldest first. */
export async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  if (!(await hasMigrationTable(db))) return [];
  const query = sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`;
  return (await query.execute(db)).rows.map(({ name }) => name).sort();
}

/** Asks for one table by its name: Kysely's introspection reads every column of every table. */
async function hasMigrationTable<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await (
    isSqlite(db)
      ? sql`select 1 from sqlite_master where name = ${DEFAULT_MIGRATION_TABLE}`
      : sql`select 1 where to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null`
  ).execute(db);
  return rows.length > 0;
}
