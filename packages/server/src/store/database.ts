import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import type { Units } from './units.ts';

/** What the parts of the store work with. */
export interface Database {
  /** For a statement that is a transaction by itself. */
  db: Kysely<Schema>;
  /**
   * Runs several statements as one transaction. The work may be run again after a conflict with
   * another companion: it does nothing but speak to the database.
   */
  transact: <Result>(work: (tx: Transaction<Schema>) => Promise<Result>) => Promise<Result>;
  /** For what each checkout takes: statements that are built once, transactions without turns. */
  units: Units;
  /** Whether changes are put in the outbox: off when there is nobody to tell. */
  outbox: boolean;
}

/** How often a transaction is begun before its conflict is reported. */
export const MAX_TRIES = 5;

/**
 * A transaction that is run again when PostgreSQL gave it up for another one, or when the
 * connection had died before it began: in both cases nothing of it was done. A connection that dies
 * later leaves open whether the COMMIT took place; that is an error, and leases sort it out.
 */
export function transactions(db: Kysely<Schema>): Database['transact'] {
  return async function transact(work) {
    for (let tries = 1; ; tries++) {
      const progress = { began: false };
      try {
        return await db
          .transaction()
          // Under REPEATABLE READ, which may be a database's default, each conflict would be an
          // error; every write here states its condition itself.
          .setIsolationLevel('read committed')
          .execute((tx) => {
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

/** Code of a database's error: SQLSTATE, or the system's. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** serialization_failure and deadlock_detected: the transaction was undone, to be begun again. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error) ?? '');
}

/** A pooled connection that the server had closed: Class 08, admin_shutdown, or the system's. */
function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return /^(?:08\w{3}|57P01|ECONNRESET|EPIPE)$/.test(code);
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Client has encountered)/.test(error.message)
  );
}
