import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SandboxError } from '../problem.ts';
import { migrations } from './schema.ts';

/** The state of one sandbox: applications, charges, transactions, fundings, the clock. */
export type Database = DatabaseSync;

/**
 * Opens `<dataDir>/sandbox.db`, creating or migrating it.
 * @throws {SandboxError} when another sandbox runs on this folder, or a newer one wrote it.
 */
export function openDatabase(dataDir: string): Database {
  // Applicants' names are in it.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(dataDir, 'sandbox.db'), { timeout: 500 });
  try {
    // One process owns the state: its clock and its lenders would otherwise run twice.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;');
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    migrate(database);
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) {
      throw new SandboxError(
        `Another sandbox is running on ${dataDir}: stop it, or use another folder.`,
      );
    }
    throw error;
  }
  return database;
}

function migrate(database: Database): void {
  inTransaction(database, () => {
    const row = database.prepare('PRAGMA user_version').get();
    const version = Number(row?.user_version ?? 0);
    if (version > migrations.length) {
      throw new SandboxError(
        'The state was written by a newer sandbox: update, or empty the folder.',
      );
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

/** Runs `work` so that all of it is stored, or, when it throws, nothing. Must not be nested. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Empties every table, the clock included. Keys and certificates are files and stay. */
export function emptyDatabase(database: Database): void {
  inTransaction(database, () => {
    for (const table of ['fundings', 'transactions', 'charges', 'applications', 'settings']) {
      database.exec(`DELETE FROM ${table}`);
    }
  });
}
