import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Env } from './requests.ts';

/**
 * Answers JSON, with the headers that every answer to this request has. `more` are further ones,
 * under lower-case names.
 */
export function answerJson(
  c: Context<Env>,
  value: unknown,
  status: ContentfulStatusCode = 200,
  more?: Record<string, string>,
): Response {
  const text = JSON.stringify(value);
  const headers = { 'content-type': 'application/json', ...c.get('headers'), ...more };
  // Hono keeps what was set by `c.header`, here or in a host application, to itself: it has to make
  // such an answer. It makes a Headers object, which costs ten times as much as the names do.
  const isSet = !c.body(null).headers.keys().next().done;
  if (isSet) return c.body(text, status, headers);
  c.set('hasHeaders', true);
  return new Response(text, { status, headers });
}

/**
 * Sets what {@link answerJson} has set already; anew where a host application has begun the answer: Hono
 * puts what it wrote over ours, and a page would be named another origin than its own.
 */
export function completeHeaders(c: Context<Env>): void {
  if (c.get('hasHeaders')) return;
  for (const [name, value] of Object.entries(c.get('headers'))) c.res.headers.set(name, value);
}
