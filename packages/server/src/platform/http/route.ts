import { checkFields, type ProblemCode } from '@financing-checkout/contract';
import { createServing, type RouteDescription } from '@financing-checkout/kit/http';
import type { Priority } from '../priority.ts';
import type { Env } from './requests.ts';

/** Rate limits that apply to a request before any work, and where they are counted. */
export const budgets = {
  address: 'requests of one client address, per minute and at a time, in memory',
  key: 'requests per minute with the public key, in memory',
  applications:
    'applications to open without a cart, of one client address and of all pages together, in memory',
  starts:
    'checkouts to begin with a form, of one client address and of one order ticket, in memory',
  order: 'open checkouts, primes and refused charges of one order, in the store',
} as const;
export type Budget = keyof typeof budgets;

/**
 * A route of the companion. Its scope is a back-office scope, or names another requirement for the
 * caller.
 */
export type CompanionRoute = RouteDescription<string, Priority, Budget, ProblemCode> & {
  maxBodyBytes: number;
};

/** Problems of a route that calls the financing service. */
export const serviceProblems = [
  'service-rejected',
  'service-answer-invalid',
  'service-key-rejected',
  'service-unavailable',
  'overloaded',
  'outcome-unknown',
] as const satisfies readonly ProblemCode[];

export const { parseValue, serve } = createServing<Env>(checkFields);
