import type { Funding, UnreadableFunding } from '@financing-checkout/contract';

const LISTED = 100;

/**
 * Yields `{"records": […]}` with one record per line, so a report of a million records is never
 * complete in memory. Unreadable records come after the others, so that one does not block the rest.
 */
export async function* fundingsJson(
  read: (onUnreadable: (record: UnreadableFunding) => void) => AsyncIterable<Funding[]>,
): AsyncGenerator<string> {
  const unreadable: UnreadableFunding[] = [];
  let unreadableCount = 0;
  const pages = read((record) => {
    unreadableCount += 1;
    if (unreadable.length < LISTED) unreadable.push(record);
  });
  let before = '{"records":[\n';
  for await (const page of pages) {
    // A filter may leave a page empty.
    if (page.length === 0) continue;
    yield before + page.map((funding) => JSON.stringify(funding)).join(',\n');
    before = ',\n';
  }
  const rest =
    unreadableCount === 0 ? '' : `,${JSON.stringify({ unreadable, unreadableCount }).slice(1, -1)}`;
  yield `${before === ',\n' ? '\n' : before}]${rest}}`;
}
