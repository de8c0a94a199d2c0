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

function atFile(file: string): TestDatabase {
  return { at: { file }, dialect: () => sqliteDialect(file) };
}

/** A path in a folder that goes after the test. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'companion.db');
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

/** `work` for each table of the store, as `name`. */
const eachTable = (work: string) => `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' loop ${work} end loop;
end $$`;
/** Migrations fill some tables. */
const KEEP = `create schema migrated; ${eachTable(
  `execute format('create table migrated.%1$I as table public.%1$I', name);`,
)}`;
/** To delete rows is faster, but where they were many every later test would go past them. */
const PUT_BACK = eachTable(`
    if pg_relation_size(format('public.%I', name)) > 1000000 then
      execute format('truncate public.%I', name);
    else
      execute format('delete from public.%I', name);
    end if;
    execute format('insert into public.%1$I table migrated.%1$I', name);`);

/** All kinds: what a test says of one is true of the other. */
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
