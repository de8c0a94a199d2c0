import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from 'kysely';
import { inject, onTestFinished } from 'vitest';
import { type PostgresAddress, readPostgresUrl } from '../config/postgres-url.ts';
import { postgresDialect } from '../node/postgres.ts';
import { sqliteDialect } from '../node/sqlite.ts';
import { askPostgres, createDatabase } from '../postgres.fixture.ts';
import { createKyselyStore } from './kysely-store.ts';
import { makeStoreFile } from './sqlite.fixture.ts';

/** A database for one test, on which any number of stores can be opened. */
export interface TestDatabase {
  at: { file: string } | { address: PostgresAddress };
  dialect: () => Dialect;
}

/** A kind of database that a companion supports. */
export interface DatabaseKind {
  name: 'SQLite' | 'PostgreSQL';
  /** Creates one without tables. */
  unmade: () => Promise<TestDatabase>;
  /** Creates one that is migrated and empty. */
  migrated: () => Promise<TestDatabase>;
}

function atFile(file: string): TestDatabase {
  return { at: { file }, dialect: () => sqliteDialect(file) };
}

/** Returns a path in a folder that is removed after the test. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'companion.db');
}

function atUrl(url: string): TestDatabase {
  const address = readPostgresUrl(url);
  return { at: { address }, dialect: () => postgresDialect({ address }) };
}

/** Migrated databases that no test uses; each is reset before its next use. */
const free: string[] = [];
async function migratedUrl(): Promise<string> {
  const used = free.pop();
  const url = used ?? (await createDatabase(inject('postgresUrl')));
  if (used === undefined) {
    const store = createKyselyStore({ dialect: atUrl(url).dialect() });
    await store.migrate();
    await store.close();
    await askPostgres(url, KEEP);
  } else {
    await askPostgres(used, PUT_BACK);
  }
  onTestFinished(() => void free.push(url));
  return url;
}

/** Returns a statement that runs `work` for each table, as `name`. */
const eachTable = (work: string) => `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' loop ${work} end loop;
end $$`;
/** Migrations insert rows into some tables. */
const KEEP = `create schema migrated; ${eachTable(
  `execute format('create table migrated.%1$I as table public.%1$I', name);`,
)}`;
/** Deleting is faster, but many dead rows would slow down every later test. */
const PUT_BACK = eachTable(`
    if pg_relation_size(format('public.%I', name)) > 1000000 then
      execute format('truncate public.%I', name);
    else
      execute format('delete from public.%I', name);
    end if;
    execute format('insert into public.%1$I table migrated.%1$I', name);`);

/** All kinds: every contract test runs on each. */
export const databaseKinds: readonly DatabaseKind[] = [
  {
    name: 'SQLite',
    unmade: () => Promise.resolve(atFile(temporaryFile())),
    migrated: async () => {
      const file = temporaryFile();
      await makeStoreFile(file);
      return atFile(file);
    },
  },
  {
    name: 'PostgreSQL',
    unmade: async () => atUrl(await createDatabase(inject('postgresUrl'))),
    migrated: async () => atUrl(await migratedUrl()),
  },
];
