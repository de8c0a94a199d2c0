import type { Context } from 'hono';
import type { ProblemError } from './problem-error.ts';

/** Values that the middleware of a listener sets for its routes. */
export interface HttpVariables {
  requestId: string;
  /** Name of the token that the request or its session uses. */
  actor: string | undefined;
  /** Scopes of that token, in addition to `read`. */
  scopes: readonly string[] | undefined;
  /** Why the request failed, for the log. */
  problem: ProblemError | undefined;
  /** Text of the body; empty if the route reads the body itself. */
  body: string;
  /** Common headers of every response to this request, with lowercase names. */
  headers: Record<string, string>;
  hasHeaders: boolean | undefined;
}

export interface HttpEnv {
  Variables: HttpVariables;
}

/**
 * Narrows a program's context, which may have more variables: Hono's context type is invariant in
 * its variables.
 */
export const ofHttp = (c: Context): Context<HttpEnv> => c as Context<HttpEnv>;
