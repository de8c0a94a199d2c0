import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Dialect, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { TransactionLockAdapter } from './migrations.ts';
import type { NextAddress } from './next-address.ts';
import {
  PostgresHosts,
  readServer,
  type ServerHistory,
  type ServerState,
  UnsuitableServerError,
} from './postgres-hosts.ts';
import { guarded, type SessionSettings, setUp } from './postgres-session.ts';
import type { PostgresAddress, PostgresHost, PostgresTls } from './postgres-url.ts';

export { readServer, type ServerHistory } from './postgres-hosts.ts';
export { type StoreUrlEvent, watchStoreUrl } from './next-address.ts';

export interface PostgresDialectOptions {
  address: PostgresAddress;
  /** Statement timeout in milliseconds; 0 means no limit. @default 10_000 */
  statementTimeoutMs?: number;
  /** Called with the server's history before a new connection to it is used. */
  onConnect?: (history: ServerHistory | undefined) => void;
  /**
   * Source of addresses that replace the first one while the program runs, for example with a new
   * password.
   */
  next?: NextAddress | undefined;
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter, because the remaining servers are tried next. */
const CONNECT_TIMEOUT_OF_SEVERAL_MS = 3_000;
/** A process that hangs in a transaction must not keep its rows locked. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Connections are recycled so that a program notices when the database has moved. */
const LIFETIME_SECONDS = 1_800;
/** Pause between two attempts to connect to a new address, in milliseconds. */
const NEXT_TRY_MS = 1_000;

/** Integer types that exceed JavaScript's safe range: INT8 and NUMERIC (a sum of INT8). */
const wideTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** Returns the options of a connection: login, timeouts and number parsing. */
function connectionOptions(address: PostgresAddress, timeoutMs: number) {
  return {
    database: address.database,
    user: address.user,
    password: address.password,
    ssl: address.tls && tlsOptions(address.tls),
    sslnegotiation: address.tls?.negotiation,
    enableChannelBinding: address.tls !== undefined && address.tls.channelBinding !== 'disable',
    application_name: address.applicationName,
    connectionTimeoutMillis:
      address.hosts.length > 1 ? CONNECT_TIMEOUT_OF_SEVERAL_MS : CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // By then the server or the network is presumed to have failed silently.
    query_timeout: timeoutMs > 0 ? timeoutMs * 1.5 : undefined,
    types: {
      getTypeParser: (type, format) =>
        wideTypes.has(type) ? wholeNumber : (pg.types.getTypeParser(type, format) as ParseText),
    },
  } satisfies pg.ClientConfig;
}

/** Combines an address with its connection options and the choice of its primary. */
function endpoint(address: PostgresAddress, timeoutMs: number, before?: PostgresHosts) {
  const options = connectionOptions(address, timeoutMs);
  const isBound = address.tls?.channelBinding === 'require';
  const hosts = new PostgresHosts(
    address.hosts,
    (host) => probe(new StoreClient({ ...options, ...host }, isBound)),
    before,
  );
  return { address, hosts, options, isBound };
}

/**
 * Creates a Kysely dialect over a pool of `pg`. Each new connection goes to the newest primary
 * among the address's servers.
 */
export function postgresDialect(options: PostgresDialectOptions): Dialect {
  const { statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS, next } = options;
  const settings: SessionSettings = {
    statementTimeoutMs,
    idleInTransactionMs: statementTimeoutMs > 0 ? IDLE_IN_TRANSACTION_MS : 0,
  };
  let current = endpoint(options.address, statementTimeoutMs);
  const servers = new WeakMap<pg.ClientBase, ServerState & { endpoint: typeof current }>();
  const endpoints = new WeakMap<pg.ClientBase, typeof current>();
  const pool = new pg.Pool({
    ...current.options,
    Client: class extends StoreClient {
      constructor() {
        super({ ...current.options, ...current.hosts.current }, current.isBound);
        endpoints.set(this, current);
      }
    },
    max: options.address.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    verify(client, done) {
      void admit(client).then(() => done(), done);
    },
  });

  let candidate: PostgresAddress | undefined;
  let attempt: Promise<boolean> | undefined;
  let isReported = false;
  let nextTryAt = 0;
  const stop = next?.watch((address) => {
    candidate = address;
    isReported = false;
    nextTryAt = 0;
    void tryCandidate();
  });

  /**
   * Uses a new address once it leads to the primary. Until then the previous address stays in use:
   * the file may be ahead of the database, or half written. @returns whether it is in use
   */
  function tryCandidate(): Promise<boolean> {
    attempt ??= connectToCandidate().finally(() => (attempt = undefined));
    return attempt;
  }

  async function connectToCandidate(): Promise<boolean> {
    const address = candidate;
    if (address === undefined || Date.now() < nextTryAt) return false;
    const found = endpoint(address, statementTimeoutMs, current.hosts);
    try {
      await found.hosts.find();
      const { cluster } = current.hosts;
      const isOther = cluster !== undefined && found.hosts.cluster !== cluster;
      // That database lacks this program's records.
      if (isOther || address.database !== current.address.database) {
        throw new UnsuitableServerError('It is another database, which needs a restart');
      }
    } catch (error) {
      nextTryAt = Date.now() + NEXT_TRY_MS;
      if (!isReported) next?.onTried(error);
      isReported = true;
      return false;
    }
    // The file may have changed in the meantime.
    if (candidate === address) candidate = undefined;
    current = found;
    pool.options.max = address.poolSize;
    next?.onTried();
    return true;
  }

  async function admit(client: pg.PoolClient): Promise<void> {
    const server = await readServer(client);
    const own = endpoints.get(client) ?? current;
    if (own.hosts.isSeveral) await own.hosts.find();
    own.hosts.admit(hostOf(client), server);
    servers.set(client, { ...server, endpoint: own });
    options.onConnect?.(server.history);
    if (hasOwnSession(client, server)) await client.query(setUp(settings, 'session'));
  }

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      const server = servers.get(client);
      // A connection of a previous address completes its transaction and is not reused.
      const isUsable =
        server === undefined ||
        (server.endpoint === current && !current.hosts.isSuperseded(server));
      if (isUsable) return client;
      client.release(true);
    }
  }

  /**
   * Acquires a connection to the primary. When that fails, tries the next address, and looks for the
   * primary among several servers.
   */
  async function acquireFromPrimary(): Promise<pg.PoolClient> {
    const before = current;
    if (candidate !== undefined) void tryCandidate();
    try {
      return await acquire();
    } catch (error) {
      if (isPoolBusy(error)) throw error;
      if (candidate !== undefined) await tryCandidate();
      if (current !== before) return acquire();
      if (!current.hosts.isSeveral) throw error;
      await current.hosts.find();
      return acquire();
    }
  }

  // A connection that dies while idle, or between two statements, emits an error event, which would
  // crash the process without a listener. The next statement on the connection gets the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new TransactionLockDialect({
    pool: {
      options: pool.options,
      async connect() {
        const client = await acquireFromPrimary();
        const server = servers.get(client);
        const isOwn = server !== undefined && hasOwnSession(client, server);
        return guarded(client, isOwn ? undefined : setUp(settings, 'transaction'));
      },
      end() {
        stop?.();
        return pool.end();
      },
    },
  });
}

