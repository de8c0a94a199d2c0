/** Fields of an error body, in both published spellings. */
const errorFields = ['errors', 'Errors', 'message', 'Message', 'requestId', 'RequestId'];

/**
 * Returns the records of a page of fundings, each still to be read, or undefined where the body is
 * no page. `records` is not required (reference: Funding API): a page without it is empty, unless it
 * is an error body that came with a 2xx.
 */
export function recordsOfPage(body: unknown): unknown[] | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { records } = body as { records?: unknown };
  if (Array.isArray(records)) return records as unknown[];
  const isEmpty = records === undefined || records === null;
  return isEmpty && !errorFields.some((field) => field in body) ? [] : undefined;
}
