import type { FundingStore } from '../fundings/store.ts';
import type { StatementChange } from '../fundings/statement.ts';
import type { Database } from '../store/database.ts';

/** Changes that lenders will make to what they stated, in the store, by the time they fall due. */
export class StatementChanges {
  readonly #database: Database;
  readonly #fundings: FundingStore;

  constructor(database: Database, fundings: FundingStore) {
    this.#database = database;
    this.#fundings = fundings;
  }

  /** @param at milliseconds since 1970 */
  schedule(funding: number, at: number, change: StatementChange): void {
    this.#database
      .prepare('INSERT INTO funding_changes (at, funding, change) VALUES (?, ?, ?)')
      .run(at, funding, JSON.stringify(change));
  }

  /** Makes the first `limit` changes that are due. Part of a transaction. @returns how many */
  makeDue(now: number, limit: number): number {
    const due = this.#database
      .prepare('SELECT * FROM funding_changes WHERE at <= ? ORDER BY at, id LIMIT ?')
      .all(now, limit) as unknown[] as ChangeRow[];
    const done = this.#database.prepare('DELETE FROM funding_changes WHERE id = ?');
    for (const row of due) {
      this.#fundings.change(row.funding, JSON.parse(row.change) as StatementChange, row.at);
      done.run(row.id);
    }
    return due.length;
  }
}

interface ChangeRow {
  id: number;
  at: number;
  funding: number;
  change: string;
}
