import { isText } from '@financing-checkout/contract';
import { z } from 'zod';

/** An ID, or its beginning. */
export const searchQuery = z.strictObject({
  q: z.string().trim().min(1).max(256).refine(isText, { error: 'must be text' }),
});
