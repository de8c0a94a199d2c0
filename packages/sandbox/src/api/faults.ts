import { ServerResponse } from 'node:http';
import { answerWith } from '../faults/wire.ts';
import type { Service } from '../service.ts';
import type { ApiContext } from './context.ts';
import { ServiceError } from '../platform/service-error.ts';
import { answerError, errorBody } from './errors.ts';
import { carryOut, type Operation } from './operation.ts';

/**
 * Runs an operation, or lets a wire fault handle the call. Only authorized calls of an operation
 * count: a wrong key still gets a 401.
 */
export async function answerOrStrike(
  c: ApiContext,
  operation: Operation,
  { behaviors, faults }: Service,
): Promise<Response> {
  const { outgoing } = c.env;
  // Without a listener there is no connection to break.
  if (!(outgoing instanceof ServerResponse)) return carryOut(c, operation, behaviors);
  const fault = faults.strike(operation.name, c.get('environment'));
  if (!fault) return carryOut(c, operation, behaviors);
  const { response, status } = await answerWith(fault, {
    outgoing,
    requestId: c.get('requestId'),
    perform: async () => {
      try {
        return await carryOut(c, operation, behaviors);
      } catch (error) {
        // A fault may lose an error response like any other response.
        if (!(error instanceof ServiceError)) throw error;
        return answerError(c, error);
      }
    },
    errorBody: (described) => errorBody(described, c.get('requestId'), c.get('errors')),
    ending: faults.ending,
  });
  const { id, kind, when } = fault;
  c.set('struck', { fault: { id, kind, when }, status });
  return response;
}
