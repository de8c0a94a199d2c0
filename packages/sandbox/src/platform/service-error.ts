import type { z } from 'zod';

/**
 * Error codes of the service: strings on the wire.
 * Source: docs.chargeafter.com, Charge API and Checkout Management, error bodies.
 */
export const errorCodes = {
  unknown: '1000',
  notFound: '1002',
  fieldValueInvalid: '1005',
  validation: '1110',
  chargeNotFound: '2001',
  alreadyConfirmed: '2002',
  confirmationNotFound: '2004',
  notPermitted: '2006',
  payloadInvalid: '10000',
  fieldRequired: '10001',
  fieldInvalid: '10002',
  optionNotEnabled: '10101',
  optedOut: '10201',
} as const;
type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes];

/** One field that violates its constraint. `error` never includes the value. */
export interface FieldError {
  field: string;
  error: string;
  /** Error code in a 400 of the format `codes`. */
  code?: ErrorCode;
}

/** The content of an error body. */
export interface ErrorDescription {
  status: number;
  /** Code of a 400 of the format `codes`; by default, the code for an invalid payload. */
  code?: ErrorCode | undefined;
  message: string;
  fields?: readonly FieldError[] | undefined;
}

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 422 | 500;

/** An error response of the service. The API creates its body. */
export class ServiceError extends Error implements ErrorDescription {
  override readonly name = 'ServiceError';
  readonly status: ErrorStatus;
  readonly code: ErrorCode | undefined;
  readonly fields: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus,
    code: ErrorCode | undefined,
    message: string,
    more: { fields?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = more.fields;
    this.headers = more.headers ?? {};
  }
}

/** Creates a 422 with field errors (specification 2, Charges API). */
export function invalidFields(fields: readonly FieldError[]): ServiceError {
  return new ServiceError(422, undefined, 'Input Validation Failure', { fields });
}

/** Maximum length of a field name from a request in an error. */
const MAX_NAME = 100;

/** Creates a 400 with a code for each field, as in the operations on links. */
export function invalidPayload(fields: readonly FieldError[]): ServiceError {
  return new ServiceError(400, errorCodes.payloadInvalid, 'Invalid payload', { fields });
}

/**
 * Validates a JSON body. A strict schema rejects unknown fields.
 * @param refusal the error for the violated constraints, 422 by default
 * @throws {ServiceError}
 */
export function checkBody<T extends z.ZodType>(
  schema: T,
  body: unknown,
  refusal: (fields: readonly FieldError[]) => ServiceError = invalidFields,
): z.output<T> {
  // The inputs distinguish a missing field from one of the wrong type. No error includes them.
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw refusal(result.error.issues.slice(0, 50).flatMap(fieldErrors));
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, 50).map((key) => ({
      field: [...path, key.slice(0, MAX_NAME)].join('.'),
      error: 'is not a field of this request',
      code: errorCodes.payloadInvalid,
    }));
  }
  const isMissing =
    (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.input === undefined;
  const field = path.join('.');
  return isMissing
    ? [{ field, error: 'is required', code: errorCodes.fieldRequired }]
    : [{ field, error: issue.message, code: errorCodes.fieldInvalid }];
}
