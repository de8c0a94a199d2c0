import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StoreVersionError, reasonsOf, unusableSqlite } from '@financing-checkout/kit/sql';
import type { StoreUrlEvent } from '@financing-checkout/kit/postgres';
import { sqliteDialect } from '@financing-checkout/kit/sqlite';
import { isInMemory, readStoreUrl, type StoreLocation } from '../config/store.ts';
import { createKyselyStore, type KyselyStoreOptions } from '../store/kysely-store.ts';
import type { ServerHistory } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { refuseVersion, StoreEncodingError } from '../store/version.ts';

/** The store cannot be used. The message says how to fix the problem and contains no password. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Returns whether a file exists. Opening a missing file would create an empty store.
 * @throws when a folder in the path cannot be read, so that it is unknown whether the file exists
 */
export function fileExists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Rejects a store in a missing folder. Either the path is misspelled or a volume is not mounted,
 * and a folder created in its place would keep the orders only until the container ends.
 * @throws {StoreError}
 */
function requireFolder(file: string): void {
  const folder = dirname(resolve(file));
  if (fileExists(folder)) return;
  throw new StoreError(
    `The folder of the store, ${folder}, is not there: create it, mount it, or correct COMPANION_STORE.`,
  );
}

export interface StoreOptions extends Pick<KyselyStoreOptions, 'outbox'> {
  /**
   * If set, the file with the store's URL is watched, and this is called with the result for each
   * new URL.
   */
  onUrl?: (event: StoreUrlEvent) => void;
}

/** Creates the configured store, which connects lazily on first use. */
export async function createStore(
  location: StoreLocation,
  { onUrl, ...options }: StoreOptions = {},
): Promise<Store> {
  return createKyselyStore({ ...(await dialects(location, onUrl)), ...options });
}

async function dialects(
  location: StoreLocation,
  onUrl: StoreOptions['onUrl'],
): Promise<Pick<KyselyStoreOptions, 'dialect' | 'migrationDialect' | 'server'>> {
  if (location.kind === 'sqlite') {
    if (!isInMemory(location)) requireFolder(location.file);
    return { dialect: sqliteDialect(location.file) };
  }
  // Loaded on demand, because most companions use a file.
  const { postgresDialect, watchStoreUrl } = await import('@financing-checkout/kit/postgres');
  const text = location.url.reveal();
  const address = readStoreUrl(text);
  const { file: path } = location;
  const next =
    path !== undefined && onUrl !== undefined
      ? watchStoreUrl({ path, text, readUrl: readStoreUrl, report: onUrl })
      : undefined;
  const server: { history: ServerHistory | undefined } = { history: undefined };
  return {
    server,
    dialect: postgresDialect({
      address,
      next,
      onConnect: (history) => (server.history = history),
    }),
    // Migrating a large table takes a long time, and so does waiting for another companion's
    // migration.
    migrationDialect: postgresDialect({
      address: { ...address, poolSize: 1 },
      statementTimeoutMs: 0,
    }),
  };
}

/**
 * Refuses a database without the locks that the store needs. A program calls it before it writes.
 * @throws {AdvisoryLockError}
 */
export async function requireLocks(location: StoreLocation): Promise<void> {
  if (location.kind === 'sqlite') return;
  const { requireAdvisoryLocks } = await import('@financing-checkout/kit/postgres');
  await requireAdvisoryLocks(readStoreUrl(location.url.reveal()));
}

/**
 * Opens the store and migrates it, or checks that it is up to date.
 * @throws {StoreError} when the store is unreachable, read-only, outdated, newer than this program,
 * or a database without advisory locks
 */
export async function openStore(
  location: StoreLocation,
  migrate: 'on-start' | 'never',
  options: StoreOptions = {},
): Promise<Store> {
  const store = await createStore(location, options).catch((error: unknown) => {
    throw storeError(location, error);
  });
  try {
    await requireLocks(location);
    if (migrate === 'on-start') {
      await store.migrate();
    } else {
      const version = await store.version();
      refuseVersion(version);
      if (version.pending.length > 0) {
        throw new StoreError(
          `The store is behind (${version.pending.join(', ')}): run "financing-companion migrate", or leave COMPANION_MIGRATE out.`,
        );
      }
    }
    await refuseReadOnly(store);
    return store;
  } catch (error) {
    await store.close();
    throw storeError(location, error);
  }
}

/**
 * Rejects a read-only file, which stays read-only until an operator acts; a full disk may recover
 * on its own.
 */
async function refuseReadOnly(store: Store): Promise<void> {
  try {
    await store.ping();
  } catch (error) {
    if (unusableSqlite(error) === 'SQLITE_READONLY') throw error;
  }
}

const closed =
  'It has to be a file, and the user of the companion has to be able to write it and its folder.';
/** Advice for SQLite errors, whose own messages have none. */
const advice = new Map([
  ['SQLITE_BUSY', 'Another process has held it for too long: end that one, or try again.'],
  ['SQLITE_READONLY', closed],
  ['SQLITE_CANTOPEN', closed],
  [
    'SQLITE_CORRUPT',
    'Keep it as it is, start from a backup, and compare the orders since then with the service.',
  ],
  ['SQLITE_FULL', 'Make room on its disk.'],
  ['SQLITE_NOTADB', 'That file is of something else: check COMPANION_STORE.'],
]);

/** Converts a store error into one for the operator. */
export function storeError(location: StoreLocation, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (error instanceof StoreEncodingError || error instanceof StoreVersionError)
    return new StoreError(error.message);
  const name = location.kind === 'sqlite' ? location.file : location.name;
  const reason = reasonsOf(error).join(': ');
  const what = advice.get(unusableSqlite(error) ?? '');
  return new StoreError(
    `The store ${name} cannot be used: ${what === undefined ? reason : `${reason}. ${what}`}`,
  );
}
