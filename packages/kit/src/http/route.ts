import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { RouterRoute } from 'hono/types';
import { findTargetHandler } from 'hono/utils/handler';
import { z } from 'zod';

/**
 * A limit that counts requests before any work. Anonymous callers could exhaust a shared budget and
 * lock others out, so each budget states who it counts.
 */
export interface BudgetTerms {
  /** Which requests count, and where the counter is kept. */
  counts: string;
  spentBy: string;
  neededBy: string;
}

/**
 * The conditions under which a route serves a request. No property is optional: the author of a
 * route must decide, so that a new route does not default to the broadest scope, the highest
 * priority or the largest body.
 */
export interface RouteTerms<
  Scope extends string = string,
  Priority extends string = string,
  Budget extends string = string,
> {
  /** The scope that the caller needs. */
  scope: Scope;
  /**
   * Priorities of the calls to the financing service that the route may make. Empty if it makes
   * none.
   */
  priorities: readonly Priority[];
  /** Rate limits that apply before any work, or the reason why there are none. */
  budgets: readonly [Budget, ...Budget[]] | { none: string };
  /**
   * Maximum body size in bytes, or the setting that defines it. 0 means that the route reads no
   * body.
   */
  maxBodyBytes: number | { setting: string };
}

/** The content of a request or a response. */
export interface Content {
  schema?: z.ZodType;
  /** Empty means no content. @default ['application/json'] */
  contentTypes?: readonly string[];
}

export interface Answer extends Content {
  /** @default 'The answer.' */
  description?: string;
}

/** The parameters of a query by name, such as a zod object. */
export interface Parameters {
  shape: Readonly<Record<string, z.ZodType>>;
}

/**
 * A route: its path, its terms, its description, and the schemas that validate its requests. The
 * guard, the parser, the OpenAPI document and docs/routes.md are derived from it.
 */
export interface RouteDescription<
  Scope extends string = string,
  Priority extends string = string,
  Budget extends string = string,
  Code extends string = string,
> extends RouteTerms<Scope, Priority, Budget> {
  method: 'get' | 'post' | 'delete';
  /** In the router's syntax: `/charges/:chargeId`. */
  path: string;
  summary: string;
  description?: string;
  query?: z.ZodType;
  /** The query parameters for the OpenAPI document, if the query schema is not a single object. */
  parameters?: Parameters;
  /** Required headers, except Authorization, with their descriptions. */
  headers?: Readonly<Record<string, string>>;
  body?: Content & {
    /**
     * The schema for the OpenAPI document, if it is more specific than the one that validates
     * requests.
     */
    documented?: z.ZodType;
    /** Whether the handler reads the body itself, such as a file. */
    isStreamed?: boolean;
  };
  /** By HTTP status or status class. */
  answers: Readonly<Record<string, Answer>>;
  problems?: readonly Code[];
  /** Alternatives: each names security schemes and the scopes that they need. @default none */
  security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** A route description with its operation name for generated clients, such as `getCheckoutId`. */
export type Route<Description extends RouteDescription = RouteDescription> = Description & {
  id: string;
};

/** Creates a route. {@link createServing} serves it. */
export function route<const Description extends RouteDescription>(
  description: Description,
): Route<Description> {
  return { ...description, id: operationId(description) };
}

function operationId({ method, path }: RouteDescription): string {
  const words = path.split(/[^a-zA-Z]+/).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Maps each handler to the route that it serves. */
const routes = new WeakMap<object, Route>();

/** Records which route a handler serves. */
export function noteRoute(handler: object, route: Route): void {
  routes.set(handler, route);
}

/** Returns the route that a handler of an app serves, if it serves one. */
function routeOf({ handler }: RouterRoute): Route | undefined {
  // Hono wraps the handlers of an app that is mounted in another one.
  return routes.get(findTargetHandler(handler));
}

/** Returns the route that answers a request; undefined for 404 and 405. */
export function routeFor(c: Context): Route | undefined {
  for (const handler of matchedRoutes(c)) {
    const route = routeOf(handler);
    if (route !== undefined) return route;
  }
  return undefined;
}

/**
 * Lists the routes of an app, in their order.
 * @throws {TypeError} for a handler that serves no route, so that such an app cannot be built
 */
export function routesOf(app: { routes: readonly RouterRoute[] }): Route[] {
  const found = new Map<string, Route | undefined>();
  for (const handler of app.routes) {
    const { method, path } = handler;
    // Middleware and the 405 handler are registered for all methods.
    if (method === 'ALL') continue;
    const name = `${method} ${path}`;
    const served = routeOf(handler);
    if (served !== undefined || !found.has(name)) found.set(name, served);
  }
  return Array.from(found, ([name, served]) => {
    if (served !== undefined) return served;
    throw new TypeError(
      `${name} states no terms. Serve it with a route: scope, priorities, budgets, maxBodyBytes.`,
    );
  });
}

/** The description of `GET /metrics`, which each program serves to callers with the scope `read`. */
export const metricsRoute = {
  method: 'get',
  path: '/metrics',
  summary: 'Measurements for Prometheus',
  maxBodyBytes: 0,
  answers: {
    200: {
      description: 'Text exposition format.',
      contentTypes: ['text/plain'],
      schema: z.string(),
    },
  },
} as const;
