import type { Context } from 'hono';
import type { Engine } from '../engine/engine.ts';
import { sha256 } from '../platform/digest.ts';
import { type QueryContext, reliabilityOf } from '../queries/basis/reliability.ts';
import { AnswersOnce } from '../queries/basis/once-a-revision.ts';
import { type Env, clientSignal } from './context.ts';

/** A response body with its tag. */
interface Tagged {
  body: string;
  /** Weak: ignores `asOf`, the time of the response. */
  tag: string;
}

/** Responds with JSON and an ETag (RFC 9110 8.8.3), or with 304 if If-None-Match contains the tag. */
export function answerTagged(c: Context<Env>, value: object): Response {
  return respond(c, taggedOf(value));
}

function taggedOf(value: object): Tagged {
  const lasting = JSON.stringify(value, (key, member: unknown) =>
    key === 'asOf' ? undefined : member,
  );
  return { body: JSON.stringify(value), tag: `W/"${sha256(lasting).slice(0, 32)}"` };
}

function respond(c: Context<Env>, { body, tag }: Tagged): Response {
  c.header('etag', tag);
  if (isNoneMatched(c.req.header('if-none-match'), tag)) return c.body(null, 304);
  return c.body(body, 200, { 'content-type': 'application/json' });
}

/** Responds with an ETag like {@link answerTagged}. */
export const tagged = async (c: Context<Env>, answer: () => Promise<object>) =>
  answerTagged(c, await answer());

/** Responds like {@link answerUnlessUnchanged}. */
export const unlessUnchanged =
  (engine: Pick<Engine, 'data'>) => (c: Context<Env>, answer: () => Promise<object>) =>
    answerUnlessUnchanged(c, engine.data.context(clientSignal(c)), answer);

/** Maximum number of requests whose last response is cached; a list page has about 100 kB. */
const MAX_KNOWN = 64;

/** The last response to each request, by path and query, for each database. */
const known = new WeakMap<object, AnswersOnce<Tagged>>();

/**
 * Responds like {@link answerTagged}. Answers repeated requests from memory until a write ends or
 * the proof of the days changes.
 * @param answer depends only on the request, the analytics database, the policy and the reliability
 */
export async function answerUnlessUnchanged(
  c: Context<Env>,
  ctx: QueryContext,
  answer: () => Promise<object>,
): Promise<Response> {
  const { database } = ctx;
  const answers = known.get(database) ?? new AnswersOnce<Tagged>(MAX_KNOWN);
  known.set(database, answers);
  const { pathname, search } = new URL(c.req.url);
  const revision = database.revision();
  const state = JSON.stringify([revision, await reliabilityOf(ctx)]);
  return respond(
    c,
    await answers.answer(pathname + search, state, async () => taggedOf(await answer())),
  );
}

/** Compares weakly with each tag in a list, or with a wildcard (RFC 9110 13.1.2). */
function isNoneMatched(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => strong(one) === strong(tag));
}
