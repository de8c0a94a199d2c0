import { once } from 'node:events';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { TLSSocket } from 'node:tls';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import {
  postgresDialect,
  type PostgresDialectOptions,
  readServer,
} from '@financing-checkout/kit/postgres';
import { readStoreUrl } from '../config/store.ts';
import { createCompanion } from '../companion.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { askPostgres, createDatabase } from '../postgres.fixture.ts';
import { transactions } from '../store/database.ts';
import type { Schema } from '../store/schema.ts';
import { isUnavailable } from '@financing-checkout/kit/sql';
import { StoreUnavailableError } from '../platform/store-errors.ts';
import { selfSigned } from './https.fixture.ts';
import { createStore, openStore } from './store.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
let url: string;
beforeAll(async () => {
  url = await createDatabase(inject('postgresUrl'));
});

/** Creates a database for the test with the given setting. */
async function useDatabaseWith(...settings: string[]): Promise<void> {
  const shared = url;
  url = await createDatabase(inject('postgresUrl'));
  cleanups.push(() => void (url = shared));
  const name = new URL(url).pathname.slice(1);
  for (const setting of settings) await askPostgres(url, `alter database ${name} set ${setting}`);
}

function connected(text = url, options: Partial<PostgresDialectOptions> = {}): Kysely<Schema> {
  const dialect = postgresDialect({ address: readStoreUrl(text), ...options });
  const db = new Kysely<Schema>({ dialect });
  cleanups.push(() => db.destroy());
  return db;
}

const location = (text: string) => ({
  kind: 'postgres' as const,
  name: 'postgres://database',
  url: new Secret(text),
});

/** Returns the error of a rejected promise. */
async function failure(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('It did not fail.');
  return error;
}

/** Stops the clock of the driver, whose time limits then do not depend on the machine. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  cleanups.push(() => void vi.useRealTimers());
}

/** Starts a proxy to the server that can drop connections or stop responding. */
async function network() {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  const state = { silent: false, refused: false, dropped: 0 };
  const server = createServer((near) => {
    if (state.refused) return near.destroy();
    const far = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (state.silent) state.dropped += chunk.length;
        else to.write(chunk);
      });
      // A silent network does not report that the server has closed the connection.
      from.on('close', () => {
        if (!state.silent) to.destroy();
      });
      from.on('error', () => to.destroy());
    }
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  const cut = () => sockets.forEach((socket) => socket.destroy());
  cleanups.push(() => {
    cut();
    server.close();
  });
  /** Drops the statement that is sent now, and ends the driver's wait for its response. */
  const passQueryTimeout = async () => {
    await expect.poll(() => state.dropped).toBeGreaterThan(0);
    // One and a half times the default statement timeout.
    vi.advanceTimersByTime(15_000);
  };
  return { url: through.href, state, cut, passQueryTimeout };
}

/** Terminates all sessions and waits, because a pool may use a connection until it is closed. */
const endAllSessions = () =>
  askPostgres(
    url,
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );

