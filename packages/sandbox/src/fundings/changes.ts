import type { FundingStore } from './store.ts';
import type { StatementChange } from './statement.ts';
import type { Database } from '../state/database.ts';
import { findRows, insertRow } from '../state/rows.ts';

/** The lenders' scheduled changes to their statements, in the store, by due time. */
export class StatementChanges {
  readonly #database: Database;
  readonly #fundings: FundingStore;

  constructor(database: Database, fundings: FundingStore) {
    this.#database = database;
    this.#fundings = fundings;
  }

  /** @param at milliseconds since 1970 */
  schedule(funding: number, at: number, change: StatementChange): void {
    const row = { at, funding, change: JSON.stringify(change) };
    insertRow(this.#database, 'funding_changes', row);
  }

  /**
   * Applies the first `limit` due changes, within the caller's transaction.
   * @returns the number applied
   */
  makeDue(now: number, limit: number): number {
    const sql = 'SELECT * FROM funding_changes WHERE at <= ? ORDER BY at, id LIMIT ?';
    const due = findRows<ChangeRow>(this.#database, sql, now, limit);
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
