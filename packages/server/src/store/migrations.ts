import type { Migration, MigrationProvider } from 'kysely/migration';
import { baseline } from './migrations/0001-baseline.ts';

/**
 * All migrations, oldest first, for every database. One that has been released is never changed. Each
 * only adds: companions of the version before go on beside it until they are replaced.
 */
const list: Record<string, Migration> = {
  '0001-baseline': baseline,
};

export const migrations: MigrationProvider = { getMigrations: () => Promise.resolve(list) };
