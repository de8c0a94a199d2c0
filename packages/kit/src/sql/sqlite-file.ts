import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { BUSY_TIMEOUT_MS } from './group-commit.ts';

/**
 * Size in bytes that SQLite truncates the WAL to when restarting it. A long-running reader lets the
 * WAL grow, and without this limit the file would keep that size forever.
 */
const MAX_LOG_BYTES = 64 * 1_048_576;

/**
 * Opens a connection that writes. A committed transaction is on disk (WAL with synchronous=FULL)
 * and survives a power failure.
 * @param file a path, or `:memory:`
 */
export function openWriter(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    database.exec(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
    // From here on, GroupCommit waits for a busy file without blocking the process.
    database.exec('pragma busy_timeout = 0');
    return database;
  } catch (error) {
    // The file is not a database, or the disk fails.
    database.close();
    throw error;
  }
}

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** A store has about fifty statements; the limit guards against a caller that generates more. */
const MAX_PREPARED = 500;
/**
 * Maximum length of a cached statement, in characters. A longer statement lists the values of many
 * rows and is rarely repeated; once prepared, it takes twenty times the size of its text.
 */
const LONGEST_KEPT = 4_096;

/** A database with its prepared statements. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (sql.length > LONGEST_KEPT) return prepared;
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  /** Runs a statement, which is prepared only once. */
  run<Row>(query: CompiledQuery): QueryResult<Row> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  close(): void {
    this.#database.close();
  }
}