class TransactionLockDialect extends PostgresDialect {
  override createAdapter(): TransactionLockAdapter {
    return new TransactionLockAdapter();
  }
}

/** Connects to a server to read its state. */
async function probe(client: pg.Client): Promise<ServerState> {
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await readServer(client);
  } finally {
    // Not awaited: a failed connection may never report its end.
    client.end().catch(() => undefined);
  }
}

/** Returns the server that a client connects to. */
const hostOf = (client: pg.ClientBase): PostgresHost => ({
  host: client instanceof pg.Client ? client.host : '',
  port: client instanceof pg.Client ? client.port : 0,
});

/**
 * Returns whether the session belongs to the connection, so that its settings stay and affect no
 * other program. A pooler (PgBouncer) reports a different process from the one that runs the
 * statement: it may give each transaction a different session of the server.
 */
function hasOwnSession(client: pg.ClientBase, { pid }: ServerState): boolean {
  return 'processID' in client && client.processID === pid;
}

/** Returns whether all connections of the pool were in use, which says nothing about a server. */
const isPoolBusy = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

/** Thrown for a database that cannot serve as a store. The message states the remedy. */
export class AdvisoryLockError extends Error {
  override readonly name = 'AdvisoryLockError';
}

const MAX_CHECKS = 5;

/**
 * Refuses a database whose advisory locks have no effect, as in some databases that speak
 * PostgreSQL's protocol: two programs could migrate the store at the same time. The locks belong to
 * transactions, which a pooler keeps together.
 * @throws {AdvisoryLockError}
 */
