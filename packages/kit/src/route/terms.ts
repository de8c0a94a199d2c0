/**
 * On which terms a route serves a request. No member is optional: whoever writes a route decides, so that
 * a new one does not inherit the widest right, the highest priority or the largest body.
 */
export interface RouteTerms<
  Scope extends string = string,
  Priority extends string = string,
  Budget extends string = string,
> {
  /** What the caller needs. */
  scope: Scope;
  /** Priorities of the calls of the financing service that the route may cause. Empty: it causes none. */
  priorities: readonly Priority[];
  /** Limits that count a request before any work, or the reason why there are none. */
  budgets: readonly [Budget, ...Budget[]] | { none: string };
  /** Maximum bytes of the body, or the setting that has it. 0: the route reads none. */
  maxBodyBytes: number | { setting: string };
}

/** A route of a listener. */
export interface StatedRoute<Terms extends RouteTerms> {
  method: string;
  path: string;
  terms: Terms;
}

/** One handler of a route, as Hono lists them. */
interface RouteHandler {
  method: string;
  path: string;
}

/**
 * Lists the routes of a listener, in their order, with the terms that stand before their handlers.
 * @param routes `app.routes`
 * @throws {TypeError} for a route without terms, so that an app with one is not built
 */
export function statedRoutes<Handler extends RouteHandler, Terms extends RouteTerms>(
  routes: readonly Handler[],
  termsOf: (route: Handler) => Terms | undefined,
): StatedRoute<Terms>[] {
  const found = new Map<string, StatedRoute<Terms> | undefined>();
  for (const route of routes) {
    const { method, path } = route;
    // A middleware and the answer 405 have no method of their own.
    if (method === 'ALL') continue;
    const name = `${method} ${path}`;
    const terms = termsOf(route);
    if (terms !== undefined) found.set(name, { method, path, terms });
    else if (!found.has(name)) found.set(name, undefined);
  }
  return Array.from(found, ([name, route]) => {
    if (route !== undefined) return route;
    throw new TypeError(
      `${name} states no terms. Describe it before its handler: scope, priorities, budgets, maxBodyBytes.`,
    );
  });
}
