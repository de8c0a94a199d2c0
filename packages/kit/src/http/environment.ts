import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './env.ts';

/** Header of requests and answers with the service's environment. */
const NAME = 'financing-environment';

/**
 * Names the program's environment in each answer, and refuses a request for another environment before it
 * has an effect.
 * @param refuse creates the error
 */
export function requireEnvironment(
  environment: string,
  refuse: (detail: string) => Error,
): MiddlewareHandler<HttpEnv> {
  return async function requireEnvironment(c, next) {
    c.header(NAME, environment);
    const wanted = c.req.header(NAME);
    if (wanted !== undefined && wanted !== environment) {
      throw refuse(`This program uses the environment "${environment}".`);
    }
    await next();
  };
}
