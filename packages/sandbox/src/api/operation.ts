import type { Behaviours } from '../behaviour/behaviour.ts';
import type { ApiContext } from './context.ts';
import type { ErrorForm } from './error-form.ts';

/** One operation of the service: its name is what calls, logs and faults know it by. */
export interface Operation {
  name: string;
  method: 'GET' | 'POST' | 'PATCH';
  /** Hono path, below the environment's base address. */
  path: string;
  /** `commonErrors` when absent. */
  errors?: ErrorForm;
  /** Whether a success is published as `text/plain` and `text/json`, too. */
  hasThreeMediaTypes?: boolean;
  answer: (c: ApiContext) => Response | Promise<Response>;
}

/** Carries an operation out. Its answer has the media type that the sandbox is asked to use. */
export async function carryOut(
  c: ApiContext,
  operation: Operation,
  behaviours: Behaviours,
): Promise<Response> {
  const response = await operation.answer(c);
  if (operation.hasThreeMediaTypes !== true) return response;
  const { answerMediaType } = behaviours.read();
  if (answerMediaType !== 'application/json') {
    response.headers.set('Content-Type', `${answerMediaType}; charset=utf-8`);
  }
  return response;
}
