import { type Dialect, Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { openPostgresBooks } from '../node/fundings/postgres-books.ts';
import { openSqliteBooks } from '../node/fundings/sqlite-books.ts';
import { databaseKinds, type TestDatabase } from '../store/databases.fixture.ts';
import type { Schema } from '../store/schema.ts';
import type { FundingBooks } from './books.ts';

export interface OpenBooks {
  books: FundingBooks;
  /** Days of a share of its syncs; without it as many as there are by default. */
  shareDays?: number;
  /** A second companion on the same database. */
  another: () => FundingBooks;
  db: Kysely<Schema>;
  dialect: () => Dialect;
}

/** The row of a run that has read nothing, but for its id, state and days, and when it began. */
export const runRow = {
  environment: 'sandbox',
  reason: null,
  zone: 'UTC',
  tiers: 0,
  resumed: 0,
  ended_at: null,
  slices_planned: 0,
  slices_done: 0,
  slices_unproven: 0,
  rows: 0,
  changed: 0,
  gone: 0,
  quarantined: 0,
};

/** A migrated database, by its name. */
export const bookPlaces = databaseKinds.map(
  ({ name, migrated }): [name: string, open: () => Promise<OpenBooks>] => [
    name,
    async () => open(await migrated()),
  ],
);

/** And one whose syncs are cut into shares of a day or two, however few days there are. */
export const syncPlaces: typeof bookPlaces = [
  ...bookPlaces,
  ...databaseKinds.flatMap(({ name, migrated }): typeof bookPlaces =>
    name === 'SQLite'
      ? []
      : [[`${name}, in shares`, async () => ({ ...open(await migrated()), shareDays: 2 })]],
  ),
];

function open({ at, dialect }: TestDatabase): OpenBooks {
  const another = () => {
    const books =
      'file' in at ? openSqliteBooks(at.file, 'sandbox') : openPostgresBooks(at.address, 'sandbox');
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= books.close());
    onTestFinished(close);
    return { ...books, close };
  };
  const db = new Kysely<Schema>({ dialect: dialect() });
  onTestFinished(() => db.destroy());
  return { books: another(), another, db, dialect };
}
