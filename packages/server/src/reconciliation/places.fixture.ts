import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, type Insertable, Kysely } from 'kysely';
import { afterEach, inject } from 'vitest';
import { readPostgresUrl } from '../config/postgres-url.ts';
import { postgresDialect } from '../node/postgres.ts';
import { sqliteDialect } from '../node/sqlite.ts';
import { createDatabase } from '../postgres.fixture.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import type { OrderExceptionsTable, Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A migrated store, and its database to put rows in that other parts of the companion write. */
export interface OpenPlace {
  store: Store;
  db: Kysely<Schema>;
  /** A second companion on the same database. */
  another: () => Store;
}

const databases: [string, () => Promise<() => Dialect>][] = [
  [
    'SQLite',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
      cleanups.push(() => rmSync(folder, { recursive: true }));
      return Promise.resolve(() => sqliteDialect(join(folder, 'companion.db')));
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const address = readPostgresUrl(await createDatabase(inject('postgresUrl')));
      return () => postgresDialect({ address });
    },
  ],
];

/** The databases a companion can have, by name. */
export const places = databases.map(([name, make]): [string, () => Promise<OpenPlace>] => [
  name,
  async () => {
    const dialect = await make();
    const open = () => {
      const store = createKyselyStore({ dialect: dialect() });
      cleanups.push(() => store.close());
      return store;
    };
    const store = open();
    await store.migrate();
    const db = new Kysely<Schema>({ dialect: dialect() });
    cleanups.push(() => db.destroy());
    return { store, db, another: open };
  },
]);

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
