import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { bookPlaces } from '../../fundings/books.fixture.ts';

test('who files orders anew keeps others from writing from before it reads', async () => {
  const [, open] = bookPlaces.find(([name]) => name === 'SQLite') ?? [];
  if (!open) throw new Error('There is no SQLite.');
  const { books, db } = await open();
  const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(db);
  const other = new DatabaseSync(rows[0]?.file ?? '', { timeout: 0 });
  onTestFinished(() => other.close());
  let isAsked = false;
  await books.rewrite([], () => {
    isAsked = true;
    // Written by somebody else now, what has been read would be old, and could not be written upon.
    expect(() => other.exec(`delete from leases`)).toThrow('database is locked');
    return { now: 1, changed: [], gone: [] };
  });
  expect(isAsked).toBe(true);
  other.exec(`delete from leases`);
});
