import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from 'kysely';
import { inject, onTestFinished } from 'vitest';
import type { PostgresAddress } from '@financing-checkout/kit';
import { postgresDialect } from '@financing-checkout/kit/postgres';
import { readStoreUrl } from '../config/store.ts';
import { sqliteDialect } from '@financing-checkout/kit/sqlite';
import { askPostgres, createDatabase } from '../postgres.fixture.ts';
import { createKyselyStore } from './kysely-store.ts';
import { makeStoreFile, resetStoreFile } from './sqlite.fixture.ts';
import type { Store } from './store.ts';

/** A database for one test. Any number of stores can be opened on it. */
export interface TestDatabase {
  at: { file: string } | { address: PostgresAddress };
  dialect: () => Dialect;
  /** Opens another store on the database, as another companion would. */
  open: () => Store;
}

/** A kind of database that the companion supports. */
export interface DatabaseKind {
  name: 'SQLite' | 'PostgreSQL';
  /** Creates a database without tables. */
  unmade: () => Promise<TestDatabase>;
  /** Returns a migrated, empty database. */
  migrated: () => Promise<TestDatabase>;
}

type Place = Omit<TestDatabase, 'open'>;

const atFile = (file: string): Place => ({ at: { file }, dialect: () => sqliteDialect(file) });

/** Returns a path in a folder that is removed after the test. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'companion.db');
}

function atUrl(url: string): Place {
  const address = readStoreUrl(url);
  return { at: { address }, dialect: () => postgresDialect({ address }) };
}

/** Returns a database whose stores are closed after the test. */
function forOneTest(place: Place): TestDatabase {
  const open = () => {
    const store = createKyselyStore({ dialect: place.dialect() });
    onTestFinished(() => store.close());
    return store;
  };
  return { ...place, open };
}

/**
 * A migrated database that tests use in turn, with its open stores. Stores stay open because each
 * one starts a thread or a connection pool.
 */
interface SharedDatabase {
  place: Place;
  stores: Store[];
  reset: () => Promise<unknown>;
}

const shared = new Map<DatabaseKind['name'], SharedDatabase[]>();

/** Returns a shared database that no other test uses, without the rows of earlier tests. */
async function borrow(
  kind: DatabaseKind['name'],
  create: () => Promise<Omit<SharedDatabase, 'stores'>>,
): Promise<TestDatabase> {
  const free = shared.get(kind) ?? [];
  shared.set(kind, free);
  const used = free.pop();
  await used?.reset();
  const { place, stores, reset } = used ?? { ...(await create()), stores: [] };
  onTestFinished(() => void free.push({ place, stores, reset }));
  let opened = 0;
  const open = () => (stores[opened++] ??= createKyselyStore({ dialect: place.dialect() }));
  return { ...place, open };
}

/** Closes the stores of the shared databases. Each test file calls this at its end. */
export async function closeSharedStores(): Promise<void> {
  const stores = [...shared.values()].flat().flatMap((database) => database.stores.splice(0));
  await Promise.all(stores.map((store) => store.close()));
}

async function sharedFile() {
  const folder = mkdtempSync(join(tmpdir(), 'companion-store-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'companion.db');
  await makeStoreFile(file);
  return { place: atFile(file), reset: () => resetStoreFile(file) };
}

async function sharedUrl() {
  const url = await createDatabase(inject('postgresUrl'));
  const place = atUrl(url);
  const store = createKyselyStore({ dialect: place.dialect() });
  await store.migrate();
  await store.close();
  await askPostgres(url, KEEP);
  return { place, reset: () => askPostgres(url, PUT_BACK) };
}

/** Returns a statement that runs `work` for each table, as `name`. */
const eachTable = (work: string) => `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' loop ${work} end loop;
end $$`;
/** Some tables contain rows that migrations inserted. */
const KEEP = `create schema migrated; ${eachTable(
  `execute format('create table migrated.%1$I as table public.%1$I', name);`,
)}`;
/** DELETE is faster, but many dead rows would slow down every later test. */
const PUT_BACK = eachTable(`
    if pg_relation_size(format('public.%I', name)) > 1000000 then
      execute format('truncate public.%I', name);
    else
      execute format('delete from public.%I', name);
    end if;
    execute format('insert into public.%1$I table migrated.%1$I', name);`);

/** All kinds of databases. Every contract test runs on each of them. */
export const databaseKinds: readonly DatabaseKind[] = [
  {
    name: 'SQLite',
    unmade: () => Promise.resolve(forOneTest(atFile(temporaryFile()))),
    migrated: () => borrow('SQLite', sharedFile),
  },
  {
    name: 'PostgreSQL',
    unmade: async () => forOneTest(atUrl(await createDatabase(inject('postgresUrl')))),
    migrated: () => borrow('PostgreSQL', sharedUrl),
  },
];
