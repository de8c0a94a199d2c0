import { isLoopback } from '@financing-checkout/kit';

/** The parts of a PostgreSQL URL. */
export interface PostgresAddress {
  /** Host name, address, or directory of the socket. */
  host: string;
  port: number;
  database: string;
  user: string | undefined;
  password: string | undefined;
  tls: PostgresTls | undefined;
  applicationName: string;
  /** Maximum connections of one companion. */
  poolSize: number;
}

/** TLS of a connection. Files are PEM. */
export interface PostgresTls {
  /** `require` encrypts but trusts any server; `verify-full` also checks the host name. */
  mode: 'require' | 'verify-ca' | 'verify-full';
  rootCertificateFile: string | undefined;
  certificateFile: string | undefined;
  keyFile: string | undefined;
}

/** An invalid PostgreSQL URL. Its message contains no value of the URL. */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError';
}

const parameters = new Set([
  'host',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'application_name',
  'pool_size',
]);
const tlsModes = ['require', 'verify-ca', 'verify-full'] as const;

/**
 * Parses `postgres://user:password@host:port/database?…`. Without `sslmode`, a connection to another
 * machine uses `verify-full`: with libpq's default, anyone on the network path could read it.
 * @throws {PostgresUrlError}
 */
export function readPostgresUrl(text: string): PostgresAddress {
  const whole = withHost(text);
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(whole)) {
    throw new PostgresUrlError('must be postgres://<user>:<password>@<host>:<port>/<database>');
  }
  const url = new URL(whole);
  const hostname = whole === text ? url.hostname : '';
  const names = [...url.searchParams.keys()];
  const unknown = names.find((name) => !parameters.has(name));
  if (unknown !== undefined || new Set(names).size < names.length) {
    throw new PostgresUrlError(
      `has an unknown or repeated parameter; known are ${[...parameters].join(', ')}`,
    );
  }
  const parameter = (name: string) => {
    const value = url.searchParams.get(name);
    return value === null || value === '' ? undefined : value;
  };
  const socket = parameter('host');
  if (socket !== undefined && (!socket.startsWith('/') || hostname !== '')) {
    throw new PostgresUrlError('may have the parameter host only as the folder of a socket');
  }
  const host = socket ?? decoded(hostname.replace(/^\[(.*)\]$/, '$1'));
  const database = decoded(url.pathname.slice(1));
  if (host === '' || database === '' || database.includes('/')) {
    throw new PostgresUrlError('must name a host and one database');
  }
  const poolSize = parameter('pool_size') ?? '10';
  if (!/^[1-9]\d{0,2}$/.test(poolSize)) {
    throw new PostgresUrlError('must have a pool_size of 1 to 999');
  }
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database,
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    tls: readTls(parameter, socket !== undefined || isLoopback(host)),
    applicationName: parameter('application_name') ?? 'financing-companion',
    poolSize: Number(poolSize),
  };
}

/** Adds a host, because a URL with a user needs one, and a socket has none. */
function withHost(text: string): string {
  return text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=:\d+\/|\/)/, '$1none');
}

function readTls(
  parameter: (name: string) => string | undefined,
  local: boolean,
): PostgresTls | undefined {
  const mode = parameter('sslmode') ?? (local ? 'disable' : 'verify-full');
  const known = tlsModes.find((candidate) => candidate === mode);
  if (mode === 'disable') return undefined;
  if (known === undefined) {
    throw new PostgresUrlError(
      'must have a sslmode of disable, require, verify-ca or verify-full: others may fall back to plain text',
    );
  }
  const certificateFile = parameter('sslcert');
  const keyFile = parameter('sslkey');
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new PostgresUrlError('must have sslcert and sslkey together');
  }
  return {
    mode: known,
    rootCertificateFile: parameter('sslrootcert'),
    certificateFile,
    keyFile,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PostgresUrlError('has a "%" that is not followed by two hexadecimal digits');
  }
}
