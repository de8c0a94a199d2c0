import type { Environment } from '@financing-checkout/contract';
import { readPostgresUrl } from '../../config/postgres-url.ts';
import type { FundingBooks } from '../../fundings/books.ts';
import { tellingUnavailable } from '../../store/unavailable.ts';

/** Where the books are, as it can be told to a thread. */
export type BooksPlace = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

/**
 * Opens the books with a connection of their own; the store has been migrated before. That they
 * cannot be asked is told as by the store.
 */
export async function openBooks(
  place: BooksPlace,
  environment: Environment,
): Promise<FundingBooks> {
  return tellingUnavailable(await booksAt(place, environment));
}

async function booksAt(place: BooksPlace, environment: Environment): Promise<FundingBooks> {
  if (place.kind === 'sqlite') {
    const { openSqliteBooks } = await import('./sqlite-books.ts');
    return openSqliteBooks(place.file, environment);
  }
  const { openPostgresBooks } = await import('./postgres-books.ts');
  return openPostgresBooks(readPostgresUrl(place.url), environment);
}
