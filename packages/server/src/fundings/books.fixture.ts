import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, Kysely } from 'kysely';
import { afterEach, inject } from 'vitest';
import { readPostgresUrl } from '../config/postgres-url.ts';
import { openPostgresBooks } from '../node/fundings/postgres-books.ts';
import { openSqliteBooks } from '../node/fundings/sqlite-books.ts';
import { postgresDialect } from '../node/postgres.ts';
import { sqliteDialect } from '../node/sqlite.ts';
import { createDatabase } from '../postgres.fixture.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import type { Schema } from '../store/schema.ts';
import type { FundingBooks } from './books.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export interface OpenBooks {
  books: FundingBooks;
  /** A second companion on the same database. */
  another: () => FundingBooks;
  db: Kysely<Schema>;
  dialect: () => Dialect;
}

/** A migrated database, by its name. */
export const bookPlaces: [name: string, open: () => Promise<OpenBooks>][] = [
  [
    'SQLite',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'fundings-'));
      cleanups.push(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'companion.db');
      return open(
        () => sqliteDialect(file),
        () => openSqliteBooks(file, 'sandbox'),
      );
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const address = readPostgresUrl(await createDatabase(inject('postgresUrl')));
      return open(
        () => postgresDialect({ address }),
        () => openPostgresBooks(address, 'sandbox'),
      );
    },
  ],
];

async function open(dialect: () => Dialect, openBooks: () => FundingBooks): Promise<OpenBooks> {
  const store = createKyselyStore({ dialect: dialect() });
  await store.migrate();
  await store.close();
  const another = () => {
    const books = openBooks();
    cleanups.push(() => books.close());
    return books;
  };
  const db = new Kysely<Schema>({ dialect: dialect() });
  cleanups.push(() => db.destroy());
  return { books: another(), another, db, dialect };
}
