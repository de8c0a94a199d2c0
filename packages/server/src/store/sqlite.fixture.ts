import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery, type Dialect, Kysely } from 'kysely';
import { sqliteDialect } from '@financing-checkout/kit/sqlite';
import { createKyselyStore } from './kysely-store.ts';
import { patienceMs } from '../../../../vitest.shared.ts';

/** Migrated once for all tests of a process and removed when it exits. */
let model: Promise<string> | undefined;
async function makeModel(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'companion-model-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'companion.db');
  const store = createKyselyStore({ dialect: sqliteDialect(file) });
  await store.migrate();
  await store.close();
  return file;
}

/** Deletes the rows that tests wrote to a database file, even while stores have it open. */
export async function resetStoreFile(file: string): Promise<void> {
  const empty = await (model ??= makeModel());
  // A store commits its shared transaction once all transactions in it have ended, even when one
  // was rolled back.
  await setImmediate();
  const database = new DatabaseSync(file, {
    enableForeignKeyConstraints: false,
    // The checkpoint of a store's thread may still hold the lock.
    timeout: patienceMs,
  });
  database.exec(`attach '${empty}' as empty; pragma main.synchronous = off; begin`);
  const tables = database
    .prepare(`select name from empty.sqlite_master where type = 'table'`)
    .all() as { name: string }[];
  for (const { name } of tables) {
    database.exec(`delete from main.${name}; insert into main.${name} select * from empty.${name}`);
  }
  database.exec('commit');
  database.close();
}

/** Creates a migrated, empty database file. */
export async function makeStoreFile(file: string): Promise<void> {
  copyFileSync(await (model ??= makeModel()), file);
}

/** Statements that create the same database as the migrations. */
let script: string[] | undefined;
function scriptOf(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const made = database
    .prepare(`select type, name, sql from sqlite_master where sql is not null order by rowid`)
    .all() as { type: string; name: string; sql: string }[];
  // Migrations insert rows into some tables.
  const filled = made
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) =>
      database
        .prepare(`select * from ${name}`)
        .all()
        .map((row) => `insert into ${name} values (${Object.values(row).map(quoted).join(', ')})`),
    );
  database.close();
  return [...made.map(({ sql }) => sql), ...filled];
}
const quoted = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

/** Creates a migrated, empty in-memory database. */
export async function migratedMemory(): Promise<Dialect> {
  script ??= scriptOf(await (model ??= makeModel()));
  const dialect = sqliteDialect(':memory:');
  const db = new Kysely<unknown>({ dialect });
  for (const sql of script) await db.executeQuery(CompiledQuery.raw(sql));
  return dialect;
}
