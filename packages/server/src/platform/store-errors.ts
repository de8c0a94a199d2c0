import { unusableSqlite } from '@financing-checkout/kit/sql';

/** The store cannot be read or written. Its cause is the driver's error. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
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

/**
 * Returns whether an error means that a string contains U+0000, which PostgreSQL cannot store and
 * any client can send.
 */
export function isUnkeepable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22021';
}

/**
 * Wraps methods so that an error of an unusable database becomes a {@link StoreUnavailableError}.
 * Callers need no knowledge of databases, and do not mistake a failure in merchant code for a
 * database error.
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
