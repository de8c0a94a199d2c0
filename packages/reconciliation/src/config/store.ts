import { dirname, join, resolve } from 'node:path';
import { Secret } from '@financing-checkout/kit';
import { IN_MEMORY, storeLocation, type VariableType } from '@financing-checkout/kit/env';
import { readFactsUrl } from '../facts/open.ts';

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

const located = storeLocation(readFactsUrl, 'reconciliation.db');

/** The record store. Its variable is a secret, because a URL contains a password. */
export const recordStore: VariableType<StoreLocation> = {
  read(text, source) {
    const stated = located.read(text, source);
    if (stated?.kind !== 'sqlite') return stated;
    if (stated.file === IN_MEMORY)
      source.refuse('is in memory: the facts must outlive the program');
    return { kind: 'sqlite', url: new Secret(stated.file), name: stated.file };
  },
  rule: located.rule,
};

/**
 * Returns a store's name, with a file's full path, because two folders may contain files with the
 * same name.
 */
export function fullName({ kind, name }: StoreLocation): string {
  return kind === 'sqlite' ? resolve(name) : name;
}

/** Returns the default path of the analytics database, next to the record store. */
export function defaultAnalyticsFile(store: StoreLocation | undefined): string {
  return store?.kind === 'sqlite' ? join(dirname(store.name), ANALYTICS) : ANALYTICS;
}
