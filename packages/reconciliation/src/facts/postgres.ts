import { readFileSync } from 'node:fs';
import {
  type Dialect,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import pg from 'pg';
import type { PostgresAddress, PostgresTls } from './postgres-url.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Statement timeout in milliseconds: the content of a day may be large. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** A process that stopped within a transaction must not hold the head row for long. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Connections are renewed, so that the program follows a database that moved. */
const LIFETIME_SECONDS = 1_800;

/** Types of integers that may exceed JavaScript's: INT8, and NUMERIC (a sum of INT8). */
const wideTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** A Kysely dialect over a pool of `pg`. */
export function postgresDialect(address: PostgresAddress): Dialect {
  const pool = new pg.Pool({
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
    // After this time without a sign, the server or the network counts as gone.
    query_timeout: STATEMENT_TIMEOUT_MS * 1.5,
    verify(client, done) {
      client.query(SET_UP, [STATEMENT_TIMEOUT_MS, IDLE_IN_TRANSACTION_MS]).then(() => done(), done);
    },
    types: {
      getTypeParser: (type, format) =>
        wideTypes.has(type) ? wholeNumber : (pg.types.getTypeParser(type, format) as ParseText),
    },
  });
  // An idle connection that dies emits an event, which would end the process without a listener.
  // The next user of the connection gets the error.
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
 * Overrides settings of a database or role that other programs may need: reporting a commit before
 * it is on disk (a crash would lose a reported fact), stricter isolation (a single statement would
 * fail with a conflict), and shorter limits for locks and transactions. Set by a statement, because
 * poolers reject unknown connection parameters.
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
  -- transaction_timeout exists since version 17.
  where current_setting(name, true) is not null`;

/** SQLSTATE read_only_sql_transaction: a standby rejects writes with it. */
const READ_ONLY = '25006';

/** In Kysely's spelling. */
const ROLLBACK = 'rollback';
const UNDONE: PostgresQueryResult<never> = { command: 'ROLLBACK', rowCount: 0, rows: [] };

type ParseText = (text: string) => unknown;

/**
 * Reads an integer exactly: the driver's parser leaves text, and `Number` would round.
 * @throws {RangeError}
 */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError('A number in the record store is beyond 2^53 or not an integer.');
  }
  return value;
}

/**
 * Discards a connection after any error that is not a response of the server, and one to a server
 * that became a standby, because the name may lead to another server now. Closing a connection
 * rolls back its transaction, so no ROLLBACK is sent on it that could fail and mask the original
 * error.
 */
function guarded(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  async function send(text: string, parameters: readonly unknown[]) {
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
    return send(text, parameters);
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
