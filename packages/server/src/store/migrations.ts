import type { Migration, MigrationProvider } from 'kysely/migration';
import { first } from './migrations/0001-first.ts';
import { charges } from './migrations/0002-charges.ts';
import { requestIds } from './migrations/0003-request-ids.ts';
import { retentionIndexes } from './migrations/0004-retention.ts';

/** All migrations, oldest first, for every database. One that has been released is never changed. */
const list: Record<string, Migration> = {
  '0001-first': first,
  '0002-charges': charges,
  '0003-request-ids': requestIds,
  '0004-retention': retentionIndexes,
};

export const migrations: MigrationProvider = { getMigrations: () => Promise.resolve(list) };
