import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../state/database.ts';
import { execute, findRows, insertRow } from '../state/rows.ts';
import type { Verdict } from './outcomes.ts';

/** A forced outcome, for one application or for the next ones. */
export interface ForcedOutcome extends Verdict {
  id: number;
  /** Null for every environment. */
  environment: EnvironmentName | null;
  /** Null for the next applications. */
  applicationId: string | null;
  /** How many more applications the outcome applies to. */
  remaining: number;
}

/** The outcomes that the control API forces. They override the last name and are part of the state. */
export class ForcedOutcomes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  set(outcome: Omit<ForcedOutcome, 'id'>): ForcedOutcome {
    const { decidesAfterMs, ...row } = outcome;
    if (row.applicationId !== null) {
      // The latest outcome for an application replaces earlier ones.
      execute(this.#database, 'DELETE FROM outcomes WHERE application_id = ?', row.applicationId);
    }
    const id = insertRow(this.#database, 'outcomes', { ...row, decidesAfter: decidesAfterMs });
    return { ...outcome, id };
  }

  /** Oldest first. */
  list(): ForcedOutcome[] {
    return findRows(this.#database, `SELECT ${columns} FROM outcomes ORDER BY id`);
  }

  /** @returns the number of removed outcomes */
  clear(): number {
    return execute(this.#database, 'DELETE FROM outcomes');
  }

  /** Consumes one use of the forced outcome for this application, if there is one. */
  take(application: { id: string; environment: EnvironmentName }): ForcedOutcome | undefined {
    const outcome = findRows<ForcedOutcome>(
      this.#database,
      `SELECT ${columns} FROM outcomes WHERE application_id = ?
         OR (application_id IS NULL AND (environment IS NULL OR environment = ?))
       ORDER BY application_id IS NULL, id LIMIT 1`,
      application.id,
      application.environment,
    )[0];
    if (!outcome) return undefined;
    const countDown = 'UPDATE outcomes SET remaining = remaining - 1 WHERE id = ?';
    execute(this.#database, countDown, outcome.id);
    execute(this.#database, 'DELETE FROM outcomes WHERE remaining <= 0');
    return outcome;
  }
}

const columns = `id, environment, application_id, remaining, decision,
  decides_after AS decides_after_ms, stage`;
