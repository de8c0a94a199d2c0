import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from 'kysely';
import { afterEach, inject } from 'vitest';
import { type PostgresAddress, readPostgresUrl } from '../config/postgres-url.ts';
import { postgresDialect } from '../node/postgres.ts';
import { sqliteDialect } from '../node/sqlite.ts';
import { askPostgres, createDatabase } from '../postgres.fixture.ts';
import { createKyselyStore } from './kysely-store.ts';

/** A database of its own for one test, which any number of stores can be opened on. */
export interface TestDatabase {
  at: { file: string } | { address: PostgresAddress };
  dialect: () => Dialect;
}

/** A kind of database a companion can have. */
export interface DatabaseKind {
  name: 'SQLite' | 'PostgreSQL';
  /** One without any table. */
  unmade: () => Promise<TestDatabase>;
  /** One that is up to date and empty. */
  migrated: () => Promise<TestDatabase>;
}

const cleanups: (() => Promise<void> | void)[] = [];
/** Is undone after the test, last first: before the databases that were taken earlier go. */
export function afterTest(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function migrate(dialect: Dialect): Promise<void> {
  const store = createKyselyStore({ dialect });
  await store.migrate();
  await store.close();
}

function atFile(file: string): TestDatabase {
  return { at: { file }, dialect: () => sqliteDialect(file) };
}

/** A path in a folder that goes after the test. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-store-'));
  afterTest(() => rmSync(folder, { recursive: true }));
  return join(folder, 'companion.db');
}

/** Migrated once for all tests of a file: each has a copy. */
let model: Promise<string> | undefined;
async function modelFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'companion-model-'));
  const file = join(folder, 'companion.db');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await migrate(sqliteDialect(file));
  return file;
}

/** A file that is up to date and empty; it goes after the test. */
export async function migratedFile(): Promise<string> {
  const file = temporaryFile();
  copyFileSync(await (model ??= modelFile()), file);
  return file;
}

function atUrl(url: string): TestDatabase {
  const address = readPostgresUrl(url);
  return { at: { address }, dialect: () => postgresDialect({ address }) };
}

/** Migrated, and not in use by any test; to be put back before the next one has it. */
const free: string[] = [];
async function migratedUrl(): Promise<string> {
  const used = free.pop();
  const url = used ?? (await createDatabase(inject('postgresUrl')));
  if (used === undefined) {
    await migrate(atUrl(url).dialect());
    await askPostgres(url, KEEP);
  } else {
    await askPostgres(used, PUT_BACK);
  }
  afterTest(() => void free.push(url));
  return url;
}

/** `work` for each table of the store, as `name`. */
const eachTable = (work: string) => `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' loop ${work} end loop;
end $$`;
/** Migrations fill some tables. */
const KEEP = `create schema migrated; ${eachTable(
  `execute format('create table migrated.%1$I as table public.%1$I', name);`,
)}`;
const PUT_BACK = eachTable(`
    execute format('delete from public.%I', name);
    execute format('insert into public.%1$I table migrated.%1$I', name);`);

/** All kinds: what a test says of one is true of the other. */
export const databaseKinds: readonly DatabaseKind[] = [
  {
    name: 'SQLite',
    unmade: () => Promise.resolve(atFile(temporaryFile())),
    migrated: async () => atFile(await migratedFile()),
  },
  {
    name: 'PostgreSQL',
    unmade: async () => atUrl(await createDatabase(inject('postgresUrl'))),
    migrated: async () => atUrl(await migratedUrl()),
  },
];
