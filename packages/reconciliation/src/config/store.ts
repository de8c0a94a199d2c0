import { dirname, join, resolve } from 'node:path';
import { postgresName, PostgresUrlError, Secret } from '@financing-checkout/kit';
import { readFactsUrl } from '../facts/open.ts';
import type { EnvironmentReader } from './reader.ts';

/** Location of the record store. */
export interface StoreLocation {
  kind: 'sqlite' | 'postgres';
  /** Argument of `openFacts`: a path, or a URL with its password. */
  url: Secret;
  /** Name for messages, without a password. */
  name: string;
}

const NAME = 'RECONCILIATION_STORE';
const ANALYTICS = 'reconciliation.duckdb';

/** Reads RECONCILIATION_STORE. It is a secret, because a URL contains a password. */
export function readStore(env: EnvironmentReader): StoreLocation | undefined {
  const text = env.secret(NAME) ?? 'sqlite:reconciliation.db';
  if (text.startsWith('sqlite:')) return readFileLocation(env, text.slice('sqlite:'.length));
  if (!/^postgres(?:ql)?:/.test(text)) {
    env.problem(NAME, 'must be sqlite:<file> or postgres://…');
    return undefined;
  }
  try {
    const name = postgresName(readFactsUrl(text));
    return { kind: 'postgres', url: new Secret(text), name };
  } catch (error) {
    if (!(error instanceof PostgresUrlError)) throw error;
    env.problem(NAME, error.message);
    return undefined;
  }
}

function readFileLocation(env: EnvironmentReader, file: string): StoreLocation | undefined {
  // SQLite would interpret a file: URI and its parameters as another database. Other libraries read
  // "//" as relative; here it begins at the root.
  const wrong =
    file === ''
      ? 'must be sqlite:<file> or postgres://…'
      : /^file:/i.test(file)
        ? 'must be sqlite:<file> with a path, not with a file: URI'
        : file.startsWith('//')
          ? 'must be sqlite:<file> without "//": sqlite:reconciliation.db in this folder, or sqlite:/var/lib/reconciliation.db'
          : file === ':memory:'
            ? 'is in memory: the facts must outlive the program'
            : undefined;
  if (wrong === undefined) return { kind: 'sqlite', url: new Secret(file), name: file };
  env.problem(NAME, wrong);
  return undefined;
}

/** Returns a store's name, with the whole path of a file: two folders may have a file of one name. */
export function fullName({ kind, name }: StoreLocation): string {
  return kind === 'sqlite' ? resolve(name) : name;
}

/** Returns the default path of the analytics database, next to the record store. */
export function defaultAnalyticsFile(store: StoreLocation | undefined): string {
  return store?.kind === 'sqlite' ? join(dirname(store.name), ANALYTICS) : ANALYTICS;
}
