import type { FieldError } from '@financing-checkout/contract';
import type { z } from 'zod';

/**
 * What is wrong with which field. Messages are zod's, which name what was expected; the value that
 * was sent is in none of them. Names of unknown fields are input and are left out.
 */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.slice(0, 50).map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issue.code === 'unrecognized_keys' ? 'has a field that is not known' : issue.message,
  }));
}
