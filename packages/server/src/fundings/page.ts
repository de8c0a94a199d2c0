/** Numbers of which a double may not hold all digits. */
const longAmount = /Amount"\s*:\s*-?[\d.]{16,}/;

/** What a page of the service holds, untouched, be it records or not. Undefined: it is no page. */
export function parsePage(bytes: Uint8Array): unknown[] | undefined {
  let page: unknown;
  try {
    const text = decoder.decode(bytes);
    page = longAmount.test(text) ? parseExact(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof page !== 'object' || page === null || !('records' in page)) return undefined;
  const { records } = page;
  return Array.isArray(records) ? records : undefined;
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
