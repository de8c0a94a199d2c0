import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whose companion was told: only the service of that environment knows the application. */
export const notificationEnvironments: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('notifications').addColumn('environment', 'text').execute();
  },
};
