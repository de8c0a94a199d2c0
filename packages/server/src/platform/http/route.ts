import { checkFields, type ProblemCode } from '@financing-checkout/contract/storefront';
import {
  type BudgetTerms,
  createServing,
  type RouteDescription,
} from '@financing-checkout/kit/http';
import type { Priority } from '../priority.ts';
import type { Env } from './requests.ts';

/** Rate limits that apply to a request before any work, and where they are counted. */
export const budgets = {
  address: {
    counts: 'requests of one client address, per minute and at a time, in memory',
    spentBy:
      'programs and allowed pages at that address; no page of another site, whose requests have a budget of their own',
    neededBy: 'shoppers at that address',
  },
  key: {
    counts: 'requests per minute with the public key, in memory',
    spentBy:
      'whoever has the public key, which is in each page; with the defaults from 500 addresses together',
    neededBy: 'all shoppers: it protects the merchant’s account at the service',
  },
  applications: {
    counts:
      'applications to open without a cart, of one client address and of all pages together, in memory',
    spentBy: 'whoever has the public key; those of all together from 30 addresses',
    neededBy: 'shoppers who apply without a cart; checkouts do not need it',
  },
  starts: {
    counts:
      'checkouts to begin with a form, of one client address and of one order ticket, in memory',
    spentBy:
      'whoever has that ticket or that address; no page of another site, whose requests have a budget of their own',
    neededBy: 'shoppers without script',
  },
  order: {
    counts: 'open checkouts, primes and refused charges of one order, in the store',
    spentBy: 'whoever has the ticket of the order or the secret of its checkout',
    neededBy: 'the shopper of that order',
  },
  messages: {
    counts: 'messages to one recipient and those of one token, in the store',
    spentBy: 'tokens with the scope `links`',
    neededBy: 'that recipient, who can be given the address or its QR code instead; that token',
  },
} as const satisfies Record<string, BudgetTerms>;
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