export async function requireAdvisoryLocks(address: PostgresAddress): Promise<void> {
  const db = new Kysely<unknown>({
    dialect: postgresDialect({ address: { ...address, poolSize: 2 }, statementTimeoutMs: 2_000 }),
  });
  try {
    for (let check = 1; ; check++) {
      try {
        await checkAdvisoryLocks(db);
        return;
      } catch (error) {
        // Programs that start together may each hold one session of a small pooler while waiting
        // for a second one.
        if (!isTimeout(error) || check === MAX_CHECKS) throw error;
        await setTimeout(randomInt(1_000));
      }
    }
  } finally {
    await db.destroy();
  }
}

async function checkAdvisoryLocks(db: Kysely<unknown>): Promise<void> {
  // Random, so that programs that start together do not wait for each other.
  const key = randomInt(2 ** 47);
  await db.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(holder);
    const ask = sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${key}::bigint) as taken`;
    const { rows } = await db.transaction().execute((other) => ask.execute(other));
    // Fails if the transaction has ended and released its lock.
    await sql`select 1`.execute(holder);
    if (rows[0]?.taken === false) return;
    throw new AdvisoryLockError(
      "The database's advisory locks have no effect, so that two programs could change its tables at the same time: use PostgreSQL, or a database with advisory locks",
    );
  });
}

/** Returns whether `pg` stopped waiting for a response. */
const isTimeout = (error: unknown) =>
  error instanceof Error && error.message === 'Query read timeout';

const PLUS = 'SCRAM-SHA-256-PLUS';

/**
 * A client that can require channel binding: it disconnects from a server without it before sending
 * anything derived from the password. `pg` itself would continue without channel binding.
 */
class StoreClient extends pg.Client {
  constructor(config: pg.ClientConfig, mustBind: boolean) {
    super(config);
    if (!mustBind) return;
    let isBound = false;
    const { connection } = this;
    connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: string[] }) => {
      isBound = mechanisms.includes(PLUS);
      if (!isBound) refuse();
    });
    connection.on('authenticationCleartextPassword', refuse);
    connection.on('authenticationMD5Password', refuse);
    connection.on('authenticationOk', () => {
      if (!isBound) refuse();
    });
    function refuse() {
      connection.stream.destroy(
        new Error(
          `The database does not offer ${PLUS}, which channel_binding=require demands: something may read along, or the server is too old for it.`,
        ),
      );
    }
  }
}

type ParseText = (text: string) => unknown;

/**
 * Returns an exact integer or throws: the driver returns such values as strings, and `Number`
 * rounds.
 * @throws {RangeError}
 */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError('A number in the store is beyond 2^53, or not whole.');
  }
  return value;
}

/** Returns the TLS options of `pg`. @throws when a file cannot be read; the error names the file */
function tlsOptions(tls: PostgresTls): pg.PoolConfig['ssl'] {
  const file = (path: string | undefined) =>
    path === undefined ? undefined : readFileSync(path, 'utf8');
  const ca = file(tls.rootCertificateFile);
  const cert = file(tls.certificateFile);
  const key = file(tls.keyFile);
  return {
    rejectUnauthorized: tls.mode !== 'require',
    ...(tls.mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ca,
    cert,
    key,
  };
}
