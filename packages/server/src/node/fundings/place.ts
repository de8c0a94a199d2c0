import type { Environment } from '@financing-checkout/contract';
import { readPostgresUrl } from '../../config/postgres-url.ts';
import type { FundingBooks } from '../../fundings/books.ts';

/** Where the books are, as it can be told to a thread. */
export type BooksPlace = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

/** Opens the books with a connection of their own; the store has been migrated before. */
export async function openBooks(
  place: BooksPlace,
  environment: Environment,
): Promise<FundingBooks> {
  if (place.kind === 'sqlite') {
    const { openSqliteBooks } = await import('./sqlite-books.ts');
    return openSqliteBooks(place.file, environment);
  }
  const { openPostgresBooks } = await import('./postgres-books.ts');
  return openPostgresBooks(readPostgresUrl(place.url), environment);
}
