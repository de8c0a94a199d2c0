import { isText } from '@financing-checkout/contract/back-office';
import { z } from 'zod';
import { parseValue } from './context.ts';

/** Describes a paginated operation. */
export const paged = 'Paged by cursor: new orders neither repeat nor hide others.';

/** Encodes a position in a list as an opaque string. */
export function cursorOf(...position: string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Splits rows that were read with one extra row: returns the page, and its last row if more follow. */
export function pageOf<Row>(rows: readonly Row[], limit: number) {
  return { page: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined };
}

/** Returns the position in a list. @throws {ProblemError} `invalid-request` for a cursor of another list */
export function positionOf<Position>(after: string | undefined, cursor: z.ZodType<Position>) {
  return parseValue(z.object({ after: cursor.optional() }), { after }).after;
}

/** Creates the schema of a query parameter that contains a position of `parts` strings. */
export function cursorSchema(parts: number) {
  const schema = z.array(z.string().refine(isText)).length(parts);
  return z
    .string()
    .max(4_096)
    .transform((text, context) => {
      try {
        const bytes = Buffer.from(text, 'base64url');
        const position: unknown = JSON.parse(
          new TextDecoder('utf-8', { fatal: true }).decode(bytes),
        );
        const parsed = schema.safeParse(position);
        if (parsed.success) return parsed.data;
      } catch {
        // Invalid base64 or JSON leads to the same error as a cursor of another list.
      }
      context.addIssue({ code: 'custom', message: 'must be the "next" of a previous page' });
      return z.NEVER;
    });
}
