import type { Hono } from 'hono';
import { ProblemError } from '../problem.ts';
import type { Env } from './requests.ts';

/**
 * Answers 405 to what comes with another method; it has to name those there are (RFC 9110 15.5.6).
 * HEAD is answered wherever GET is.
 */
export function refuseMethod(...answered: readonly string[]): () => never {
  const allow = answered.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  return function refuseMethod() {
    throw new ProblemError('method-not-allowed', { allow: allow.join(', ') });
  };
}

/** Does so for every path that an API has by now. */
export function refuseOtherMethods(app: Hono<Env>): void {
  const answered = app.routes.filter(({ method }) => method !== 'ALL');
  for (const [path, routes] of Map.groupBy(answered, (route) => route.path)) {
    app.all(path, refuseMethod(...routes.map(({ method }) => method)));
  }
}
