import { z } from 'zod';

/** 400 and 500 of the Charge API: codes are strings. Only plugins document the last two fields. */
export const codesError = z.strictObject({
  requestId: z.string().optional(),
  errors: z
    .array(
      z.strictObject({
        code: z.string().optional(),
        description: z.string().optional(),
        serviceCode: z.string().optional(),
        domainCode: z.string().optional(),
      }),
    )
    .optional(),
});

/** 400 of the checkout, order, transaction, delivery and funding operations. */
export const messageError = z.strictObject({
  requestId: z.string().optional(),
  message: z.string().optional(),
});

const validationError = z.strictObject({
  requestId: z.string().optional(),
  message: z.string().optional(),
  errors: z
    .array(
      z.strictObject({
        field: z.string().optional(),
        validationState: z.string().optional(),
        error: z.string().optional(),
      }),
    )
    .optional(),
});

const spelledValidationError = z.strictObject({
  RequestId: z.string().optional(),
  Message: z.string().optional(),
  Errors: z
    .array(
      z.strictObject({
        Field: z.string().optional(),
        ValidationState: z.string().optional(),
        Error: z.string().optional(),
      }),
    )
    .optional(),
});

/**
 * Returns the schema of a 422. The definition has the names in camel case, its example in Pascal
 * case, so a response may use either, but not both.
 */
export function validationErrorOf(body: unknown): z.ZodType {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return names.some((name) => /^[A-Z]/.test(name)) ? spelledValidationError : validationError;
}
