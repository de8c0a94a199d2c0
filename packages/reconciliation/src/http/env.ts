/** What the middleware leaves for the routes. */
export interface Env {
  Variables: {
    requestId: string;
    /** Name of the access token that the request came with. */
    actor: string;
    problemCode: string | undefined;
    /** Text of a body that was read; empty where the route reads it itself. */
    body: string;
  };
}
