/** The store could not be asked, or could not keep what it was told. Its cause says why. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * SQLSTATE classes and codes of a database that is down, full, moving to another machine, or does
 * not let us in: connection exception, invalid authorization, insufficient resources, operator
 * intervention, system error; a database that is gone or closed, a standby that is only read, and
 * sessions and transactions that are ended by a time limit of the database's own.
 */
const states = /^(?:08\w{3}|28\w{3}|53\w{3}|57\w{3}|58\w{3}|3D000|55000|25006|25P03|25P04)$/;
/** The system's words for a machine that is not reached, or when it can open no more connections. */
const network =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|EADDRNOTAVAIL|EMFILE|ENFILE)$/;
/** Node's and OpenSSL's words for a certificate that is not trusted, such as one that has expired. */
const tls = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;
/** What `pg` says without a code. */
const words =
  /^(?:Connection terminated|timeout exceeded when trying|Query read timeout|Client (?:has|was closed)|The server does not support SSL|There was an error establishing an SSL)/;
/** Result codes of SQLite for a database that cannot be used, primary but for two, and their names. */
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

/** Whether an error of a driver says that the database cannot be used now, whatever is asked. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return unusableSqlite(error) !== undefined;
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if ('code' in error && typeof error.code === 'string') {
    const { code } = error;
    return [states, network, tls].some((known) => known.test(code));
  }
  return words.test(error.message) || isUnavailable(error.cause);
}

/**
 * What keeps SQLite from being used, by its name: the driver has one code for all of its errors, and
 * an operator has to know whether the disk is full or the file read-only.
 */
export function unusableSqlite(error: object): string | undefined {
  const code = 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? (sqlite.get(code) ?? sqlite.get(code & 0xff)) : undefined;
}

/**
 * Whether an error says that a text has a character which the database cannot keep: PostgreSQL has
 * no U+0000, and anybody can send one.
 */
export function isUnkeepable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22021';
}

/**
 * The same methods; an error that says that the database is down is a {@link StoreUnavailableError}
 * from here on: whoever gets it need not know databases, nor take a merchant's own failure for it.
 */
export function tellingUnavailable<Methods extends object>(methods: Methods): Methods {
  const told = Object.entries(methods).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return [name, telling(value as Method)];
    return [name, typeof value === 'object' && value !== null ? tellingUnavailable(value) : value];
  });
  return Object.fromEntries(told) as Methods;
}

type Method = (...parameters: unknown[]) => unknown;

function telling(method: Method): Method {
  return function tell(...parameters) {
    try {
      const result = method(...parameters);
      return result instanceof Promise ? result.catch(translated) : result;
    } catch (error) {
      return translated(error);
    }
  };
}

function translated(error: unknown): never {
  if (!isUnavailable(error)) throw error;
  throw new StoreUnavailableError('The store cannot be used.', { cause: error });
}
