import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { READ_ONLY } from './postgres-hosts.ts';

/** Timeouts in milliseconds; 0 means no limit. */
export interface SessionSettings {
  statementTimeoutMs: number;
  idleInTransactionMs: number;
}

/**
 * Returns the statement that overrides settings that a database or a role may have for other
 * programs. Such settings could report a commit before it is on disk, so that an attempt that was
 * already sent would be missing after a crash and sent a second time. They could also make a single
 * statement fail with a conflict, which is not retried, time out a row lock earlier than the
 * program would, or abort a long transaction. The overrides are not startup parameters, because a
 * pooler rejects unknown ones.
 */
export function setUp(settings: SessionSettings, scope: 'session' | 'transaction'): string {
  const { idleInTransactionMs, statementTimeoutMs } = settings;
  return `select set_config(name, value, ${scope === 'transaction'}) from (values
    ('statement_timeout', '${statementTimeoutMs}'),
    ('idle_in_transaction_session_timeout', '${idleInTransactionMs}'),
    ('lock_timeout', '0'),
    ('transaction_timeout', '0'),
    ('default_transaction_isolation', 'read committed'),
    ('synchronous_commit', case current_setting('synchronous_commit')
      when 'off' then 'on' else current_setting('synchronous_commit') end)
  ) as setting (name, value)
  -- transaction_timeout came with version 17.
  where current_setting(name, true) is not null`;
}

/** The statements exactly as Kysely sends them. */
const BEGIN = /^(?:begin|start transaction)\b/;
const COMMIT = 'commit';
const ROLLBACK = 'rollback';
/** Stated explicitly, because a database may have another default. */
const READ_COMMITTED = 'start transaction isolation level read committed';

const BEGUN: PostgresQueryResult<never> = { command: 'SELECT', rowCount: 0, rows: [] };
const UNDONE: PostgresQueryResult<never> = { command: 'ROLLBACK', rowCount: 0, rows: [] };

/**
 * Wraps a connection so that it is not reused after an error that did not come from the server, or
 * after the server refused a write: the server has become a standby, and the host name may resolve
 * to another server by now. Closing the connection rolls back its transaction, so ROLLBACK is not
 * sent and does not fail, and the original error is reported.
 * @param perTransaction statement that sets what {@link setUp} sets, at the start of each
 *   transaction; undefined if the session has these settings. In that case, a single statement
 *   becomes a transaction.
 */
export function guarded(client: pg.PoolClient, perTransaction?: string): PostgresPoolClient {
  let broken = false;
  let isInTransaction = false;

  async function run(text: string, parameters: readonly unknown[]) {
    try {
      const { command, rowCount, rows } = await client.query(text, [...parameters]);
      return { command, rowCount: rowCount ?? 0, rows };
    } catch (error) {
      broken ||= !(error instanceof pg.DatabaseError) || error.code === READ_ONLY;
      throw error;
    }
  }

  async function begin(text: string) {
    isInTransaction = true;
    if (perTransaction === undefined) return run(text, []);
    // A message without parameters may contain several statements.
    try {
      await run(`${text === 'begin' ? READ_COMMITTED : text}; ${perTransaction}`, []);
      return BEGUN;
    } catch (error) {
      // The connection may be in a failed transaction that the caller does not roll back.
      broken = true;
      throw error;
    }
  }

  async function rollback() {
    isInTransaction = false;
    if (broken) return UNDONE;
    try {
      return await run(ROLLBACK, []);
    } catch {
      broken = true;
      return UNDONE;
    }
  }

  async function send(text: string, parameters: readonly unknown[]) {
    if (BEGIN.test(text)) return begin(text);
    if (text === ROLLBACK) return rollback();
    if (text === COMMIT) isInTransaction = false;
    if (perTransaction === undefined || isInTransaction || text === COMMIT) {
      return run(text, parameters);
    }
    await begin(READ_COMMITTED);
    try {
      const result = await run(text, parameters);
      await send(COMMIT, []);
      return result;
    } catch (error) {
      await rollback();
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
