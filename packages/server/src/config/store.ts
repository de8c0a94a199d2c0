import { type PostgresAddress, PostgresUrlError, readPostgresUrl } from './postgres-url.ts';
import type { EnvironmentReader } from './reader.ts';
import { Secret } from '../keys/secret.ts';

/** Where the store is. */
export type StoreLocation =
  | { kind: 'sqlite'; file: string }
  /** `name` is what messages call it; the password is in `url` alone. */
  | { kind: 'postgres'; name: string; url: Secret };

/** Reads COMPANION_STORE. It is a secret, for the password in a URL. */
export function readStoreLocation(env: EnvironmentReader): StoreLocation | undefined {
  const text = env.secret('COMPANION_STORE') ?? 'sqlite:companion.db';
  if (/^sqlite:.+/.test(text)) return { kind: 'sqlite', file: text.slice('sqlite:'.length) };
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
