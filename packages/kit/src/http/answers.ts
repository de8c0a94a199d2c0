import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type HttpEnv, ofHttp } from './env.ts';

/**
 * Returns a JSON response with the common headers of the request. `more` are additional headers
 * with lowercase names. Used on the hot path of a purchase instead of `c.json`, which builds a
 * Headers object first: that costs ten times as much as a plain object.
 */
export function answerJson(
  c: Context,
  value: unknown,
  status: ContentfulStatusCode = 200,
  more?: Record<string, string>,
): Response {
  return answer(c, JSON.stringify(value), status, more);
}

/**
 * Returns a handler that answers with a JSON document that never changes. The document is built and
 * encoded once, at the first request: encoding 150 kB costs several times as much as the rest of a
 * request, and a hundred readers would delay all other requests.
 */
export function answerDocument(create: () => unknown): (c: Context) => Response {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  return function answerDocument(c) {
    bytes ??= new TextEncoder().encode(JSON.stringify(create()));
    return answer(c, bytes);
  };
}

function answer(
  c: Context,
  body: string | Uint8Array<ArrayBuffer>,
  status: ContentfulStatusCode = 200,
  more?: Record<string, string>,
): Response {
  const headers = { 'content-type': 'application/json', ...ofHttp(c).get('headers'), ...more };
  // Only Hono knows the headers that `c.header` set, here or in a host application, so Hono must
  // build the response in that case.
  const isSet = !c.body(null).headers.keys().next().done;
  if (isSet) return c.body(body, status, headers);
  c.set('hasHeaders', true);
  return new Response(body, { status, headers });
}

/**
 * Sets the common headers unless {@link answerJson} has set them. Overwrites headers that a host
 * application has set: Hono would keep those, and CORS would allow an origin other than the page's.
 */
export function completeHeaders(c: Context<HttpEnv>): void {
  if (c.get('hasHeaders')) return;
  for (const [name, value] of Object.entries(c.get('headers'))) c.res.headers.set(name, value);
}
