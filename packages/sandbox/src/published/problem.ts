import type { z } from 'zod';

/** One difference between a body and its documented shape. It contains no value of the body. */
export interface BodyProblem {
  /** Location in the body: `records[].status`; empty for the whole body. */
  path: string;
  reason: string;
  /**
   * Whether the body only adds to the documented shape. The service may add fields and bodies at
   * any time, so a client must accept them. Source: reference, API changes guidelines.
   */
  unpublished: boolean;
}

/** Returns the differences that zod found in a body, without duplicates. */
export function problemsOf({ issues }: z.ZodError, body: unknown): BodyProblem[] {
  const problems = issues.flatMap((issue): BodyProblem[] => {
    const path = placeOf(issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: placeOf([...issue.path, key]),
        reason: 'the field is not published',
        unpublished: true,
      }));
    }
    return [
      {
        path,
        reason: isMissing(body, issue.path) ? 'the required field is missing' : reasonOf(issue),
        unpublished: false,
      },
    ];
  });
  const byText = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...byText.values()];
}

/** Returns a path without indexes, so that an error in a thousand records is one problem. */
function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, part) => {
    if (typeof part === 'number') return `${place}[]`;
    return place === '' ? safeName(String(part)) : `${place}.${safeName(String(part))}`;
  }, '');
}

/** Returns the name of a field, unless it is unusual, because it may then contain a value. */
function safeName(name: string): string {
  return /^[A-Za-z][A-Za-z]{0,39}$/.test(name) ? name : '(a field with an odd name)';
}

function isMissing(body: unknown, path: readonly PropertyKey[]): boolean {
  const value = path.reduce<unknown>(
    (inside, part) => (inside as Record<PropertyKey, unknown> | undefined)?.[part],
    body,
  );
  return path.length > 0 && value === undefined;
}

/** Returns our own message, because a later version of zod may include values in its messages. */
function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `the value is not of type ${issue.expected}`;
  if (issue.code === 'invalid_value') {
    return `the value is none of the published: ${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'invalid_format') return `the value is not in the format ${issue.format}`;
  return 'the value is not as published';
}
