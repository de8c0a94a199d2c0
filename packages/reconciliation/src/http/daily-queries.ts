import { isText } from '@financing-checkout/contract';
import { z } from 'zod';

/** An ID, or its beginning. */
export const searchQuery = z.strictObject({
  q: z.string().trim().min(1).max(256).refine(isText, { error: 'must be text' }),
});

const day = z.iso.date({ error: 'must be a day, such as 2026-01-31' });
/** Days of the fundings in the reconciliation zone, both included. */
export const lagsQuery = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code')
    .optional(),
});

export const importsQuery = z.strictObject({
  /** The `next` of the previous page. */
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the "next" of a previous page')
    .transform(Number)
    .optional(),
});
