import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type BulkConnection,
  type BulkTable,
  type BulkWriter,
  replaced,
  type Value,
  type ValueRow,
} from '../reconciliation/recompute/bulk.ts';
import { BUSY_TIMEOUT_MS } from './group-commit.ts';
import { cutLog } from './sqlite-file.ts';

/** Rows that one statement writes: each run of a statement costs as much as some rows. */
const ROWS_AT_ONCE = 50;
/** Pages that are written ahead before they are put in their place, which takes a flush of the disk. */
const WAL_PAGES = 16_384;
/** Pages kept in memory, in KiB: those of a chunk. The rest is in the system's cache. */
const CACHE_KIB = 4_096;

/**
 * Bulk work on a SQLite file with a connection of its own. It blocks its thread, and while another
 * connection writes it waits: so it has a thread of its own, too.
 */
export class SqliteBulk implements BulkConnection {
  readonly kind = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    // Statuses can be computed again: a commit that a power cut takes back costs work, not money,
    // and each takes back the marks of what is to be done with it.
    this.#database.exec(
      `pragma synchronous = normal; pragma wal_autocheckpoint = ${WAL_PAGES};
      pragma cache_size = -${CACHE_KIB}; pragma temp_store = memory; ${cutLog}`,
    );
  }

  rows(sql: string, parameters: readonly Value[] = []): Promise<ValueRow[]> {
    return promised(() => {
      const statement = this.#prepare(sql);
      // With `setReturnArrays` each row is an array; its type does not say so.
      const rows: unknown[] = statement.all(...inputs(parameters));
      return rows as ValueRow[];
    });
  }

  /** One transaction after the other. */
  write<Result>(work: (writer: BulkWriter) => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(() => this.#transact(work));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #transact<Result>(work: (writer: BulkWriter) => Promise<Result>): Promise<Result> {
    this.#database.exec('begin immediate');
    try {
      const result = await work(this.#writer);
      this.#database.exec('commit');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  readonly #writer: BulkWriter = {
    run: (sql, parameters = []) =>
      promised(() => Number(this.#prepare(sql).run(...inputs(parameters)).changes)),
    upsert: (table, rows) => promised(() => this.#upsert(table, rows)),
    remove: (table, columns, rows) =>
      promised(() => {
        const matches = columns.map(([name]) => `${name} = ?`).join(' and ');
        this.#each(`delete from ${table} where ${matches}`, rows);
      }),
  };

  #upsert(table: BulkTable, rows: readonly ValueRow[]): void {
    const same = Object.values(table.same ?? {});
    const many = rows.length - (rows.length % ROWS_AT_ONCE);
    for (const [count, first, end] of [
      [ROWS_AT_ONCE, 0, many],
      [1, many, rows.length],
    ] as const) {
      if (first === end) continue;
      const statement = this.#prepare(upsertOf(table, count));
      for (let start = first; start < end; start += count) {
        const values = [...same];
        for (let at = start; at < start + count; at++) values.push(...(rows[at] ?? []));
        statement.run(...values);
      }
    }
  }

  #each(sql: string, rows: readonly ValueRow[]): void {
    if (rows.length === 0) return;
    const statement = this.#prepare(sql);
    for (const row of rows) statement.run(...row);
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

function upsertOf(table: BulkTable, rows: number): string {
  const { name, columns, key, same = {} } = table;
  const names = [...Object.keys(same), ...columns.map(([column]) => column)];
  const others = names.filter((column) => !key.includes(column));
  const values = [
    // By number, so that each is bound but once.
    ...Object.keys(same).map((_, at) => `?${at + 1}`),
    ...columns.map(() => '?'),
  ].join(', ');
  return `insert into ${name} (${names.join(', ')})
    values ${Array.from({ length: rows }, () => `(${values})`).join(', ')}
    on conflict (${key.join(', ')}) do update set
    ${others.map((column) => `${column} = ${replaced(table, column)}`).join(', ')}`;
}

function inputs(parameters: readonly Value[]): SQLInputValue[] {
  return [...parameters];
}

/** What SQLite does at once, as a promise: an error is a rejection. */
function promised<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}
