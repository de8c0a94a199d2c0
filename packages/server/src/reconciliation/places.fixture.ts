import { type Insertable, Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { databaseKinds } from '../store/databases.fixture.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import type { OrderExceptionsTable, Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** A migrated store, and its database to put rows in that other parts of the companion write. */
export interface OpenPlace {
  store: Store;
  db: Kysely<Schema>;
  /** A second companion on the same database. */
  another: () => Store;
}

/** The databases a companion can have, by name. */
export const places = databaseKinds.map(
  ({ name, migrated }): [name: string, open: () => Promise<OpenPlace>] => [
    name,
    async () => {
      const { dialect } = await migrated();
      const another = () => {
        const store = createKyselyStore({ dialect: dialect() });
        onTestFinished(() => store.close());
        return store;
      };
      const db = new Kysely<Schema>({ dialect: dialect() });
      onTestFinished(() => db.destroy());
      return { store: another(), db, another };
    },
  ],
);

/** What a recompute found, as it writes it. */
export function exceptionRow(
  change: Partial<Insertable<OrderExceptionsTable>> = {},
): Insertable<OrderExceptionsTable> {
  return {
    environment: 'sandbox',
    order_key: 'order:A-1001',
    currency: 'USD',
    code: 'AMOUNT_MISMATCH',
    amount: -1_500,
    count: 1,
    since: Date.UTC(2026, 10, 18),
    content_hash: 'content-1',
    ...change,
  };
}
