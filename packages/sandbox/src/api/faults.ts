import { ServerResponse } from 'node:http';
import type { Faults } from '../faults/faults.ts';
import { answerWith } from '../faults/wire.ts';
import type { ApiContext } from './context.ts';
import { ServiceError } from './errors.ts';
import type { Operation } from './operation.ts';

/**
 * Answers a call, or lets a wire fault do so. Only calls that would reach the operation count: a
 * wrong key is answered with 401 as ever.
 */
export async function answerOrStrike(
  c: ApiContext,
  operation: Operation,
  faults: Faults,
): Promise<Response> {
  const { outgoing } = c.env;
  // Without a listener there is no wire.
  if (!(outgoing instanceof ServerResponse)) return operation.answer(c);
  const fault = faults.strike(operation.name, c.get('environment'));
  if (!fault) return operation.answer(c);
  const { response, status } = await answerWith(fault, {
    outgoing,
    requestId: c.get('requestId'),
    perform: () => perform(c, operation),
    ending: faults.ending,
  });
  const { id, kind, when } = fault;
  c.set('struck', { fault: { id, kind, when }, status });
  return response;
}

/** A refusal of the operation is an answer like any other, and may be lost like any other. */
async function perform(c: ApiContext, operation: Operation): Promise<Response> {
  try {
    return await operation.answer(c);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return c.json(error.body(c.get('requestId')), error.status, error.headers);
  }
}
