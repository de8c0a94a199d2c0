import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SandboxError } from '../platform/problem.ts';
import { createEmptyFile } from '../platform/write-file.ts';
import { SCHEMA_VERSION, schema } from './schema.ts';

/** The state of one sandbox: applications, charges, transactions, fundings, the clock. */
export type Database = DatabaseSync;

/**
 * Opens `<dataDir>/sandbox.db`, creating it if needed.
 * @throws {SandboxError} when the folder cannot be used, another sandbox is using it, the file is
 * damaged, or a different version wrote it
 */
export function openDatabase(dataDir: string): Database {
  let database: Database;
  try {
    // The file contains applicants' names, and an existing folder may be accessible to other users.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const file = join(dataDir, 'sandbox.db');
    if (!existsSync(file)) createEmptyFile(file);
    database = new DatabaseSync(file, { timeout: 500 });
  } catch (error) {
    throw unusable(dataDir, error);
  }
  try {
    // Only one process may own the state; with two, the clock and the lenders would run twice.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;');
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    prepare(database);
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) {
      throw new SandboxError(
        `Another sandbox is running on ${dataDir}: stop it, or use another folder.`,
      );
    }
    throw unusable(dataDir, error);
  }
  return database;
}

/** Explains an error that the user can fix: folder permissions, a file that is not a state. */
function unusable(dataDir: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SandboxError) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (/not a database|malformed|corrupt/i.test(error.message)) {
    return new SandboxError(
      `${join(dataDir, 'sandbox.db')} is damaged, or not a state of a sandbox: move it away, or use another folder.`,
    );
  }
  const ofFolder = /^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|ENAMETOOLONG|ENOSPC)$/.test(code);
  if (!ofFolder && !/readonly|unable to open|disk is full/i.test(error.message)) return error;
  const why = ofFolder ? code : error.message;
  return new SandboxError(`The folder ${dataDir} cannot be used (${why}): use another folder.`);
}

/** SQLite's `application_id`, which marks the file as a sandbox state ("FiSa"). */
export const APPLICATION_ID = 0x46695361;

/** Creates the tables of a new state. @throws {SandboxError} for a state of another version */
export function prepare(database: Database): void {
  inTransaction(database, () => {
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (version === SCHEMA_VERSION) return;
    if (version > SCHEMA_VERSION) {
      throw new SandboxError(
        'The state was written by a newer sandbox: update, or empty the folder.',
      );
    }
    if (version > 0) {
      throw new SandboxError('The state was written by an older sandbox: empty the folder.');
    }
    database.exec(schema);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/** Runs `work` in a transaction, and rolls back when it throws. Must not be nested. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    undo(database, 'ROLLBACK');
    throw error;
  }
}

/** Like {@link inTransaction}, but may be nested. */
export function nested<T>(database: Database, work: () => T): T {
  database.exec('SAVEPOINT nested');
  try {
    const result = work();
    database.exec('RELEASE nested');
    return result;
  } catch (error) {
    undo(database, 'ROLLBACK TO nested; RELEASE nested');
    throw error;
  }
}

/** Rolls back, unless SQLite already has, as on a full disk: a second rollback would fail. */
function undo(database: Database, rollback: string): void {
  if (database.isTransaction) database.exec(rollback);
}

/** Empties every table, including the clock. Keys and certificates are files and are kept. */
export function emptyDatabase(database: Database): void {
  inTransaction(database, () => {
    database.exec('PRAGMA defer_foreign_keys = ON');
    for (const table of tablesOf(database)) database.exec(`DELETE FROM "${table}"`);
  });
}

export function tablesOf(database: Database): string[] {
  return database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .map((row) => String(row.name));
}
