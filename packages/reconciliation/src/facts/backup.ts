import { randomUUID } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import {
  createEmptyFile,
  finishFile,
  partialOf,
  requireOwnFolder,
  StrangersFolderError,
} from '@financing-checkout/kit/files';

/** A backup failed. The message says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: 'backup-of-postgres' | 'backup-file';

  constructor(code: BackupError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Copies all pages in one step, in a worker thread, so that the copy excludes later writes.
 */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a SQLite record store into a file. See `backUpFacts`.
 * @throws {BackupError}
 */
export async function backupSqlite(source: string, file: string): Promise<void> {
  const part = partialOf(file);
  try {
    await requireOwnFolder(dirname(file));
    if (isSameFile(source, file)) {
      throw new BackupError('backup-file', 'The backup needs a separate file.');
    }
    // SQLite gives the write-ahead log and the shared memory file the mode of the database file.
    createEmptyFile(part);
    await copyPages(source, part);
    const copy = new DatabaseSync(part);
    try {
      // Produces a single file without a write-ahead log, owned by no running process.
      copy.exec('pragma journal_mode = delete');
      copy
        .prepare(`update fact_head set store_id = ?, holder = '', address = null, until = 0`)
        .run(randomUUID());
    } finally {
      copy.close();
    }
    finishFile(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    rmSync(`${part}-journal`, { force: true });
    if (error instanceof BackupError) throw error;
    if (error instanceof StrangersFolderError) throw new BackupError('backup-file', error.message);
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new BackupError(
      'backup-file',
      `The backup failed (${reason}). Choose a folder that this user can write to, with enough space.`,
      { cause: error },
    );
  }
}

/**
 * Uses a separate connection, because a transaction begun by the writer between two steps would
 * make the copy fail.
 */
async function copyPages(location: string, part: string): Promise<void> {
  const reader = new DatabaseSync(location, { readOnly: true });
  try {
    await backup(reader, part, { rate: ALL_PAGES });
  } finally {
    reader.close();
  }
}

/** Rejects a database that has its own backup tool. */
export function backupPostgres(): Promise<never> {
  return Promise.reject(
    new BackupError(
      'backup-of-postgres',
      'The record store is in PostgreSQL: back it up with pg_dump. After it was put back, give it an id of its own (update fact_head set store_id = gen_random_uuid()), so that no analytics file of before is used with it.',
    ),
  );
}

function isSameFile(one: string, other: string): boolean {
  const real = (path: string) => {
    try {
      return realpathSync(path);
    } catch {
      return undefined;
    }
  };
  return real(one) !== undefined && real(one) === real(other);
}
