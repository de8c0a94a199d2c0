import { Secret } from '@financing-checkout/kit';
import { postgresDialect } from '@financing-checkout/kit/postgres';
import { Kysely, sql } from 'kysely';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { readStoreUrl } from '../config/store.ts';
import { askPostgres, createDatabase } from '../postgres.fixture.ts';
import type { Schema } from '../store/schema.ts';
import { openStore } from './store.ts';

/* `npm run test:pgbouncer` runs these tests: `postgresUrl` leads to PgBouncer in transaction mode,
   with two sessions of the server for each database. */

let url: string;
beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'));
});

function connect(): Kysely<Schema> {
  const db = new Kysely<Schema>({ dialect: postgresDialect({ address: readStoreUrl(url) }) });
  onTestFinished(() => db.destroy());
  return db;
}

/** Changes settings of the database for sessions that begin later. */
async function setDatabase(...settings: string[]): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const setting of settings) {
    await askPostgres(inject('postgresUrl'), `alter database ${name} set ${setting}`);
  }
}

const SETTINGS = sql<Record<string, string>>`select pg_backend_pid()::text as pid,
  current_setting('statement_timeout') as statement_timeout,
  current_setting('lock_timeout') as lock_timeout,
  current_setting('idle_in_transaction_session_timeout') as idle_timeout,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('transaction_isolation') as isolation`;

const OF_THE_PROGRAM = {
  statement_timeout: '10s',
  lock_timeout: '0',
  idle_timeout: '10s',
  synchronous_commit: 'on',
  isolation: 'read committed',
};
const OF_THE_DATABASE = {
  statement_timeout: '7s',
  lock_timeout: '50ms',
  idle_timeout: '0',
  synchronous_commit: 'off',
  isolation: 'serializable',
};

test('sets its settings in each transaction and each single statement, and leaves none behind', async () => {
  await setDatabase(
    'statement_timeout = 7000',
    'lock_timeout = 50',
    'synchronous_commit = off',
    'default_transaction_isolation = serializable',
  );
  const db = connect();
  const asked = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const { rows } =
        index % 2 === 0
          ? await SETTINGS.execute(db)
          : await db.transaction().execute((tx) => SETTINGS.execute(tx));
      return rows;
    }),
  );
  for (const rows of asked) expect(rows).toMatchObject([OF_THE_PROGRAM]);
  const sessions = new Set(asked.flat().map(({ pid }) => pid));
  expect(sessions.size).toBeLessThanOrEqual(2);

  const other = await askPostgres(url, SETTINGS.compile(db).sql);
  expect(other).toMatchObject([OF_THE_DATABASE]);
  expect(sessions).toContain(other[0]?.pid);
});

test('continues on the same session after a failed statement and a failed transaction', async () => {
  const db = connect();
  await sql`create table one_column (id integer primary key)`.execute(db);
  const insert = sql`insert into one_column values (1)`;
  await insert.execute(db);
  await expect(insert.execute(db)).rejects.toMatchObject({ code: '23505' });
  const transaction = db.transaction().execute(async (tx) => {
    await sql`insert into one_column values (2)`.execute(tx);
    await insert.execute(tx);
  });
  await expect(transaction).rejects.toMatchObject({ code: '23505' });
  expect((await sql`select id from one_column`.execute(db)).rows).toEqual([{ id: 1 }]);
});

test('the server ends a single statement that takes too long', async () => {
  // Otherwise the driver may stop waiting before the server has ended the statement.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const dialect = postgresDialect({ address: readStoreUrl(url), statementTimeoutMs: 300 });
  const db = new Kysely<Schema>({ dialect });
  onTestFinished(() => db.destroy());
  await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: '57014' });
  const { rows } = await sql`select 1 as one`.execute(db);
  expect(rows).toEqual([{ one: 1 }]);
});

test('companions that start at the same time migrate once and share the work', async () => {
  const location = { kind: 'postgres', name: 'postgres://database', url: new Secret(url) } as const;
  const stores = await Promise.all(
    Array.from({ length: 3 }, () => openStore(location, 'on-start')),
  );
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const begun = await Promise.all(
    Array.from({ length: 30 }, async (_, number) => {
      const store = stores[number % stores.length];
      return store?.beginPrime({
        key: `key-${number}`,
        fingerprint: 'f',
        attempt: {
          id: `att-${number}`,
          kind: 'prime',
          checkoutId: undefined,
          merchantTransactionId: undefined,
        },
        order: { environment: 'sandbox', merchantOrderId: 'order-1' },
        budget: { openCheckouts: 0, primes: 5, since: 0 },
        now: 1,
        leaseUntil: 2,
      });
    }),
  );
  expect(begun.filter((result) => result?.kind === 'begun')).toHaveLength(5);
});
