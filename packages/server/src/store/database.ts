import type { Environment } from '@financing-checkout/contract/storefront';
import { type Expression, type Kysely, sql, type SqlBool, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import type { SentRequests } from './sent-requests.ts';

/**
 * Origin of a PostgreSQL server's data: each promotion and each point-in-time recovery begins a
 * timeline with a higher number.
 */
export interface ServerHistory {
  cluster: string;
  timeline: number;
}

export interface Database {
  /** Runs a statement as its own transaction. */
  db: Kysely<Schema>;
  /**
   * Runs several statements as one transaction. The work may run again after a conflict with
   * another companion, so it must do nothing but query the database.
   */
  transact: <Result>(work: (tx: Transaction<Schema>) => Promise<Result>) => Promise<Result>;
  /** Whether changes are written to the outbox; off without a webhook. */
  outbox: boolean;
  sent: SentRequests;
  /** History of the server behind the newest connection; undefined for SQLite. */
  server: { readonly history: ServerHistory | undefined };
}

/** Returns the condition that a row belongs to an environment; a store may have rows of several. */
export const isIn = (environment: Environment): Expression<SqlBool> =>
  sql`environment = ${environment}`;

/** Maximum number of attempts of a transaction before its conflict is reported. */
export const MAX_TRIES = 5;

/**
 * Returns a function that runs transactions, and retries a transaction when PostgreSQL aborted it
 * because of a conflict, or when the connection was dead before the transaction began: in both
 * cases it had no effect. If the connection dies later, the outcome of the COMMIT is unknown; that
 * is an error, and leases resolve it.
 */
export function transactions(db: Kysely<Schema>): Database['transact'] {
  // Under REPEATABLE READ, which may be the database's default, each conflict would be an error. READ
  // COMMITTED is enough because every write contains its own condition.
  const transaction = db.transaction().setIsolationLevel('read committed');

  return async function transact(work) {
    for (let tries = 1; ; tries++) {
      const progress = { began: false };
      try {
        return await transaction.execute((tx) => {
          progress.began = true;
          return work(tx);
        });
      } catch (error) {
        const again = isConflict(error) || (!progress.began && isConnectionLost(error));
        if (!again || tries >= MAX_TRIES) throw error;
      }
    }
  };
}

/** Returns the code of a database error: an SQLSTATE or a system error code. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns whether a transaction was rolled back and can be retried: serializationFailure or
 * deadlockDetected.
 */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error) ?? '');
}

/**
 * Returns whether the server had closed a pooled connection: class 08, adminShutdown, or a system
 * error code.
 */
function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return /^(?:08\w{3}|57P01|ECONNRESET|EPIPE)$/.test(code);
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Client has encountered)/.test(error.message)
  );
}
