import type { Context } from 'hono';
import { sha256 } from '../../checkout/id.ts';
import type { Env } from '../../http/requests.ts';

/**
 * Answers JSON with an ETag (RFC 9110 8.8.3), or 304 to whom has it already. The tag is weak: `asOf`,
 * the moment of the answer, is not part of what it stands for. It is for programs that ask again and
 * again: no cache keeps an answer of the back office.
 */
export async function answerTagged(c: Context<Env>, value: object): Promise<Response> {
  const text = JSON.stringify(value);
  const lasting = JSON.stringify(value, (key, member: unknown) =>
    key === 'asOf' ? undefined : member,
  );
  const tag = `W/"${(await sha256(lasting)).slice(0, 32)}"`;
  c.header('etag', tag);
  if (isNoneMatched(c.req.header('if-none-match'), tag)) return c.body(null, 304);
  return c.body(text, 200, { 'content-type': 'application/json' });
}

/** RFC 9110 13.1.2: compared weakly, one of a list, or anything. */
function isNoneMatched(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => strong(one) === strong(tag));
}
