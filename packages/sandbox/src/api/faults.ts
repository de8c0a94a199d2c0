import { ServerResponse } from 'node:http';
import { answerWith } from '../faults/wire.ts';
import type { Service } from '../service.ts';
import type { ApiContext } from './context.ts';
import { answerError, errorBody, ServiceError } from './errors.ts';
import { carryOut, type Operation } from './operation.ts';

/**
 * Answers a call, or lets a wire fault do so. Only calls that would reach the operation count: a
 * wrong key is answered with 401 as ever.
 */
export async function answerOrStrike(
  c: ApiContext,
  operation: Operation,
  { behaviours, faults }: Service,
): Promise<Response> {
  const { outgoing } = c.env;
  // Without a listener there is no wire.
  if (!(outgoing instanceof ServerResponse)) return carryOut(c, operation, behaviours);
  const fault = faults.strike(operation.name, c.get('environment'));
  if (!fault) return carryOut(c, operation, behaviours);
  const { response, status } = await answerWith(fault, {
    outgoing,
    requestId: c.get('requestId'),
    perform: async () => {
      try {
        return await carryOut(c, operation, behaviours);
      } catch (error) {
        // A refusal of the operation is an answer like any other, and may be lost like any other.
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
