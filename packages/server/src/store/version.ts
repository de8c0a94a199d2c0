import {
  applyPending as apply,
  isSqlite,
  readVersion as read,
  refuseVersion as refuse,
  type StoreVersion,
  versionProblem as problemOf,
} from '@financing-checkout/kit/sql';
import { type Kysely, sql } from 'kysely';
import { BASELINE, migrations } from './schema.ts';

const schema = {
  migrations,
  program: 'the companion',
  oldest: BASELINE,
  replacement: 'name a new, empty store in COMPANION_STORE',
};

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
 * Refuses a database encoding that lacks characters: a name with such a character would break its
 * checkout and every sync.
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

/** Returns why the companion cannot use a store, and what to do. */
export const versionProblem = (version: StoreVersion) => problemOf(version, schema);

/** Refuses a store of a newer or an unsupported version. @throws {StoreVersionError} */
export const refuseVersion = (version: StoreVersion) => refuse(version, schema);

/**
 * Applies all pending migrations or none. Returns their names.
 * @throws {StoreEncodingError | StoreVersionError}
 */
export async function applyPending<Tables>(db: Kysely<Tables>): Promise<string[]> {
  await refuseEncoding(db);
  return apply(db, schema);
}
