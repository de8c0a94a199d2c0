import type { Funding } from '@financing-checkout/contract';

/** `{"records": […]}` as it comes in: a report of a million records is never whole in memory. */
export async function* fundingsJson(pages: AsyncIterable<Funding[]>): AsyncGenerator<string> {
  let before = '{"records":[';
  for await (const page of pages) {
    // Filtering may leave one empty.
    if (page.length === 0) continue;
    yield before + page.map((funding) => JSON.stringify(funding)).join(',');
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
