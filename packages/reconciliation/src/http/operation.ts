import type { ProblemCode } from '@financing-checkout/contract';
import type { RouteTerms } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { z } from 'zod';
import type { Env } from './env.ts';
import type { Scope } from '../config/tokens.ts';

/** Limits that count a request before any work. */
export const budgets = {
  'sign-ins': 'failed sign-ins per minute of one client address, in memory',
  uploads: 'files that one token sends at the same time, in memory',
  previews: 'previews that wait for the one thread, in memory',
} as const;
export type Budget = keyof typeof budgets;

/** Reason for no budget: reconciliation answers no question of an unknown caller. */
export const ofTokens = { none: 'callers have a token' };

/** Maximum bytes of a body, except for files. */
export const MAX_BODY_BYTES = 65_536;

/** Terms of a question about what reconciliation has itself: it calls no service. */
export const ofQuestion = {
  scope: 'read',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
} as const;

/** Terms of a change in what reconciliation has itself. */
export const ofChange = {
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: MAX_BODY_BYTES,
} as const;

/**
 * One operation of the API: its terms, and its description for the document, with the schemas that
 * validate it. The companion makes the calls of the service, with the priorities of its own routes.
 */
export interface Operation extends RouteTerms<Scope | 'none', 'charge' | 'report', Budget> {
  method: 'get' | 'post' | 'delete';
  /** In the router's form: `/orders/:orderKey`. */
  path: string;
  summary: string;
  description?: string;
  /** Whether only the console's cookie is accepted, no token. */
  isOfSession?: boolean;
  query?: { shape: Readonly<Record<string, z.ZodType>> };
  /** Headers in addition to Authorization, with their purpose. */
  headers?: Readonly<Record<string, string>>;
  body?: { contentTypes: readonly string[]; schema?: z.ZodType };
  /** Response of the status, 200 by default. No content types: without a body. */
  answer: { status?: number; contentTypes?: readonly string[]; schema?: z.ZodType };
  /** Problems in addition to those of every operation. */
  problems?: readonly ProblemCode[];
}

/** A route as Hono lists it. */
interface Route {
  method: string;
  path: string;
}

/** Returns a function that finds the operation of a route. */
export function operationFinder(
  operations: readonly Operation[],
): (route: Route) => Operation | undefined {
  const found = new Map(
    operations.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const),
  );
  return ({ method, path }) => found.get(`${method} ${path}`);
}

/** Returns the route that answers a request; undefined for 404, 405 and files of the console. */
export function routeOf(c: Context<Env>): Route | undefined {
  return matchedRoutes(c).find(({ method }) => method !== 'ALL');
}
