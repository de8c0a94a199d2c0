import { type PostgresAddress, readPostgresUrl } from '@financing-checkout/kit';
import { IN_MEMORY, type StatedStore } from '@financing-checkout/kit/env';

/** Where `COMPANION_STORE` puts the store: a SQLite file, which may be in memory, or a PostgreSQL URL. */
export type StoreLocation = StatedStore;

/** Returns whether a store is lost when its companion ends. */
export function isInMemory(location: StoreLocation): boolean {
  return location.kind === 'sqlite' && location.file === IN_MEMORY;
}

/** Reads the URL of a companion's database. @throws {PostgresUrlError} */
export function readStoreUrl(text: string): PostgresAddress {
  return readPostgresUrl(text, { applicationName: 'financing-companion', poolSize: 10 });
}
