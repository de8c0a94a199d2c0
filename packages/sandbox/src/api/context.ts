import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { EnvironmentName } from '../environments/environment.ts';
import type { StruckFault } from '../faults/fault.ts';
import type { ErrorForm } from './error-form.ts';

/** The context of an API request. */
export interface ApiEnv {
  // A test that calls the app directly has no listener and no socket.
  Bindings: Partial<HttpBindings>;
  Variables: {
    environment: EnvironmentName;
    requestId: string;
    /** Name of the operation that handles the request; null before routing. */
    operation: string | null;
    /** The error format of that operation. */
    errors: ErrorForm;
    /** The wire fault that was applied to the call, and its status; null if there was none. */
    struck: { fault: StruckFault; status: number } | null;
    /** Request body as text, read once within the size limit. */
    body: string;
  };
}

export type ApiContext = Context<ApiEnv>;

export function pathParameter(c: ApiContext, name: string): string {
  return c.req.param(name) ?? '';
}
