import type { z } from 'zod';

/**
 * Error codes of the service.
 * Source: docs.chargeafter.com, Charge API and Checkout Management, error bodies.
 */
export const errorCodes = {
  unknown: 1000,
  notFound: 1002,
  fieldValueInvalid: 1005,
  chargeNotFound: 2001,
  alreadyConfirmed: 2002,
  confirmationNotFound: 2004,
  notPermitted: 2006,
  payloadInvalid: 10000,
  fieldRequired: 10001,
  fieldInvalid: 10002,
} as const;

/** One field that breaks its constraint. `error` never repeats the value. */
export interface FieldError {
  field: string;
  error: string;
}

export type ErrorStatus = 400 | 401 | 404 | 405 | 413 | 415 | 422 | 500;

/** An answer other than success. Its body is made in one place, with the request's id. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: ErrorStatus;
  readonly code: number | undefined;
  readonly fields: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus,
    code: number | undefined,
    message: string,
    more: { fields?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = more.fields;
    this.headers = more.headers ?? {};
  }

  /** The documented body: `{requestId, message, errors}` for 422, `{requestId, errors}` otherwise. */
  body(requestId: string): Record<string, unknown> {
    if (this.fields) {
      const errors = this.fields.map((field) => ({ ...field, validationState: 'Invalid' }));
      return { requestId, message: this.message, errors };
    }
    if (this.code === undefined) return { requestId, message: this.message };
    return { requestId, errors: [{ code: this.code, description: this.message }] };
  }
}

/** 422 with field errors: a constraint of a field is broken (specification 2, Charges API). */
export function invalidFields(fields: readonly FieldError[]): ServiceError {
  return new ServiceError(422, undefined, 'One or more fields are not valid.', { fields });
}

/** Checks a JSON body; unknown fields are let through. @throws {ServiceError} 422 */
export function checkBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  // With the inputs, an absent field can be told from one of the wrong type. None is repeated.
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw invalidFields(
    result.error.issues.slice(0, 50).map((issue) => ({
      field: issue.path.map(String).join('.'),
      error:
        issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : issue.message,
    })),
  );
}

/** @throws {ServiceError} 400 for a query parameter that breaks its constraint. */
export function invalidParameter(name: string, requirement: string): ServiceError {
  return new ServiceError(400, errorCodes.fieldInvalid, `The parameter ${name} ${requirement}.`);
}
