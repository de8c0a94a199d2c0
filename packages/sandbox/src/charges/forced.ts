import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import type { TransactionState, TransactionType } from './charge.ts';

/** What the merchant makes, and the service may take its time with. */
export const delayedTypes = [
  'Settle',
  'Refund',
  'Void',
] as const satisfies readonly TransactionType[];
export type DelayedType = (typeof delayedTypes)[number];

/** What can be asked of the next ones of a type. */
export const transactionOutcomes = ['pending-complete', 'pending-fail', 'fail'] as const;
/** How a pending one can be ended now. */
export const transactionEnds = ['completed', 'failed'] as const;

/** How a pending transaction ends. */
export type EndState = Extract<TransactionState, 'Completed' | 'Failed'>;

/** A course that was asked for: the next ones of a type are `Pending` at first, or fail at once. */
export interface ForcedTransaction {
  id: number;
  /** Null for every environment. */
  environment: EnvironmentName | null;
  type: DelayedType;
  /** Transactions it is still for. */
  remaining: number;
  /** How long they are pending on the sandbox clock, in milliseconds; 0 for an end at once. */
  endsAfterMs: number;
  state: EndState;
}

/** Pending transactions asked for by the control API. They are part of the state. */
export class ForcedTransactions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  set(forced: Omit<ForcedTransaction, 'id'>): ForcedTransaction {
    const { environment, type, remaining, endsAfterMs, state } = forced;
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO transaction_outcomes (environment, type, remaining, ends_after, ends_as)
         VALUES (?, ?, ?, ?, ?)`,
      )
      .run(environment, type, remaining, endsAfterMs, state);
    return { ...forced, id: Number(lastInsertRowid) };
  }

  /** Oldest first. */
  list(): ForcedTransaction[] {
    return this.#database
      .prepare(`SELECT ${columns} FROM transaction_outcomes ORDER BY id`)
      .all() as unknown[] as ForcedTransaction[];
  }

  /** @returns how many were taken away */
  clear(): number {
    return Number(this.#database.prepare('DELETE FROM transaction_outcomes').run().changes);
  }

  /** What was asked for the next transaction of a type, if anything was; it is used up by that. */
  take(environment: EnvironmentName, type: TransactionType): ForcedTransaction | undefined {
    const forced = this.#database
      .prepare(
        `SELECT ${columns} FROM transaction_outcomes
         WHERE type = ? AND (environment IS NULL OR environment = ?) ORDER BY id LIMIT 1`,
      )
      .get(type, environment) as ForcedTransaction | undefined;
    if (!forced) return undefined;
    this.#database
      .prepare('UPDATE transaction_outcomes SET remaining = remaining - 1 WHERE id = ?')
      .run(forced.id);
    this.#database.prepare('DELETE FROM transaction_outcomes WHERE remaining <= 0').run();
    return forced;
  }
}

const columns = `id, environment, type, remaining, ends_after AS endsAfterMs, ends_as AS state`;
