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

export interface PostgresDialectOptions {
  address: PostgresAddress;
  /** Milliseconds for a statement; 0 is no limit. @default 10_000 */
  statementTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A process that stopped within a transaction must not hold its rows. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Connections are renewed, so that a program finds a database that moved. */
const LIFETIME_SECONDS = 1_800;

/** Types of whole numbers beyond the range of JavaScript: INT8 and NUMERIC (a sum of INT8). */
const wideTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** Returns how a pool of `pg` connects, times out, and reads numbers. */
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
    sslnegotiation: address.tls?.negotiation,
    enableChannelBinding: address.tls !== undefined && address.tls.channelBinding !== 'disable',
    application_name: address.applicationName,
    max: address.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    // After that time the server, or the network to it, is gone without an error.
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

/** Creates a Kysely dialect over a pool of `pg`. */
export function postgresDialect(options: PostgresDialectOptions): Dialect {
  const bound = options.address.tls?.channelBinding === 'require';
  const config = postgresConnection(options);
  const pool = new pg.Pool(bound ? { ...config, Client: BoundClient } : config);
  // A connection that dies while idle, or between two statements, emits an event, and without a listener it
  // ends the process. The next statement on the connection gets the error.
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
 * Overrides settings that a database or a role may have for other programs. They could report a commit before
 * it is on disk: an attempt that was sent and is missing after a crash would be sent a second time. They
 * could fail a single statement with a conflict, which is not retried, end a wait for a row earlier than the
 * program would, or end a long transaction. They are not startup parameters, because a pooler refuses
 * parameters that it does not know.
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

const PLUS = 'SCRAM-SHA-256-PLUS';

/**
 * A client that leaves a server which cannot bind the login to its certificate, before it says
 * anything of the password. `pg` alone would go on without.
 */
class BoundClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
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

/** SQLSTATE read_only_sql_transaction: a standby's answer to every write. */
const READ_ONLY = '25006';

/** The statement as Kysely sends it. */
const ROLLBACK = 'rollback';
const UNDONE: PostgresQueryResult<never> = { command: 'ROLLBACK', rowCount: 0, rows: [] };

type ParseText = (text: string) => unknown;

/**
 * Returns a whole number exactly, or throws: the driver's own parser leaves text, and `Number` rounds.
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
 * Wraps a connection so that it is not used again after an error that is no answer of the server, nor with a
 * server that refuses to write: it has become a standby, and the name of the database may lead elsewhere by
 * now. Closing the connection undoes its transaction, so a ROLLBACK on it is not sent and does not fail: the
 * error before it counts.
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
