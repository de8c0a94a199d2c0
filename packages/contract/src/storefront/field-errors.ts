import type { FieldError } from './problem.ts';
import type { z } from 'zod';

const MAX_ERRORS = 50;

/** Maximum number of errors in one sentence. */
const MAX_NAMED = 8;

/**
 * Matches a field name. A client may send a value in place of a name: an email address, a number or
 * one of the service's API keys does not match.
 */
const fieldName = /^[A-Za-z_]{1,40}\d{0,2}$/;

/**
 * Validates a value against a schema and returns the parsed value or the field errors. No message
 * contains the value; a message contains a key of the input only if it looks like a field name.
 */
export function checkFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { success: true; data: z.output<Schema> } | { success: false; errors: FieldError[] } {
  const checked = schema.safeParse(value, { error: inWords });
  if (checked.success) return checked;
  const errors = checked.error.issues.slice(0, MAX_ERRORS).map(({ message, path }) => ({
    path: path.map(segment).join('.'),
    message,
  }));
  return { success: false, errors };
}

/** Returns a path segment, or "*" for a name that may be a value. */
function segment(part: PropertyKey): string {
  return typeof part === 'number' || fieldName.test(String(part)) ? String(part) : '*';
}

/** Returns the errors as one sentence with paths and reasons, never a value. */
export function describeFields(errors: readonly FieldError[]): string {
  const named = errors
    .slice(0, MAX_NAMED)
    .map(({ path, message }) => `${path || 'the body'} ${message}`);
  const more = errors.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** Returns the message for a schema without one. Zod's own messages name internal types. */
export function inWords(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.filter((name) => fieldName.test(name)).slice(0, MAX_NAMED);
    return `has an unknown field${names.length > 0 ? `: ${names.join(', ')}` : ''}`;
  }
  if (issue.input === undefined) return 'is missing';
  if (issue.code === 'invalid_type') return `must be ${kinds[issue.expected] ?? 'of another kind'}`;
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'invalid_format') {
    return formats[issue.format] ?? 'has an invalid format';
  }
  if (issue.code === 'too_small') return atLeast(issue.origin, issue.minimum);
  if (issue.code === 'too_big') return atMost(issue.origin, issue.maximum);
  return 'is invalid';
}

const kinds: Partial<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  // A repeated query parameter arrives as a list.
  string: 'one text',
};

const formats: Partial<Record<string, string>> = {
  date: 'must be a day, such as 2026-01-31',
  datetime: 'must be an ISO 8601 date-time',
  email: 'must be an e-mail address',
  url: 'must be a web address',
};

function atLeast(origin: string, minimum: number | bigint): string {
  if (origin === 'string' || origin === 'array') {
    return minimum === 1 ? 'must not be empty' : `must have at least ${minimum} ${partsOf(origin)}`;
  }
  return `must be at least ${minimum}`;
}

function atMost(origin: string, maximum: number | bigint): string {
  return origin === 'string' || origin === 'array'
    ? `must have at most ${maximum} ${partsOf(origin)}`
    : `must be at most ${maximum}`;
}

const partsOf = (origin: 'string' | 'array') => (origin === 'string' ? 'characters' : 'entries');
