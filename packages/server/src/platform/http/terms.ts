import type { RouteTerms } from '@financing-checkout/kit';
import type { Priority } from '../priority.ts';

/** Limits that count a request before any work, and where they are counted. */
export const budgets = {
  address: 'requests of one client address, per minute and at a time, in memory',
  key: 'requests per minute with the public key, in memory',
  applications:
    'applications to open without a cart, of one client address and of all pages together, in memory',
  order: 'open checkouts, primes and refused charges of one order, in the store',
} as const;
export type Budget = keyof typeof budgets;

/** Terms of the companion's routes. The scope is one of the back office, or says what else the caller needs. */
export type Terms = RouteTerms<string, Priority, Budget> & { maxBodyBytes: number };

/** Maximum bytes of a body without an order ticket. */
export const MAX_SMALL_BODY_BYTES = 65_536;
