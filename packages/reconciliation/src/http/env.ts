import type { Scope } from '../config/tokens.ts';

/** Values that middleware passes to the routes. */
export interface Env {
  Variables: {
    requestId: string;
    /** Name of the request's access token, or of its session's. */
    actor: string;
    /** Scopes of that token, in addition to `read`. */
    scopes: readonly Scope[];
    problemCode: string | undefined;
    /** Text of the body; empty if the route reads it itself. */
    body: string;
  };
}
