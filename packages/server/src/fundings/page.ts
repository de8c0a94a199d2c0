/** Numbers of which a double may not hold all digits. */
const longAmount = /Amount"\s*:\s*-?[\d.]{16,}/;

/** A page of the service, its records untouched. Undefined: it is not one. */
export function parsePage(bytes: Uint8Array): Record<string, unknown>[] | undefined {
  let page: unknown;
  try {
    const text = decoder.decode(bytes);
    page = longAmount.test(text) ? parseExact(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof page !== 'object' || page === null || !('records' in page)) return undefined;
  const { records } = page;
  return Array.isArray(records) && records.every(isObject) ? records : undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
