/** Values that middleware passes to the routes. */
export interface Env {
  Variables: {
    requestId: string;
    /** Name of the request's access token, or of its session's. */
    actor: string;
    problemCode: string | undefined;
    /** Text of the body; empty if the route reads it itself. */
    body: string;
  };
}
