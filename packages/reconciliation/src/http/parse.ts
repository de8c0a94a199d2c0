import { checkFields } from '@financing-checkout/contract';
import type { Context } from 'hono';
import type { z } from 'zod';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';

const jsonType = /^application\/json\s*(?:;|$)/i;

/**
 * Returns the validated JSON body of a request.
 * @throws {ProblemError} `media-type-unsupported`, or `invalid-request` with an error per field
 */
export function parseBody<Schema extends z.ZodType>(
  c: Context<Env>,
  schema: Schema,
): z.infer<Schema> {
  // A form on another site cannot send this type.
  if (!jsonType.test(c.req.header('content-type') ?? '')) {
    throw new ProblemError('media-type-unsupported', {
      detail: 'Send "Content-Type: application/json".',
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(c.get('body'));
  } catch {
    throw new ProblemError('invalid-request', { detail: 'The body is not JSON.' });
  }
  return parseValue(schema, value);
}

/** Returns the validated query of a request. @throws {ProblemError} `invalid-request` */
export function parseQuery<Schema extends z.ZodType>(
  c: Context<Env>,
  schema: Schema,
): z.infer<Schema> {
  return parseValue(schema, onlyOnes(c.req.queries()));
}

/** Returns parameters by name. A repeated one stays a list, which no text schema accepts. */
export function onlyOnes(queries: Record<string, string[]>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );
}

/** Validates a value; errors do not repeat it. @throws {ProblemError} `invalid-request` */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const checked = checkFields(schema, value);
  if (checked.success) return checked.data;
  throw new ProblemError('invalid-request', { errors: checked.errors });
}
