import { type PostgresAddress, readPostgresUrl } from '@financing-checkout/kit';
import {
  IN_MEMORY,
  readStoreLocation as readLocation,
  type StatedStore,
} from '@financing-checkout/kit/env';
import type { CompanionEnvironment } from './variables.ts';

/** Location of the store. */
export type StoreLocation = StatedStore;

/** Returns whether a store is lost when its companion ends. */
export function isInMemory(location: StoreLocation): boolean {
  return location.kind === 'sqlite' && location.file === IN_MEMORY;
}

/**
 * Reads COMPANION_STORE, which is a secret because a URL contains a password.
 * @param inMemory why an in-memory store is refused; undefined permits one
 */
export function readStoreLocation(
  env: CompanionEnvironment,
  inMemory: string | undefined,
): StoreLocation | undefined {
  const rules = { readUrl: readStoreUrl, inMemory, example: 'companion.db' };
  return readLocation(env, 'COMPANION_STORE', rules);
}

/** Reads the URL of a companion's database. @throws {PostgresUrlError} */
export function readStoreUrl(text: string): PostgresAddress {
  return readPostgresUrl(text, { applicationName: 'financing-companion', poolSize: 10 });
}
