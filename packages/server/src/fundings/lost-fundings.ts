import { inParts } from './apply-slice.ts';
import type { FundingBooks } from './books.ts';
import { identityOfId } from './slice.ts';

/** Those of the fundings that went away which are on no other day either. */
export async function lostOf<Gone extends { id: string; orderKey: string; isLost?: boolean }>(
  books: FundingBooks,
  gone: readonly Gone[],
  batchRows: number,
): Promise<Gone[]> {
  // What is known by its content alone is another one where anything of it is.
  const named = gone.filter(({ id }) => !identityOfId(id).startsWith('c.'));
  const found = new Set<string>();
  for (const part of inParts(named, batchRows)) {
    for (const { id } of await books.elsewhere(part)) found.add(identityOfId(id));
  }
  return named.filter(({ id, isLost }) => isLost === true || !found.has(identityOfId(id)));
}
