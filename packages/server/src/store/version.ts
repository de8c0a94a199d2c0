import {
  applyPending as apply,
  isSqlite,
  readVersion as read,
  refuseNewer as refuse,
  type StoreVersion,
} from '@financing-checkout/kit/sql';
import { type Kysely, sql } from 'kysely';
import { migrations } from './migrations.ts';

const PROGRAM = 'the companion';

/** The database is unsuitable for the store. The message says what to do. */
export class StoreEncodingError extends Error {
  override readonly name = 'StoreEncodingError';
}

/**
 * Reads the version of a store. Changes nothing.
 * @throws {StoreEncodingError}
 */
export async function readVersion<Tables>(db: Kysely<Tables>): Promise<StoreVersion> {
  await refuseEncoding(db);
  return read(db, migrations);
}

/**
 * Refuses a database encoding in which a name with unsupported characters would break its checkout
 * and every sync.
 */
async function refuseEncoding<Tables>(db: Kysely<Tables>): Promise<void> {
  if (isSqlite(db)) return;
  const query = sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`;
  const encoding = (await query.execute(db)).rows[0]?.encoding ?? '';
  if (/^utf-?8$/i.test(encoding)) return;
  throw new StoreEncodingError(
    `The database has the encoding ${encoding}, which cannot store every text: create one with "create database … encoding 'UTF8' template template0".`,
  );
}

/** Refuses a store that a newer version of the program has migrated. @throws {NewerStoreError} */
export function refuseNewer(version: StoreVersion): void {
  refuse(version, PROGRAM);
}

/**
 * Applies all pending migrations or none. Returns their names.
 * @throws {StoreEncodingError | NewerStoreError}
 */
export async function applyPending<Tables>(db: Kysely<Tables>): Promise<string[]> {
  await refuseEncoding(db);
  return apply(db, migrations, PROGRAM);
}
