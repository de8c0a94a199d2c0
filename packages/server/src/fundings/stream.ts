import type { Funding, UnreadableFunding } from '@financing-checkout/contract';

const LISTED = 100;

/**
 * `{"records": […]}` as it comes in: a report of a million records is never whole in memory. Behind
 * them, what cannot be read: one record must not keep all others back.
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
  let before = '{"records":[';
  for await (const page of pages) {
    // Filtering may leave one empty.
    if (page.length === 0) continue;
    yield before + page.map((funding) => JSON.stringify(funding)).join(',');
    before = ',';
  }
  const rest =
    unreadableCount === 0 ? '' : `,${JSON.stringify({ unreadable, unreadableCount }).slice(1, -1)}`;
  yield `${before === ',' ? '' : before}]${rest}}`;
}
