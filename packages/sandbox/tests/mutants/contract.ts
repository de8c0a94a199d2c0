import { findOperation } from '../../src/published/operations.ts';
import type { MutantCall } from './call.ts';

export type Json = Record<string, unknown>;

/** Returns the published name of the operation that a call reaches. */
export const operationOf = (call: MutantCall) => findOperation(call.method, call.path)?.name ?? '';

export const withCode = (status: number, code: string | number): Response =>
  Response.json({ requestId: 'mutant', errors: [{ code, description: '' }] }, { status });
export const withMessage = (status: number): Response =>
  Response.json({ requestId: 'mutant', message: '' }, { status });
export const invalid = (): Response =>
  Response.json(
    { requestId: 'mutant', message: '', errors: [{ field: '', validationState: '', error: '' }] },
    { status: 422 },
  );

/** Operations that return code 2001 for an unknown charge. */
export const onUnknownCharge = [
  ...['charges.get', 'charges.patch', 'charges.settle', 'charges.refund', 'charges.void'],
  ...['charges.void-async', 'charges.synthetic'],
];

export function without(body: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Parses a JSON body; an invalid one counts as empty. */
export function parsed(body: string | undefined): Json {
  try {
    return JSON.parse(body ?? '{}') as Json;
  } catch {
    return {};
  }
}