describe('lost connections', () => {
  test('while idle: the next transaction gets a new connection and no error', async () => {
    const db = connected();
    const transact = transactions(db);
    const ask = () => transact((tx) => sql<{ one: number }>`select 1 as one`.execute(tx));
    await Promise.all([ask(), ask(), ask()]);
    await endAllSessions();
    expect((await ask()).rows).toEqual([{ one: 1 }]);
  });

  test('during a transaction: it fails, the process survives and the next one works', async () => {
    const db = connected();
    await sql`create table one_column (id integer)`.execute(db);
    const error = await failure(
      transactions(db)(async (tx) => {
        await sql`insert into one_column values (1)`.execute(tx);
        await endAllSessions();
        await sql`insert into one_column values (2)`.execute(tx);
      }),
    );
    expect(error.message).toMatch(/terminat|ECONNRESET|connection error/);
    expect((await sql`select * from one_column`.execute(db)).rows).toEqual([]);
  });

  test('during a failed transaction: the original error is reported, not the failed rollback', async () => {
    const through = await network();
    const transact = transactions(connected(through.url));
    const cutBehind = (failing: string) =>
      transact(async (tx) => {
        await sql`select 1`.execute(tx);
        try {
          await sql.raw(failing).execute(tx);
        } finally {
          through.cut();
        }
      });
    expect(await failure(cutBehind('select 1 / 0'))).toMatchObject({ code: '22012' });
    let tries = 0;
    const again = transact(async (tx) => {
      tries += 1;
      if (tries > 1) return sql`select 1`.execute(tx);
      try {
        return await sql`do $$ begin raise sqlstate '40001'; end $$`.execute(tx);
      } finally {
        through.cut();
      }
    });
    await again;
    expect(tries).toBe(2);
  });

  test('silently during a transaction: it fails after one timeout, without a second one for its ROLLBACK', async () => {
    const through = await network();
    const db = connected(through.url);
    const error = await failure(
      transactions(db)(async (tx) => {
        await sql`select 1`.execute(tx);
        through.state.silent = true;
        stopClock();
        const unanswered = failure(sql`select 1`.execute(tx));
        await through.passQueryTimeout();
        throw await unanswered;
      }),
    );
    expect(error.message).toBe('Query read timeout');
  });

  test('a network cut makes the store unavailable until the network is back', async () => {
    const through = await network();
    const store = await openStore(location(through.url), 'on-start');
    cleanups.push(() => store.close());
    through.state.refused = true;
    through.cut();
    await expect(store.ping()).rejects.toThrow();
    through.state.refused = false;
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready');
  });

  test('while the database is down both listeners answer 503 with Retry-After, and then recover', async () => {
    const through = await network();
    const store = await openStore(location(through.url), 'on-start');
    cleanups.push(() => store.close());
    const companion = await createCompanion({ store });
    await companion.open('key-before');
    through.state.refused = true;
    through.cut();
    const refused = [
      await companion.prime('key-1'),
      await companion.get('/checkout/chk_1'),
      await companion.confirm('chk_1'),
      await companion.office('/checkouts?merchantOrderId=order-1001'),
      await companion.office('/ledger'),
    ];
    for (const { status, body, headers } of refused) {
      expect([status, body.code, body.retrySafe]).toEqual([503, 'store-unavailable', false]);
      expect(headers.get('retry-after')).toBe('5');
    }
    expect(companion.log.filter(({ event }) => event === 'store-unavailable')).toHaveLength(5);
    expect(companion.log.some(({ event }) => event === 'request-failed')).toBe(false);
    expect(companion.service.callsTo('POST /v1/checkout/prime')).toHaveLength(1);
    through.state.refused = false;
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready');
    expect((await companion.prime('key-1')).status).toBe(201);
  });

  test('a database that accepts no connections is unavailable, and recovers', async () => {
    const store = await openStore(location(url), 'on-start');
    cleanups.push(() => store.close());
    const companion = await createCompanion({ store });
    const takeConnections = (allowed: boolean) =>
      askPostgres(
        inject('postgresUrl'),
        `alter database ${new URL(url).pathname.slice(1)} allow_connections ${allowed}`,
      );
    await takeConnections(false);
    await askPostgres(
      inject('postgresUrl'),
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity
        where datname = '${new URL(url).pathname.slice(1)}'`,
    );
    const refused = await companion.prime('key-2', { merchantOrderId: 'order-2' });
    expect([refused.status, refused.body.code]).toEqual([503, 'store-unavailable']);
    await takeConnections(true);
    expect((await companion.prime('key-2', { merchantOrderId: 'order-2' })).status).toBe(201);
  });

  test('a database at its connection limit is unavailable, and recovers', async () => {
    await useDatabaseWith();
    const name = new URL(url).pathname.slice(1);
    // A superuser has no limit.
    const role = `limited_${name}`;
    await askPostgres(url, `create role ${role} login password 'a-password'`);
    await askPostgres(url, `grant create on schema public to ${role}`);
    const own = new URL(url);
    own.username = role;
    own.password = 'a-password';
    const store = await openStore(location(own.href), 'on-start');
    cleanups.push(() => store.close());
    const companion = await createCompanion({ store });
    const limit = (connections: number) =>
      askPostgres(url, `alter role ${role} connection limit ${connections}`);
    await limit(0);
    await endAllSessions();
    const refused = await companion.prime('key-3', { merchantOrderId: 'order-3' });
    expect([refused.status, refused.body.code]).toEqual([503, 'store-unavailable']);
    expect(refused.headers.get('retry-after')).toBe('5');
    await expect(store.ping()).rejects.toMatchObject({ code: '53300' });
    await limit(-1);
    expect((await companion.prime('key-3', { merchantOrderId: 'order-3' })).status).toBe(201);
  });

  test('a full disk refuses writes and is not ready, while reads are answered, and recovers', async () => {
    await useDatabaseWith();
    const store = await openStore(location(url), 'on-start');
    cleanups.push(() => store.close());
    const companion = await createCompanion({ store });
    await companion.open('key-before');
    // The error of PostgreSQL when it cannot extend a file.
    await askPostgres(
      url,
      `create function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file' using errcode = '53100'; end $$;
      create trigger full_disk before insert or update on attempts execute function refuse();
      create trigger full_disk before insert or update on pings execute function refuse();`,
    );
    const refused = await companion.prime('key-4', { merchantOrderId: 'order-4' });
    expect([refused.status, refused.body.code]).toEqual([503, 'store-unavailable']);
    expect(refused.headers.get('retry-after')).toBe('5');
    await expect(store.ping()).rejects.toMatchObject({ code: '53100' });
    const read = await companion.office('/checkouts?merchantOrderId=order-1001');
    expect(read.status).toBe(200);
    expect(companion.service.callsTo('POST /v1/checkout/prime')).toHaveLength(1);
    await askPostgres(url, 'drop function refuse cascade');
    await store.ping();
    expect((await companion.prime('key-4', { merchantOrderId: 'order-4' })).status).toBe(201);
  });

  test('a read-only standby is not ready, and recovers', async () => {
    const store = await openStore(location(url), 'on-start');
    cleanups.push(() => store.close());
    await store.ping();
    const name = new URL(url).pathname.slice(1);
    const keepNothing = async (setting: 'on' | 'off') => {
      const change = `alter database ${name} set default_transaction_read_only = ${setting}`;
      await askPostgres(inject('postgresUrl'), change);
      await endAllSessions();
    };
    await keepNothing('on');
    await expect(store.version()).rejects.toThrow('read-only');
    await expect(store.ping()).rejects.toThrow('read-only');
    await keepNothing('off');
    await store.ping();
  });

  test('leaves connections to a standby after a failover', async () => {
    const store = await openStore(location(url), 'on-start');
    cleanups.push(() => store.close());
    await endAllSessions();
    const name = new URL(url).pathname.slice(1);
    const newSessions = (setting: 'on' | 'off') =>
      askPostgres(
        inject('postgresUrl'),
        `alter database ${name} set default_transaction_read_only = ${setting}`,
      );
    // A session keeps its initial setting, like a session on a primary that became a standby.
    await newSessions('on');
    await expect(store.ping()).rejects.toThrow('read-only');
    await newSessions('off');
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready');
  });

  test('with two hosts: connections move to the other one when the first is down', async () => {
    const [first, second] = [await network(), await network()];
    const hosts = [first, second].map((server) => new URL(server.url).host).join(',');
    const store = await openStore(location(url.replace(new URL(url).host, hosts)), 'on-start');
    cleanups.push(() => store.close());
    await store.ping();
    first.state.refused = true;
    first.cut();
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready');
    second.state.refused = true;
    second.cut();
    const error = await failure(store.ping().then(() => store.ping()));
    expect(isUnavailable(error)).toBe(true);
    first.state.refused = false;
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready');
  });

  test('an unresponsive network: the statement times out and its connection is not reused', async () => {
    const through = await network();
    const db = connected(through.url);
    const ask = sql<{ one: number }>`select 1 as one`;
    await db.connection().execute(async (connection) => {
      await ask.execute(connection);
      through.state.silent = true;
      stopClock();
      const unanswered = failure(ask.execute(connection));
      await through.passQueryTimeout();
      expect((await unanswered).message).toBe('Query read timeout');
    });
    through.state.silent = false;
    expect((await ask.execute(db)).rows).toEqual([{ one: 1 }]);
  });
});

test('the server ends a statement that takes too long', async () => {
  // Otherwise the driver may stop waiting before the server has ended the statement.
  stopClock();
  const db = connected(url, { statementTimeoutMs: 300 });
  expect(await failure(sql`select pg_sleep(60)`.execute(db))).toMatchObject({ code: '57014' });
});

test('retries a transaction that PostgreSQL aborted because of a deadlock', async () => {
  const db = connected();
  await sql`create table t (id integer primary key, value integer)`.execute(db);
  await sql`insert into t values (1, 0), (2, 0)`.execute(db);
  const transact = transactions(db);
  let arrived = 0;
  const both = Promise.withResolvers<undefined>();
  const survivor = Promise.withResolvers<undefined>();
  // Each transaction locks one row and then waits for the row of the other: a deadlock, which the
  // server resolves by ending one. That one waits before its retry until the surviving transaction has
  // both rows: on a busy machine, it might lock a row first.
  const runs = [
    [1, 2],
    [2, 1],
  ].map(([first, second]) =>
    transact(async (tx) => {
      if (arrived === 2) await survivor.promise;
      await sql`update t set value = value + 1 where id = ${first}`.execute(tx);
      if (++arrived === 2) both.resolve(undefined);
      await both.promise;
      await sql`update t set value = value + 1 where id = ${second}`.execute(tx);
    }).then(() => survivor.resolve(undefined)),
  );
  await Promise.all(runs);
  expect(arrived).toBeGreaterThan(2);
  const { rows } = await sql`select value from t order by id`.execute(db);
  expect(rows).toEqual([{ value: 2 }, { value: 2 }]);
});

test('a default isolation of SERIALIZABLE causes no conflict errors', async () => {
  await useDatabaseWith('default_transaction_isolation = serializable');
  const store = await openStore(location(url), 'on-start');
  cleanups.push(() => store.close());
  const begun = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      store.beginPrime({
        key: 'key',
        fingerprint: 'f',
        attempt: {
          id: `att-${index}`,
          kind: 'prime',
          checkoutId: undefined,
          merchantTransactionId: undefined,
        },
        order: { environment: 'sandbox', merchantOrderId: 'order-1' },
        now: 1,
        leaseUntil: 2,
      }),
    ),
  );
  expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
  // A single statement is a transaction too.
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 10 }, () => store.ping()));
  }
});

test('recognizes the timeline of a server with a role that has no privileges', async () => {
  const name = `plain_${new URL(url).pathname.slice(6)}`;
  await askPostgres(url, `create role ${name} login password 'a-password'`);
  cleanups.push(() => askPostgres(url, `drop role ${name}`));
  const own = new URL(url);
  own.username = name;
  own.password = 'a-password';
  const client = new pg.Client({ connectionString: own.href });
  await client.connect();
  cleanups.push(() => client.end());
  expect(await readServer(client)).toMatchObject({ isStandby: false, history: { timeline: 1 } });
});

test('detecting a promoted server does not wait for a locked checkout, which becomes due later', async () => {
  await useDatabaseWith();
  const first = await openStore(location(url), 'on-start');
  cleanups.push(() => first.close());
  await first.serverChangedAt(1);
  const companion = await createCompanion({ store: first });
  await companion.open();
  await askPostgres(url, `update server_history set cluster = 'another'`);
  const store = await openStore(location(url), 'on-start');
  cleanups.push(() => store.close());
  const state = sql<object>`select attention_at, changed_at from checkouts, server_history`;
  const other = connected();
  await other.transaction().execute(async (tx) => {
    await sql`update checkouts set attention_at = 2`.execute(tx);
    expect(await store.serverChangedAt(5)).toBe(5);
    expect((await state.execute(tx)).rows).toEqual([{ attention_at: 2, changed_at: null }]);
  });
  await store.lostRequests(5);
  expect((await state.execute(other)).rows).toEqual([{ attention_at: 5, changed_at: 5 }]);
  expect(await store.serverChangedAt(9)).toBe(5);
});

test('timeouts of the database role affect neither lock waits nor migrations', async () => {
  await useDatabaseWith(
    'lock_timeout = 50',
    'statement_timeout = 200',
    'transaction_timeout = 300',
  );
  const store = await openStore(location(url), 'on-start');
  cleanups.push(() => store.close());
  const other = connected();
  const held = await other.transaction().execute(async (tx) => {
    await sql`lock table pings`.execute(tx);
    const pinged = store.ping();
    pinged.catch(() => undefined);
    await sql`select pg_sleep(0.4)`.execute(tx);
    return { pinged };
  });
  await held.pinged;
  const patient = connected(url, { statementTimeoutMs: 0 });
  await sql`select pg_sleep(0.4)`.execute(patient);
});

test.each([
  ['off', 'on'],
  ['remote_apply', 'remote_apply'],
])(
  'replaces synchronous_commit %s with %s, so that confirmed writes survive',
  async (setting, used) => {
    await useDatabaseWith(`synchronous_commit = ${setting}`);
    const db = connected(`${url}?pool_size=2`);
    const ask = () =>
      sql<{ value: string }>`select current_setting('synchronous_commit') as value`.execute(db);
    for (const { rows } of [...(await Promise.all([ask(), ask()])), await ask()]) {
      expect(rows).toEqual([{ value: used }]);
    }
  },
);

test('returns exact integers or fails, and never rounds or returns strings', async () => {
  const db = connected();
  const read = async (value: string) =>
    (await sql<{ value: unknown }>`select ${sql.raw(value)} as value`.execute(db)).rows[0]?.value;
  expect(await read('9007199254740991::bigint')).toBe(Number.MAX_SAFE_INTEGER);
  expect(await read('(select sum(v) from (values (1::bigint), (2)) as t (v))')).toBe(3);
  await expect(read('9007199254740993::bigint')).rejects.toThrow(RangeError);
  await expect(read('0.5::numeric')).rejects.toThrow(RangeError);
});

test('refuses a database that is not UTF-8 before creating a table', async () => {
  const name = `${new URL(url).pathname.slice(1)}_latin1`;
  await askPostgres(
    url,
    `create database ${name} encoding 'LATIN1' locale 'C' locale_provider libc template template0`,
  );
  const other = new URL(url);
  other.pathname = `/${name}`;
  const error = await failure(openStore(location(other.href), 'on-start'));
  expect(error.message).toMatch(/encoding LATIN1.*UTF8/);
  const tables = await askPostgres(
    other.href,
    `select 1 from pg_tables where schemaname = 'public'`,
  );
  expect(tables).toEqual([]);
  const store = await createStore(location(other.href));
  cleanups.push(() => store.close());
  await expect(store.version()).rejects.toThrow(/encoding LATIN1/);
});

describe('TLS', () => {
  const withTls = (parameters: Record<string, string>) => {
    const tls = new URL(url);
    tls.hostname = 'localhost';
    for (const [name, value] of Object.entries(parameters)) tls.searchParams.set(name, value);
    return tls.href;
  };
  const usesTls = async (text: string) => {
    const { rows } = await sql<{
      ssl: boolean;
    }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(connected(text));
    return rows[0]?.ssl;
  };

  test('verify-full accepts the right CA', async () => {
    const caFile = inject('postgresCaFile');
    expect(await usesTls(withTls({ sslmode: 'verify-full', sslrootcert: caFile }))).toBe(true);
  });

  test('refuses another CA, no CA, and another name except with verify-ca', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'companion-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const otherCa = join(folder, 'other.pem');
    writeFileSync(otherCa, (await selfSigned()).cert);
    await expect(usesTls(withTls({ sslmode: 'verify-full' }))).rejects.toThrow(/certificate/);
    await expect(usesTls(withTls({ sslmode: 'verify-ca', sslrootcert: otherCa }))).rejects.toThrow(
      /certificate/,
    );
    const byAddress = (sslmode: string) =>
      withTls({ sslmode, sslrootcert: inject('postgresCaFile') }).replace('localhost', '127.0.0.1');
    await expect(usesTls(byAddress('verify-full'))).rejects.toThrow(/IP|altnames/);
    expect(await usesTls(byAddress('verify-ca'))).toBe(true);
  });

  test('treats a database that fails TLS verification as unavailable', async () => {
    /**
     * Answers a TLS request with one byte, like a server that is starting or out of connections.
     */
    const answering = async (byte: string) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.end(byte));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      cleanups.push(() => server.close());
      const other = new URL(withTls({ sslmode: 'require' }));
      other.port = String((server.address() as AddressInfo).port);
      return other.href;
    };
    const unusable = [
      withTls({ sslmode: 'verify-full' }),
      withTls({ sslmode: 'verify-full', sslrootcert: inject('postgresCaFile') }).replace(
        'localhost',
        '127.0.0.1',
      ),
      await answering('N'),
      await answering('E'),
    ];
    for (const text of unusable) {
      const store = await createStore(location(text));
      cleanups.push(() => store.close());
      await expect(store.findCheckout('chk_1')).rejects.toThrow(StoreUnavailableError);
    }
  });

  test('channel_binding=require binds the login to the certificate, through the pool', async () => {
    const binding = { sslmode: 'require', channel_binding: 'require' };
    expect(await usesTls(withTls(binding))).toBe(true);
    expect(await usesTls(withTls({ sslmode: 'require', channel_binding: 'prefer' }))).toBe(true);
  });

  test.each([
    ['SCRAM without a binding', Buffer.from('\0\0\0\x0aSCRAM-SHA-256\0\0', 'latin1')],
    ['a password in plain text', Buffer.from([0, 0, 0, 3])],
    ['an MD5 of the password', Buffer.from([0, 0, 0, 5, 1, 2, 3, 4])],
    ['no login', Buffer.from([0, 0, 0, 0])],
  ])(
    'channel_binding=require disconnects from a server that asks for %s, without sending any of it',
    async (_, ask) => {
      const { cert, key } = await selfSigned();
      const received: Buffer[] = [];
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        // The TLS request, then the handshake, as a man in the middle would do.
        socket.once('data', () => {
          socket.write('S');
          const secure = new TLSSocket(socket, { isServer: true, cert, key });
          secure.on('error', () => undefined);
          secure.once('data', () => {
            const length = Buffer.alloc(4);
            length.writeInt32BE(ask.length + 4);
            secure.write(Buffer.concat([Buffer.from('R'), length, ask]));
            secure.on('data', (chunk: Buffer) => received.push(chunk));
          });
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      cleanups.push(() => server.close());
      const between = new URL(withTls({ sslmode: 'require', channel_binding: 'require' }));
      between.port = String((server.address() as AddressInfo).port);
      await expect(usesTls(between.href)).rejects.toThrow(/channel_binding=require/);
      expect(Buffer.concat(received)).toEqual(Buffer.alloc(0));
    },
  );

  test('require encrypts without verification; the default on this machine does not', async () => {
    expect(await usesTls(withTls({ sslmode: 'require' }))).toBe(true);
    expect(await usesTls(url)).toBe(false);
  });
});

test('no error from opening the store contains the password', async () => {
  const wrong = new URL(url);
  wrong.password = 'hunter2-of-the-database';
  const nowhere = new URL(wrong);
  nowhere.port = '1';
  const noFile = new URL(wrong);
  noFile.search = '?sslmode=verify-full&sslrootcert=/no/such/file';
  const two = wrong.href.replace(wrong.host, `${wrong.host},${nowhere.host}`);
  for (const href of [wrong.href, nowhere.href, noFile.href, two]) {
    const error = await failure(openStore(location(href), 'on-start'));
    expect(error.message).toMatch(/^The store postgres:\/\/database cannot be used: .{10,}/);
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain('hunter2');
  }
});

test('answers 400 to a string that PostgreSQL cannot store', async () => {
  const store = await openStore(location(url), 'on-start', { outbox: true });
  cleanups.push(() => store.close());
  const companion = await createCompanion({ store });
  const answers = [
    await companion.get('/checkout/%00'),
    await companion.confirm('%00'),
    await companion.office('/checkouts?merchantOrderId=%00'),
    await companion.officePost('/webhooks/%00/replay'),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
  expect(companion.log.filter(({ level }) => level === 'error')).toEqual([]);
  expect(companion.service.calls).toEqual([]);
});
