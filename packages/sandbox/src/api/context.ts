import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { EnvironmentName } from '../environments/environment.ts';
import type { StruckFault } from '../faults/fault.ts';
import type { ErrorForm } from './error-form.ts';

/** What each API request carries from the first step to the last. */
export interface ApiEnv {
  // Without a listener (a test that calls the app directly) there is no socket.
  Bindings: Partial<HttpBindings>;
  Variables: {
    environment: EnvironmentName;
    requestId: string;
    /** Set by the route that answers; null while none has. */
    operation: string | null;
    /** The error bodies of the operation that answers. */
    errors: ErrorForm;
    /** The wire fault that strikes the call, and the status it leaves; null without one. */
    struck: { fault: StruckFault; status: number } | null;
    /** Text of the body, read once, with its size checked. */
    body: string;
  };
}

export type ApiContext = Context<ApiEnv>;

/** A path parameter that the route's own path names. */
export function pathParameter(c: ApiContext, name: string): string {
  return c.req.param(name) ?? '';
}
