import {
  type PostgresAddress,
  postgresName,
  PostgresUrlError,
  readPostgresUrl,
  Secret,
} from '@financing-checkout/kit';
import type { EnvironmentReader } from './reader.ts';

/** Where the store is. */
export type StoreLocation =
  | { kind: 'sqlite'; file: string }
  /** Messages show `name`; only `url` has the password. */
  | { kind: 'postgres'; name: string; url: Secret };

/** SQLite's name for a database in the memory of its process. */
const IN_MEMORY = ':memory:';

/** Returns whether a store is lost when its companion ends. */
export function isInMemory(location: StoreLocation): boolean {
  return location.kind === 'sqlite' && location.file === IN_MEMORY;
}

/**
 * Reads COMPANION_STORE, which is a secret because a URL has a password.
 * @param inMemory why a store in memory is refused; undefined permits it
 */
export function readStoreLocation(
  env: EnvironmentReader,
  inMemory: string | undefined,
): StoreLocation | undefined {
  const text = env.secret('COMPANION_STORE') ?? 'sqlite:companion.db';
  if (/^sqlite:.+/.test(text)) {
    const location = { kind: 'sqlite', file: text.slice('sqlite:'.length) } as const;
    if (/^file:/i.test(location.file)) {
      // SQLite would accept a URI, with parameters that could give each connection its own database.
      env.problem('COMPANION_STORE', 'must be sqlite:<file> with a path, not a file: URI');
      return undefined;
    }
    if (location.file.startsWith('//')) {
      // Other libraries write such URLs, and disagree whether the path is relative or absolute. Read as
      // a path it would be absolute, where the operator may not expect it.
      env.problem(
        'COMPANION_STORE',
        'must be sqlite:<file> without "//": sqlite:companion.db in the current directory, or an absolute path such as sqlite:/var/lib/companion.db',
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
    return { kind: 'postgres', name: postgresName(readStoreUrl(text)), url: new Secret(text) };
  } catch (error) {
    if (!(error instanceof PostgresUrlError)) throw error;
    env.problem('COMPANION_STORE', error.message);
    return undefined;
  }
}

/** Reads the URL of a companion's database. @throws {PostgresUrlError} */
export function readStoreUrl(text: string): PostgresAddress {
  return readPostgresUrl(text, { applicationName: 'financing-companion', poolSize: 10 });
}
