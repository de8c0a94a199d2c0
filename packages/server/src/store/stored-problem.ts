import { type ProblemCode, problemCodes } from '@financing-checkout/contract/storefront';
import { z } from 'zod';

/** The problem stored for an idempotency key, so that the same response can be returned again. */
export interface StoredProblem {
  code: ProblemCode;
  detail?: string | undefined;
  retrySafe?: boolean | undefined;
  serviceRequestId?: string | undefined;
  errors?: { path: string; message: string }[] | undefined;
}

const storedProblem = z.object({
  code: z.enum(problemCodes as [(typeof problemCodes)[number], ...typeof problemCodes]),
  detail: z.string().optional(),
  retrySafe: z.boolean().optional(),
  serviceRequestId: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

export function parseProblem(text: string | undefined): StoredProblem | undefined {
  return text === undefined ? undefined : storedProblem.parse(JSON.parse(text));
}
