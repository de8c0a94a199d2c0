import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Done } from '../store/units.ts';
import { BUSY_TIMEOUT_MS } from './group-commit.ts';

/**
 * What the writer keeps of the file; the rest is in the system's cache. SQLite walks through all of
 * it at each COMMIT: with 64 MiB that took longer than reading what 4 MiB do not hold.
 */
const CACHE_KIB = 4_096;
/**
 * Pages (4 KiB) after which what is in the log is written to its place. The fewer times that
 * happens, the more often a page was changed meanwhile; a start after a kill reads the log once.
 */
const WAL_PAGES = 16_384;
/**
 * A log that has grown while somebody read without a pause is cut to what it usually takes once it
 * begins anew: else its file keeps the size for ever.
 */
const cutLog = `pragma journal_size_limit = ${WAL_PAGES * 4_096}`;

/**
 * A connection that writes. What it commits is on disk (WAL with synchronous=FULL): an attempt is
 * recorded before it is sent, and that has to survive a power cut.
 * @param file a path, or `:memory:`
 */
export function openWriter(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  database.exec(`pragma cache_size = -${CACHE_KIB}; pragma wal_autocheckpoint = ${WAL_PAGES}`);
  database.exec(cutLog);
  // From here on those who wait for the file let others work meanwhile.
  database.exec('pragma busy_timeout = 0');
  return database;
}

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** There are some fifty statements; the limit only guards against a caller that builds more. */
const MAX_PREPARED = 500;
/**
 * Characters of a statement that is kept. What is longer has a list as long as its rows are many, and
 * seldom comes again; prepared, each takes SQLite twenty times its text.
 */
const LONGEST_KEPT = 4_096;

/** A database with the statements that were prepared for it. */
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

  /** For a unit: without the form that Kysely wants of a result. */
  do(query: CompiledQuery): Done {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...parameters), written: 0 };
    return { rows: [], written: Number(statement.run(...parameters).changes) };
  }

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
