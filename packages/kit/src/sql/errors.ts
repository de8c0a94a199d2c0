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
 * Returns SQLite's name for the error, or its cause, that makes the database unusable. The driver
 * has one code for all errors, but an operator must know whether the disk is full or the file is
 * read-only.
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

/**
 * SQLSTATE classes and codes of a database that is down, full, failing over, or refuses the login:
 * connection exception, invalid authorization, insufficient resources, operator intervention,
 * system error; a dropped or closed database, a read-only standby, and sessions and transactions
 * that the database terminated by its own timeouts.
 */
const states = /^(?:08\w{3}|28\w{3}|53\w{3}|57\w{3}|58\w{3}|3D000|55000|25006|25P03|25P04)$/;
/** System error codes for an unreachable host or too many open files. */
const network =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|EADDRNOTAVAIL|EMFILE|ENFILE)$/;
/** Error codes of Node and OpenSSL for an untrusted certificate, such as an expired one. */
const tls = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;
/** Messages of `pg` that come without a code. */
const words =
  /^(?:Connection terminated|timeout exceeded when trying|Query read timeout|Client (?:has|was closed)|The server does not support SSL|There was an error establishing an SSL)/;

/** Returns whether a driver's error means that no statement can use the database now. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return unusableSqlite(error) !== undefined;
  // A host name with several addresses fails with one error per address.
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if ('code' in error && typeof error.code === 'string') {
    const { code } = error;
    return [states, network, tls].some((known) => known.test(code));
  }
  return words.test(error.message) || isUnavailable(error.cause);
}
