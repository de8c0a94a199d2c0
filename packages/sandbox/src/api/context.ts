import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { EnvironmentName } from '../environments/environment.ts';
import type { StruckFault } from '../faults/fault.ts';

/** The documented error format of an operation. */
export interface ErrorForm {
  /** Body of a 400: `{requestId, errors: [{code, description}]}`, or `{requestId, message}`. */
  badRequest: 'codes' | 'message';
  /** Code in the body of a 500. */
  unknown: '1000' | '1';
}

/** The format of most operations, and of errors outside operations. */
export const commonErrors: ErrorForm = { badRequest: 'message', unknown: '1' };

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
