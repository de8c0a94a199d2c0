import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type {
  BulkConnection,
  BulkTable,
  BulkWriter,
  Value,
  ValueRow,
} from '../reconciliation/recompute/bulk.ts';
import { BUSY_TIMEOUT_MS } from './group-commit.ts';

/** Pages kept in memory, in KiB. */
const CACHE_KIB = 16_384;

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
      `pragma synchronous = normal; pragma cache_size = -${CACHE_KIB}; pragma temp_store = memory`,
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
    upsert: (table, rows) => promised(() => this.#each(upsertOf(table), rows)),
    remove: (table, columns, rows) =>
      promised(() => {
        const matches = columns.map(([name]) => `${name} = ?`).join(' and ');
        this.#each(`delete from ${table} where ${matches}`, rows);
      }),
  };

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

function upsertOf({ name, columns, key }: BulkTable): string {
  const names = columns.map(([column]) => column);
  const others = names.filter((column) => !key.includes(column));
  return `insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})
    on conflict (${key.join(', ')}) do update set
    ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}

function inputs(parameters: readonly Value[]): SQLInputValue[] {
  return [...parameters];
}

/** What SQLite does at once, as a promise: an error is a rejection. */
function promised<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}
