import { isLoopback } from '../limits/address.ts';

/** One server of a database. */
export interface PostgresHost {
  /** Host name, IP address, or socket directory. */
  host: string;
  port: number;
}

/** The parts of a PostgreSQL URL. */
export interface PostgresAddress {
  /** The primary and its standbys, in any order; one host may lead to whichever is the primary. */
  hosts: readonly [PostgresHost, ...PostgresHost[]];
  database: string;
  user: string | undefined;
  password: string | undefined;
  tls: PostgresTls | undefined;
  applicationName: string;
  /** Maximum number of connections per process. */
  poolSize: number;
}

/** TLS settings of a connection. Files are in PEM format. */
export interface PostgresTls {
  /** `require` encrypts but trusts any server; `verify-full` also checks the host name. */
  mode: 'require' | 'verify-ca' | 'verify-full';
  rootCertificateFile: string | undefined;
  certificateFile: string | undefined;
  keyFile: string | undefined;
  /**
   * Whether the login is bound to the server's certificate (SCRAM-SHA-256-PLUS), which prevents a
   * man-in-the-middle relay: never, if the server offers it, or always.
   */
  channelBinding: (typeof channelBindings)[number];
  /**
   * How TLS is negotiated: `direct` starts TLS without asking the server first (PostgreSQL 17 and
   * later).
   */
  negotiation: (typeof negotiations)[number];
}

/** A program's defaults for what a URL leaves out. */
export interface PostgresDefaults {
  applicationName: string;
  poolSize: number;
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
  'channel_binding',
  'sslnegotiation',
  'application_name',
  'pool_size',
  'target_session_attrs',
]);
const tlsModes = ['require', 'verify-ca', 'verify-full'] as const;
const channelBindings = ['disable', 'prefer', 'require'] as const;
const negotiations = ['postgres', 'direct'] as const;
const READ_WRITE = 'read-write';
/** libpq's name for the system's trusted certificate authorities. */
const SYSTEM_ROOTS = 'system';

/**
 * Parses `postgres://user:password@host:port/database?…`. Several hosts are separated by
 * commas (`host1:5432,host2:5432`), as in libpq. Without `sslmode`, a connection to another machine
 * uses `verify-full`: with libpq's default, anyone on the network path could read the traffic.
 * @throws {PostgresUrlError}
 */
