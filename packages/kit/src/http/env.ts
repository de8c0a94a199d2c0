import type { Context } from 'hono';
import type { ProblemError } from './problem-error.ts';

/** Values that the middleware of a listener sets for its routes. */
export interface HttpVariables {
  requestId: string;
  /** Name of the request's token, or of its session's. */
  actor: string | undefined;
  /** Scopes of that token, in addition to `read`. */
  scopes: readonly string[] | undefined;
  /** Why the request failed, for the log. */
  problem: ProblemError | undefined;
  /** Text of the body; empty if the route reads it itself. */
  body: string;
  /** Common headers of every answer to this request, with lower-case names. */
  headers: Record<string, string>;
  /** Whether the answer has the common headers already. */
  hasHeaders: boolean | undefined;
}

export interface HttpEnv {
  Variables: HttpVariables;
}

/** Narrows the context of a program, which may have further variables: Hono's type is invariant in them. */
export const ofHttp = (c: Context): Context<HttpEnv> => c as Context<HttpEnv>;
