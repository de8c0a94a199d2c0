import { dirname, join, resolve } from 'node:path';
import { Secret } from '@financing-checkout/kit';
import { readStoreLocation } from '@financing-checkout/kit/env';
import { readFactsUrl } from '../facts/open.ts';
import type { ReconciliationEnvironment } from './variables.ts';

/** Location of the record store. */
export interface StoreLocation {
  kind: 'sqlite' | 'postgres';
  /** Argument of `openFacts`: a path, or a URL with its password. */
  url: Secret;
  /** Name for messages, without a password. */
  name: string;
  /** The file that the URL was read from, which is watched. */
  file?: string | undefined;
}

const ANALYTICS = 'reconciliation.duckdb';

/** Reads RECONCILIATION_STORE. It is a secret, because a URL contains a password. */
export function readStore(env: ReconciliationEnvironment): StoreLocation | undefined {
  const stated = readStoreLocation(env, 'RECONCILIATION_STORE', {
    readUrl: readFactsUrl,
    inMemory: 'the facts must outlive the program',
    example: 'reconciliation.db',
  });
  if (stated?.kind !== 'sqlite') return stated;
  return { kind: 'sqlite', url: new Secret(stated.file), name: stated.file };
}

/**
 * Returns a store's name, with the full path of a file, because two folders may contain files of
 * the same name.
 */
export function fullName({ kind, name }: StoreLocation): string {
  return kind === 'sqlite' ? resolve(name) : name;
}

/** Returns the default path of the analytics database, next to the record store. */
export function defaultAnalyticsFile(store: StoreLocation | undefined): string {
  return store?.kind === 'sqlite' ? join(dirname(store.name), ANALYTICS) : ANALYTICS;
}
