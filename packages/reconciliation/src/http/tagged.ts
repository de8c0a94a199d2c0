import type { Context } from 'hono';
import { sha256 } from '../platform/digest.ts';
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

/** Compares weakly with each tag of a list, or with a wildcard (RFC 9110 13.1.2). */
function isNoneMatched(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => strong(one) === strong(tag));
}
