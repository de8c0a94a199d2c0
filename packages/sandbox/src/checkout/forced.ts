import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import type { Verdict } from './outcomes.ts';

/** An outcome that was asked for: of one application, or of the next ones. */
export interface ForcedOutcome extends Verdict {
  id: number;
  /** Null for every environment. */
  environment: EnvironmentName | null;
  /** Null for the next applications. */
  applicationId: string | null;
  /** Applications it still decides. */
  remaining: number;
}

/** Outcomes asked for by the control API. They go before the last name, and are part of the state. */
export class ForcedOutcomes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  set(outcome: Omit<ForcedOutcome, 'id'>): ForcedOutcome {
    const { environment, applicationId, remaining, decision, decidesAfterMs, stage } = outcome;
    if (applicationId !== null) {
      // The last word on one application is the one that counts.
      this.#database.prepare('DELETE FROM outcomes WHERE application_id = ?').run(applicationId);
    }
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO outcomes (environment, application_id, remaining, decision, decides_after, stage)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(environment, applicationId, remaining, decision, decidesAfterMs, stage);
    return { ...outcome, id: Number(lastInsertRowid) };
  }

  /** Oldest first. */
  list(): ForcedOutcome[] {
    const rows = this.#database.prepare('SELECT * FROM outcomes ORDER BY id').all() as unknown[];
    return rows.map((row) => fromRow(row as OutcomeRow));
  }

  /** @returns how many were taken away */
  clear(): number {
    return Number(this.#database.prepare('DELETE FROM outcomes').run().changes);
  }

  /** The outcome asked for this application, if one was; it is used up by that. */
  take(application: { id: string; environment: EnvironmentName }): ForcedOutcome | undefined {
    const row = this.#database
      .prepare(
        `SELECT * FROM outcomes WHERE application_id = ?
           OR (application_id IS NULL AND (environment IS NULL OR environment = ?))
         ORDER BY application_id IS NULL, id LIMIT 1`,
      )
      .get(application.id, application.environment) as OutcomeRow | undefined;
    if (!row) return undefined;
    this.#database
      .prepare('UPDATE outcomes SET remaining = remaining - 1 WHERE id = ?')
      .run(row.id);
    this.#database.prepare('DELETE FROM outcomes WHERE remaining <= 0').run();
    return fromRow(row);
  }
}

interface OutcomeRow {
  id: number;
  environment: EnvironmentName | null;
  application_id: string | null;
  remaining: number;
  decision: Verdict['decision'];
  decides_after: number;
  stage: Verdict['stage'];
}

function fromRow(row: OutcomeRow): ForcedOutcome {
  return {
    id: row.id,
    environment: row.environment,
    applicationId: row.application_id,
    remaining: row.remaining,
    decision: row.decision,
    decidesAfterMs: row.decides_after,
    stage: row.stage,
  };
}
