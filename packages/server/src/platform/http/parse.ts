import { checkFields } from '@financing-checkout/contract';
import type { Context } from 'hono';
import type { z } from 'zod';
import { ProblemError } from '../problem.ts';
import type { Env } from './requests.ts';

const jsonType = /^application\/json\s*(?:;|$)/i;

/**
 * Parses the JSON body of a request.
 * @throws {ProblemError} `media-type-unsupported`, or `invalid-request` with an error per field
 */
export function parseBody<Schema extends z.ZodType>(
  c: Context<Env>,
  schema: Schema,
): z.infer<Schema> {
  // Hono's validator skips a body of another type, and would let it through unchecked.
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

/** Parses the query of a request. @throws {ProblemError} `invalid-request` */
export function parseQuery<Schema extends z.ZodType>(
  c: Context<Env>,
  schema: Schema,
): z.infer<Schema> {
  return parseValue(schema, singleValues(c.req.queries()));
}

/**
 * Returns query parameters for a schema. A repeated parameter stays a list, so that the schema refuses
 * it: an answer for its first value would look like an answer for both.
 */
export function singleValues(queries: Record<string, string[]>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );
}

/** Parses a value of a request. @throws {ProblemError} `invalid-request` */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const parsed = checkFields(schema, value);
  if (parsed.success) return parsed.data;
  throw new ProblemError('invalid-request', { errors: parsed.errors });
}
