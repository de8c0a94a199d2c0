import type { Context } from 'hono';
import { sha256 } from '../platform/digest.ts';
import { type QueryContext, reliabilityOf } from '../queries/reliability.ts';
import type { Env } from './env.ts';

/**
 * Responds with JSON and an ETag (RFC 9110 8.8.3), or with 304 if If-None-Match contains the tag.
 * The tag is weak: it ignores `asOf`, the time of the response.
 */
export function answerTagged(c: Context<Env>, value: object): Response {
  const lasting = JSON.stringify(value, (key, member: unknown) =>
    key === 'asOf' ? undefined : member,
  );
  const tag = `W/"${sha256(lasting).slice(0, 32)}"`;
  c.header('etag', tag);
  if (isNoneMatched(c.req.header('if-none-match'), tag)) return c.body(null, 304);
  return c.json(value);
}

/** Maximum number of requests whose last tag is cached. */
const MAX_KNOWN = 256;

/** The last tag of each request, by path and query, and the state of the data behind it. */
type KnownTags = Map<string, { state: string; tag: string }>;
const known = new WeakMap<object, KnownTags>();

/**
 * Responds like {@link answerTagged}. Does not run the query if If-None-Match contains the last tag
 * of the same request, no write has begun or ended since and every day is as proven as then.
 * @param answer depends only on the request, the analytics database, the policy and the reliability
 */
export async function answerUnlessUnchanged(
  c: Context<Env>,
  ctx: QueryContext,
  answer: () => Promise<object>,
): Promise<Response> {
  const { database } = ctx;
  const tags: KnownTags = known.get(database) ?? new Map();
  known.set(database, tags);
  const { pathname, search } = new URL(c.req.url);
  const question = pathname + search;
  const state = JSON.stringify([database.revision(), await reliabilityOf(ctx)]);
  const last = tags.get(question);
  if (last?.state === state && isNoneMatched(c.req.header('if-none-match'), last.tag)) {
    c.header('etag', last.tag);
    return c.body(null, 304);
  }
  const response = answerTagged(c, await answer());
  const tag = response.headers.get('etag');
  // Evicts the oldest request.
  tags.delete(question);
  const [oldest] = tags.keys();
  if (oldest !== undefined && tags.size === MAX_KNOWN) tags.delete(oldest);
  if (tag !== null) tags.set(question, { state, tag });
  return response;
}

/** Compares weakly with each tag of a list, or with a wildcard (RFC 9110 13.1.2). */
function isNoneMatched(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => strong(one) === strong(tag));
}