export function readPostgresUrl(text: string, defaults: PostgresDefaults): PostgresAddress {
  refuseUnencoded(text);
  const [, scheme = '', user = '', list = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(text) ?? [];
  const servers = list.split(',').map(serverOf);
  // `URL` accepts exactly one host, but the list may have none (a socket) or several.
  const single = `${scheme}${user}host${rest}`;
  if (scheme === '' || servers.includes(undefined) || !URL.canParse(single)) {
    throw new PostgresUrlError('must be postgres://<user>:<password>@<host>:<port>/<database>');
  }
  const url = new URL(single);
  const names = [...url.searchParams.keys()];
  const wrong = names.find((name, index) => !parameters.has(name) || names.indexOf(name) < index);
  if (wrong !== undefined) {
    // Anything but a plain name may be part of a password.
    const name = /^\w{1,40}$/.test(wrong) ? `the parameter ${wrong}` : 'a parameter';
    throw new PostgresUrlError(
      `has ${name}, which is repeated or not supported; supported are ${[...parameters].join(', ')}`,
    );
  }
  const parameter = (name: string) => {
    const value = url.searchParams.get(name);
    return value === null || value === '' ? undefined : value;
  };
  const socket = parameter('host');
  const named = servers.filter((server) => server !== undefined);
  const isNamed = named.length > 1 || named.some(({ host }) => host !== '');
  if (socket !== undefined && (!socket.startsWith('/') || isNamed)) {
    throw new PostgresUrlError('may have the parameter host only as the folder of a socket');
  }
  const [first, ...others] = named.map(({ host, port }) => ({ host: socket ?? host, port }));
  const database = decoded(url.pathname.slice(1));
  if (
    first === undefined ||
    [first, ...others].some(({ host }) => host === '') ||
    database === '' ||
    database.includes('/')
  ) {
    throw new PostgresUrlError('must name a host and one database');
  }
  if ((parameter('target_session_attrs') ?? READ_WRITE) !== READ_WRITE) {
    throw new PostgresUrlError(
      `must have a target_session_attrs of ${READ_WRITE}, which is the default: the program writes`,
    );
  }
  const poolSize = parameter('pool_size') ?? String(defaults.poolSize);
  if (!/^[1-9]\d{0,2}$/.test(poolSize)) {
    throw new PostgresUrlError('must have a pool_size of 1 to 999');
  }
  return {
    hosts: [first, ...others],
    database,
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    tls: readTls(parameter, socket !== undefined || named.every(({ host }) => isLoopback(host))),
    applicationName: parameter('application_name') ?? defaults.applicationName,
    poolSize: Number(poolSize),
  };
}

/** Returns a database's display name for messages, without user, password or options. */
export function postgresName({ hosts, database }: PostgresAddress): string {
  const isSocket = hosts[0].host.startsWith('/');
  return `postgres://${isSocket ? '' : hosts.map(hostName).join(',')}/${database}`;
}

/** Returns a server's display name for messages. */
export function hostName({ host, port }: PostgresHost): string {
  if (host.startsWith('/')) return host;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Rejects a user or password with an unencoded delimiter: the rest would be parsed as host,
 * database or parameter.
 * @throws {PostgresUrlError}
 */
function refuseUnencoded(text: string): void {
  const [, path = '', rest = ''] = /^\w+:\/\/[^/?#]*([^?#]*)(.*)$/s.exec(text) ?? [];
  if (path.includes('@') || (path === '' && rest.includes('@')) || rest.includes('#')) {
    throw new PostgresUrlError(
      'has a "/", "?" or "#" in its user or password, or a "#" elsewhere: write %2F, %3F or %23 for it, and %40 for "@"',
    );
  }
}

/** Parses `host:port`; undefined if it is neither. The host of a socket is empty. */
function serverOf(text: string): PostgresHost | undefined {
  const [match, host = '', port = ''] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(text) ?? [];
  if (match === undefined || !URL.canParse(`postgres://${host || 'socket'}:${port}/`)) {
    return undefined;
  }
  return {
    host: decoded(host.replace(/^\[(.*)\]$/, '$1')),
    port: port === '' ? 5432 : Number(port),
  };
}

function readTls(
  parameter: (name: string) => string | undefined,
  local: boolean,
): PostgresTls | undefined {
  const choice = <Value extends string>(name: string, values: readonly Value[]) => {
    const value = parameter(name) ?? values[0];
    const known = values.find((candidate) => candidate === value);
    if (known === undefined) {
      throw new PostgresUrlError(`must have a ${name} of ${values.join(', ')}`);
    }
    return known;
  };
  const roots = parameter('sslrootcert');
  const system = roots === SYSTEM_ROOTS;
  const mode = parameter('sslmode') ?? (local && !system ? 'disable' : 'verify-full');
  const known = tlsModes.find((candidate) => candidate === mode);
  const channelBinding = choice('channel_binding', channelBindings);
  if (mode === 'disable') {
    if (channelBinding !== 'require') return undefined;
    throw new PostgresUrlError(
      'has channel_binding=require, which needs TLS: add sslmode=verify-full, verify-ca or require',
    );
  }
  if (known === undefined) {
    throw new PostgresUrlError(
      'must have a sslmode of disable, require, verify-ca or verify-full: others may fall back to plain text',
    );
  }
  if (system && known !== 'verify-full') {
    throw new PostgresUrlError(
      'has sslrootcert=system, which needs sslmode=verify-full: these authorities sign for any host',
    );
  }
  const certificateFile = parameter('sslcert');
  const keyFile = parameter('sslkey');
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new PostgresUrlError('must have sslcert and sslkey together');
  }
  return {
    mode: known,
    rootCertificateFile: system ? undefined : roots,
    certificateFile,
    keyFile,
    channelBinding,
    negotiation: choice('sslnegotiation', negotiations),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PostgresUrlError('has a "%" that is not followed by two hexadecimal digits');
  }
}
