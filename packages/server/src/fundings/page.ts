import { recordsOfPage } from '../service/funding-page.ts';

/** Numbers of which a double may not hold all digits. */
const longAmount = /Amount"\s*:\s*-?[\d.]{16,}/;

/** Returns the records of a page of the service, unread, or undefined where it is no page. */
export function parsePage(bytes: Uint8Array): unknown[] | undefined {
  let page: unknown;
  try {
    const text = decoder.decode(bytes);
    page = longAmount.test(text) ? parseExact(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
  return recordsOfPage(page);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Amounts as the text they were written in (the reviver's third parameter, ECMA-262). */
function parseExact(text: string): unknown {
  const reviver: (
    this: unknown,
    name: string,
    value: unknown,
    context?: { source?: string },
  ) => unknown = (name, value, context) =>
    typeof value === 'number' && name.endsWith('Amount') ? (context?.source ?? value) : value;
  return JSON.parse(text, reviver) as unknown;
}
