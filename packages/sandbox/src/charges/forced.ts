import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../state/database.ts';
import { execute, findRows, insertRow } from '../state/rows.ts';
import type { TransactionState, TransactionType } from './charge.ts';

/** Merchant transactions that the service may complete later. */
export const delayedTypes = [
  'Settle',
  'Refund',
  'Void',
] as const satisfies readonly TransactionType[];
type DelayedType = (typeof delayedTypes)[number];

/** Outcomes that the control API can force on the next transactions of a type. */
export const transactionOutcomes = ['pending-complete', 'pending-fail', 'fail'] as const;
/** How the control API can end a pending transaction. */
export const transactionEnds = ['completed', 'failed'] as const;

/** The final state of a pending transaction. */
export type EndState = Extract<TransactionState, 'Completed' | 'Failed'>;

/** A forced outcome: the next transactions of a type start as `Pending`, or fail immediately. */
export interface ForcedTransaction {
  id: number;
  /** Null for every environment. */
  environment: EnvironmentName | null;
  type: DelayedType;
  /** How many more transactions the outcome applies to. */
  remaining: number;
  /** Pending time on the sandbox clock, in milliseconds; 0 ends transactions immediately. */
  endsAfterMs: number;
  state: EndState;
}

/** The outcomes that the control API forces on transactions. They are part of the state. */
export class ForcedTransactions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  set(forced: Omit<ForcedTransaction, 'id'>): ForcedTransaction {
    const { endsAfterMs, state, ...row } = forced;
    const id = insertRow(this.#database, 'transaction_outcomes', {
      ...row,
      endsAfter: endsAfterMs,
      endsAs: state,
    });
    return { ...forced, id };
  }

  /** Oldest first. */
  list(): ForcedTransaction[] {
    return findRows(this.#database, `SELECT ${columns} FROM transaction_outcomes ORDER BY id`);
  }

  /** @returns the number of removed outcomes */
  clear(): number {
    return execute(this.#database, 'DELETE FROM transaction_outcomes');
  }

  /** Consumes one use of the forced outcome for the next transaction of a type, if there is one. */
  take(environment: EnvironmentName, type: TransactionType): ForcedTransaction | undefined {
    const forced = findRows<ForcedTransaction>(
      this.#database,
      `SELECT ${columns} FROM transaction_outcomes
       WHERE type = ? AND (environment IS NULL OR environment = ?) ORDER BY id LIMIT 1`,
      type,
      environment,
    )[0];
    if (!forced) return undefined;
    const countDown = 'UPDATE transaction_outcomes SET remaining = remaining - 1 WHERE id = ?';
    execute(this.#database, countDown, forced.id);
    execute(this.#database, 'DELETE FROM transaction_outcomes WHERE remaining <= 0');
    return forced;
  }
}

const columns = `id, environment, type, remaining, ends_after AS ends_after_ms, ends_as AS state`;
