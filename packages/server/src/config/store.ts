import { type PostgresAddress, PostgresUrlError, readPostgresUrl } from './postgres-url.ts';
import type { EnvironmentReader } from './reader.ts';
import { Secret } from '../keys/secret.ts';

/** Where the store is. */
export type StoreLocation =
  | { kind: 'sqlite'; file: string }
  /** `name` is what messages call it; the password is in `url` alone. */
  | { kind: 'postgres'; name: string; url: Secret };

/** What SQLite takes for a database that is nowhere but in the process that opens it. */
const IN_MEMORY = ':memory:';

/** Whether all of a store is gone when its companion ends. */
export function isInMemory(location: StoreLocation): boolean {
  return location.kind === 'sqlite' && location.file === IN_MEMORY;
}

/**
 * Reads COMPANION_STORE. It is a secret, for the password in a URL.
 * @param inMemory why there may be no store in memory; undefined: there may
 */
export function readStoreLocation(
  env: EnvironmentReader,
  inMemory: string | undefined,
): StoreLocation | undefined {
  const text = env.secret('COMPANION_STORE') ?? 'sqlite:companion.db';
  if (/^sqlite:.+/.test(text)) {
    const location = { kind: 'sqlite', file: text.slice('sqlite:'.length) } as const;
    if (/^file:/i.test(location.file)) {
      // SQLite would read it, with parameters that make another database of each connection.
      env.problem('COMPANION_STORE', 'must be sqlite:<file> with a path, and not with a file: URI');
      return undefined;
    }
    if (location.file.startsWith('//')) {
      // Written as URLs of other libraries are, of which some read it from this folder on and some
      // from the root: as a path it would be the latter, wherever nobody looks for it.
      env.problem(
        'COMPANION_STORE',
        'must be sqlite:<file> without "//": sqlite:companion.db in this folder, sqlite:/var/lib/companion.db anywhere',
      );
      return undefined;
    }
    if (inMemory === undefined || !isInMemory(location)) return location;
    env.problem('COMPANION_STORE', `is in memory: ${inMemory}`);
    return undefined;
  }
  if (!text.startsWith('postgres')) {
    env.problem('COMPANION_STORE', 'must be sqlite:<file> or postgres://…');
    return undefined;
  }
  try {
    return { kind: 'postgres', name: nameOf(readPostgresUrl(text)), url: new Secret(text) };
  } catch (error) {
    if (!(error instanceof PostgresUrlError)) throw error;
    env.problem('COMPANION_STORE', error.message);
    return undefined;
  }
}

/** A database as people name it, without who enters it and how. */
function nameOf({ host, port, database }: PostgresAddress): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `postgres://${host.startsWith('/') ? '' : `${name}:${port}`}/${database}`;
}
