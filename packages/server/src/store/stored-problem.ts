import { type ProblemCode, problemCodes } from '@financing-checkout/contract/storefront';
import { z } from 'zod';

/** The problem stored for an idempotency key, so that the same response can be returned again. */
export const storedProblemSchema = z.object({
  code: z.enum(problemCodes as [ProblemCode, ...ProblemCode[]]),
  detail: z.string().optional(),
  retrySafe: z.boolean().optional(),
  serviceRequestId: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type StoredProblem = z.infer<typeof storedProblemSchema>;
