import type { Hono } from 'hono';
import { ProblemError } from '../problem.ts';
import type { Env } from './requests.ts';

/**
 * Returns a handler that answers 405 and lists the allowed methods (RFC 9110 15.5.6). HEAD is allowed
 * if GET is.
 */
export function refuseMethod(...answered: readonly string[]): () => never {
  const allow = answered.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  return function refuseMethod() {
    throw new ProblemError('method-not-allowed', { allow: allow.join(', ') });
  };
}

/** Answers 405 to other methods on every path that the API has at the time of the call. */
export function refuseOtherMethods(app: Hono<Env>): void {
  const answered = app.routes.filter(({ method }) => method !== 'ALL');
  for (const [path, routes] of Map.groupBy(answered, (route) => route.path)) {
    // A described route has two handlers: its description and its own.
    app.all(path, refuseMethod(...new Set(routes.map(({ method }) => method))));
  }
}
