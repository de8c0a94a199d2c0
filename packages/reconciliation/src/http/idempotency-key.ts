import type { Context } from 'hono';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';

/** Returns the Idempotency-Key of a request. @throws {ProblemError} `idempotency-key-missing` */
export function idempotencyKey(c: Context<Env>): string {
  const header = c.req.header('idempotency-key');
  if (header !== undefined && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new ProblemError('idempotency-key-missing', {
    detail: 'Send an Idempotency-Key of 1 to 255 printable ASCII characters, new for each action.',
  });
}
