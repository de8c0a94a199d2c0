/** SQLite's result codes for an unusable database (primary codes, except two), and their names. */
const sqlite = new Map([
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [26, 'SQLITE_NOTADB'],
  [516, 'SQLITE_ABORT_ROLLBACK'],
  [1032, 'SQLITE_READONLY_DBMOVED'],
]);

/**
 * Returns SQLite's name for an error, or for its cause, that makes the database unusable. The
 * driver has one code for all errors, but an operator must know whether the disk is full or the
 * file is read-only.
 */
export function unusableSqlite(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!('errcode' in error) || typeof error.errcode !== 'number') {
    return unusableSqlite(error.cause);
  }
  return sqlite.get(error.errcode) ?? sqlite.get(error.errcode & 0xff);
}

/**
 * Returns the messages of an error and its causes; a connection that failed for every address of
 * the host has several.
 */
export function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return ['unknown'];
  const reasons = error.message === '' ? [] : [error.message];
  if (error instanceof AggregateError) return [...reasons, ...error.errors.flatMap(reasonsOf)];
  return error.cause === undefined ? reasons : [...reasons, ...reasonsOf(error.cause)];
}
