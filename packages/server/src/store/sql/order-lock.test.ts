import { readStoreUrl } from '../../config/store.ts';
import { Secret } from '@financing-checkout/kit';
import { postgresDialect } from '@financing-checkout/kit/postgres';
import { Kysely, sql } from 'kysely';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { openStore } from '../../node/store.ts';
import { askPostgres, createDatabase } from '../../postgres.fixture.ts';
import type { Schema } from '../schema.ts';
import type { Store } from '../store.ts';
import { lockMessages, lockOrder } from './order-lock.ts';

let url: string;
beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'));
});

const order = { environment: 'sandbox', merchantOrderId: 'order-1' } as const;

const open = async (): Promise<Store> => {
  const location = { kind: 'postgres', name: 'postgres://database', url: new Secret(url) } as const;
  const store = await openStore(location, 'on-start');
  onTestFinished(() => store.close());
  return store;
};

function connect(): Kysely<Schema> {
  const db = new Kysely<Schema>({ dialect: postgresDialect({ address: readStoreUrl(url) }) });
  onTestFinished(() => db.destroy());
  return db;
}

/** Replaces advisory locks with functions that do nothing, as other databases have them. */
async function disableAdvisoryLocks(): Promise<void> {
  await askPostgres(
    url,
    `create schema fake;
    create function fake.pg_advisory_xact_lock(bigint) returns void language sql as '';
    create function fake.pg_try_advisory_xact_lock(bigint) returns boolean
      language sql as 'select true';`,
  );
  const name = new URL(url).pathname.slice(1);
  await askPostgres(url, `alter database ${name} set search_path = fake, pg_catalog, public`);
}

const prime = (store: Store, number: number) =>
  store.beginPrime({
    key: `key-${number}`,
    fingerprint: 'f',
    attempt: {
      id: `att-${number}`,
      kind: 'prime',
      checkoutId: undefined,
      merchantTransactionId: undefined,
    },
    order,
    budget: { openCheckouts: 0, primes: 3, since: 0 },
    now: 1,
    leaseUntil: 2,
  });

test('counts concurrent primes on two connections without advisory locks', async () => {
  const stores = [await open(), await open()];
  await disableAdvisoryLocks();
  await askPostgres(
    url,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const begun = await Promise.all(
    Array.from({ length: 16 }, async (_, number) => {
      const store = stores[number % 2];
      return store && (await prime(store, number)).kind;
    }),
  );
  expect(begun.filter((kind) => kind === 'begun')).toHaveLength(3);
  expect(begun.filter((kind) => kind === 'above-budget')).toHaveLength(13);
});

test('does not write the row of a lock again', async () => {
  await open();
  const db = connect();
  const versions = async () =>
    (await sql`select ctid::text from lock_rows order by slot`.execute(db)).rows;
  const lockAll = () =>
    db.transaction().execute(async (tx) => {
      await lockOrder(tx, order);
      await lockMessages(tx, 'recipient', 'digest');
      await lockMessages(tx, 'sender', 'sandbox shop');
    });
  await lockAll();
  const first = await versions();
  expect(first).toHaveLength(3);
  await lockAll();
  expect(await versions()).toEqual(first);
});

test('refuses a database whose advisory locks have no effect before creating a table', async () => {
  await disableAdvisoryLocks();
  await expect(open()).rejects.toThrow(
    "The store postgres://database cannot be used: The database's advisory locks have no effect",
  );
  const tables = await askPostgres(url, `select 1 from pg_tables where schemaname = 'public'`);
  expect(tables).toEqual([]);
});
