import type { Context } from 'hono';
import type { z } from 'zod';
import { checkFields } from '../field-errors.ts';
import { ProblemError } from '../problem.ts';
import type { Env } from './requests.ts';

const jsonType = /^application\/json\s*(?:;|$)/i;

/**
 * The JSON body of a request, checked.
 * @throws {ProblemError} `media-type-unsupported`, or `invalid-request` with an error per field
 */
export function parseBody<Schema extends z.ZodType>(
  c: Context<Env>,
  schema: Schema,
): z.infer<Schema> {
  // Checked by hand: a validator that is skipped when the type differs lets everything through.
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

/** The query of a request, checked. @throws {ProblemError} `invalid-request` */
export function parseQuery<Schema extends z.ZodType>(
  c: Context<Env>,
  schema: Schema,
): z.infer<Schema> {
  return parseValue(schema, onlyOnes(c.req.queries()));
}

/**
 * Parameters as they are checked. One that is there twice means two things, and an answer for the
 * first would be taken for one for both: refused, by being no text.
 */
export function onlyOnes(queries: Record<string, string[]>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );
}

/** Input of a request, checked. @throws {ProblemError} `invalid-request` */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const parsed = checkFields(schema, value);
  if (parsed.success) return parsed.data;
  throw new ProblemError('invalid-request', { errors: parsed.errors });
}
