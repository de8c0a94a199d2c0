import { readFileSync } from 'node:fs';
import {
  type Dialect,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import pg from 'pg';
import type { PostgresAddress, PostgresTls } from '../config/postgres-url.ts';

export interface PostgresDialectOptions {
  address: PostgresAddress;
  /** Milliseconds for a statement; 0 is no limit. @default 10_000 */
  statementTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A companion that stopped in the middle of a transaction must not hold its rows. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Connections are renewed, so that a database that moved or grew is found. */
const LIFETIME_SECONDS = 1_800;

/** Types of whole numbers that JavaScript may not hold: INT8 and NUMERIC (a sum of INT8). */
const wideTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** How a pool of `pg` connects, waits, and reads numbers. */
function postgresConnection(options: PostgresDialectOptions): pg.PoolConfig {
  const { address, statementTimeoutMs = 10_000 } = options;
  const limited = statementTimeoutMs > 0;
  return {
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    password: address.password,
    ssl: address.tls && tlsOptions(address.tls),
    application_name: address.applicationName,
    max: address.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    // Beyond it the server, or the way to it, is gone without a word.
    ...(limited && { query_timeout: statementTimeoutMs * 1.5 }),
    verify(client, done) {
      const settings = [statementTimeoutMs, limited ? IDLE_IN_TRANSACTION_MS : 0];
      client.query(SET_UP, settings).then(() => done(), done);
    },
    types: {
      getTypeParser: (type, format) =>
        wideTypes.has(type) ? wholeNumber : (pg.types.getTypeParser(type, format) as ParseText),
    },
  };
}

/** A Kysely dialect over a pool of `pg`. */
export function postgresDialect(options: PostgresDialectOptions): Dialect {
  const pool = new pg.Pool(postgresConnection(options));
  // A connection that dies while nobody uses it, or between two statements, is an event; one that
  // nobody listens to ends the process. Whoever uses it next gets the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({
    pool: {
      options: pool.options,
      connect: async () => guarded(await pool.connect()),
      end: () => pool.end(),
    },
  });
}

/**
 * What a database or a role may be set to, for others. To say that a transaction is committed before it
 * is on disk: an attempt that was sent, and is not there after a crash, would be made a second time. To
 * end a single statement for a conflict, which nobody runs again, or one that waits for a row sooner
 * than the companion would, or a transaction that goes on. Not told as the connection is begun: a pooler refuses what it does not know.
 */
const SET_UP = `select set_config(name, value, false) from (values
    ('statement_timeout', $1::text),
    ('idle_in_transaction_session_timeout', $2::text),
    ('lock_timeout', '0'),
    ('transaction_timeout', '0'),
    ('default_transaction_isolation', 'read committed'),
    ('synchronous_commit', case current_setting('synchronous_commit')
      when 'off' then 'on' else current_setting('synchronous_commit') end)
  ) as setting (name, value)
  -- transaction_timeout came with version 17.
  where current_setting(name, true) is not null`;

/** SQLSTATE read_only_sql_transaction: a standby's answer to every write. */
const READ_ONLY = '25006';

/** As Kysely writes it. */
const ROLLBACK = 'rollback';
const UNDONE: PostgresQueryResult<never> = { command: 'ROLLBACK', rowCount: 0, rows: [] };

type ParseText = (text: string) => unknown;

/**
 * A whole number, exactly, or an error: the driver's own parser leaves text, and `Number` rounds.
 * @throws {RangeError}
 */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError('A number in the store is beyond 2^53, or not whole.');
  }
  return value;
}

/**
 * After anything but an answer of the server a connection is not used again; nor is one with a server
 * that keeps nothing: it has become a standby, and the name of the database may lead elsewhere by now.
 * Its end undoes what it began, so a ROLLBACK on it is neither sent nor fails: what matters is the
 * error before it.
 */
function guarded(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  async function ask(text: string, parameters: readonly unknown[]) {
    const isRollback = text === ROLLBACK;
    if (isRollback && broken) return UNDONE;
    try {
      const { command, rowCount, rows } = await client.query(text, [...parameters]);
      return { command, rowCount: rowCount ?? 0, rows };
    } catch (error) {
      broken ||= !(error instanceof pg.DatabaseError) || error.code === READ_ONLY;
      broken ||= isRollback;
      if (isRollback) return UNDONE;
      throw error;
    }
  }
  function query<Row>(
    text: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<Row>>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(text: string | object, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('Cursors are not used: read in pages.');
    return ask(text, parameters);
  }
  return { query, release: (destroy) => client.release(broken || destroy === true) };
}

/** @throws when a file cannot be read; the error names the file */
function tlsOptions(tls: PostgresTls): pg.PoolConfig['ssl'] {
  const file = (path: string | undefined) =>
    path === undefined ? undefined : readFileSync(path, 'utf8');
  const ca = file(tls.rootCertificateFile);
  const cert = file(tls.certificateFile);
  const key = file(tls.keyFile);
  return {
    rejectUnauthorized: tls.mode !== 'require',
    ...(tls.mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}
