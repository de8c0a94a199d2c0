import type { z } from 'zod';

/**
 * Describes the expected value for a schema without an error message, because zod's messages use
 * type names.
 */
export function inWords(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return 'has an unknown field';
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
