import type { Behaviors } from '../state/behavior.ts';
import type { ApiContext, ErrorForm } from './context.ts';

/** One operation of the service. The call log and faults refer to it by name. */
export interface Operation {
  name: string;
  method: string;
  /** Hono path, relative to the environment's base URL. */
  path: string;
  /** Error format; `commonErrors` by default. */
  errors?: ErrorForm;
  /** Whether the contract also documents `text/plain` and `text/json` for a success. */
  hasThreeMediaTypes?: boolean;
  answer: (c: ApiContext) => Response | Promise<Response>;
}

/**
 * Creates an operation.
 * @param route method and path: `GET /v2/post-sale/orders/:merchantOrderId`
 */
export function operation(
  name: string,
  route: string,
  answer: Operation['answer'],
  more: Pick<Operation, 'errors' | 'hasThreeMediaTypes'> = {},
): Operation {
  const [method = '', path = ''] = route.split(' ');
  return { name, method, path, answer, ...more };
}

/** Runs an operation. Its response has the configured media type. */
export async function carryOut(
  c: ApiContext,
  { answer, hasThreeMediaTypes }: Operation,
  behaviors: Behaviors,
): Promise<Response> {
  const response = await answer(c);
  if (hasThreeMediaTypes !== true) return response;
  const { answerMediaType } = behaviors.read();
  if (answerMediaType !== 'application/json') {
    response.headers.set('Content-Type', `${answerMediaType}; charset=utf-8`);
  }
  return response;
}
