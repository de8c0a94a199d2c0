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
  /** Statement timeout in milliseconds; 0 means no limit. @default 10_000 */
  statementTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A process that hangs in a transaction must not keep its rows locked. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Connections are recycled so that a program notices when the database has moved. */
const LIFETIME_SECONDS = 1_800;

/** Integer types that exceed JavaScript's safe range: INT8 and NUMERIC (a sum of INT8). */
const wideTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** Returns the options of a `pg` pool: connection, timeouts and number parsing. */
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
    // By then the server or the network is presumed to have failed silently.
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
  // A connection that dies while idle, or between two statements, emits an error event, which would
  // crash the process without a listener. The next statement on the connection gets the error.
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
 * Overrides settings that a database or a role may have for other programs. Such settings could
 * report a commit before it is on disk, so that an attempt that was already sent would be missing
 * after a crash and sent a second time. They could also make a single statement fail with a
 * conflict, which is not retried, time out a row lock earlier than the program would, or abort a
 * long transaction. The overrides are not startup parameters, because a pooler rejects unknown
 * ones.
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
 * A client that disconnects from a server without channel binding before it sends anything derived
 * from the password. `pg` itself would continue without channel binding.
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

/** SQLSTATE read_only_sql_transaction: how a standby responds to every write. */
const READ_ONLY = '25006';

/** The statement exactly as Kysely sends it. */
const ROLLBACK = 'rollback';
const UNDONE: PostgresQueryResult<never> = { command: 'ROLLBACK', rowCount: 0, rows: [] };

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

/**
 * Wraps a connection so that it is not reused after an error that did not come from the server, or
 * after the server refused a write: the server has become a standby, and the host name may resolve
 * to another server by now. Closing the connection rolls back its transaction, so ROLLBACK is not
 * sent and does not fail, and the original error is reported.
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
