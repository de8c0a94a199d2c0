import type { z } from 'zod';
import type { ApiContext } from './context.ts';
import type { ErrorForm } from './error-form.ts';

/**
 * Error codes of the service: strings on the wire.
 * Source: docs.chargeafter.com, Charge API and Checkout Management, error bodies.
 */
export const errorCodes = {
  unknown: '1000',
  notFound: '1002',
  fieldValueInvalid: '1005',
  chargeNotFound: '2001',
  alreadyConfirmed: '2002',
  confirmationNotFound: '2004',
  notPermitted: '2006',
  payloadInvalid: '10000',
  fieldRequired: '10001',
  fieldInvalid: '10002',
} as const;
export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes];

/** One field that breaks its constraint. `error` never repeats the value. */
export interface FieldError {
  field: string;
  error: string;
}

export type ErrorStatus = 400 | 401 | 404 | 405 | 413 | 415 | 422 | 500;

/** An answer other than success. {@link answerError} makes its body, with the request's id. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: ErrorStatus;
  /** What a 400 of the form `codes` names; a 400 without one says that the payload is invalid. */
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

/** Answers a call with an error, in the form that is published for its operation. */
export function answerError(c: ApiContext, error: ServiceError): Response {
  const body = errorBody(error, c.get('requestId'), c.get('errors'));
  return body === null
    ? c.body(null, error.status, error.headers)
    : c.json(body, error.status, error.headers);
}

/** What an error body is made of: a {@link ServiceError}, or a fault that looks like one. */
export interface Described {
  status: number;
  code?: ErrorCode | undefined;
  message: string;
  fields?: readonly FieldError[] | undefined;
}

/**
 * Returns the published body of an error, or null where none is defined: 401 and 404 have none. The
 * names of a 422 are spelled as in the published example, in Pascal case; the schema beside it has
 * them in camel case.
 */
export function errorBody(
  { status, code, message, fields }: Described,
  requestId: string,
  form: ErrorForm,
): Record<string, unknown> | null {
  switch (status) {
    case 401:
    case 404:
      return null;
    case 422: {
      const errors = (fields ?? []).map(({ field, error }) => {
        const name = pascalCase(field);
        return { Field: name, ValidationState: 'Invalid', Error: `${name} ${error}` };
      });
      return { RequestId: requestId, Message: 'Input Validation Failure', Errors: errors };
    }
    case 500:
      return {
        requestId,
        errors: [{ code: form.unknown, description: unknownErrors[form.unknown] }],
      };
    case 400:
      if (form.badRequest === 'message') return { requestId, message };
      return {
        requestId,
        errors: [{ code: code ?? errorCodes.payloadInvalid, description: message }],
      };
    default:
      return { requestId, message };
  }
}

const unknownErrors = {
  '1000': 'Unknown error occurred',
  '1': 'Internal unknown error occurred',
} as const;

/** `cartDetails.items.0.price` as `CartDetails.Items[0].Price`. */
function pascalCase(field: string): string {
  return field
    .split('.')
    .map((name) => name.charAt(0).toUpperCase() + name.slice(1))
    .join('.')
    .replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');
}

/** 422 with field errors: a constraint of a field is broken (specification 2, Charges API). */
export function invalidFields(fields: readonly FieldError[]): ServiceError {
  return new ServiceError(422, undefined, 'Input Validation Failure', { fields });
}

/** Characters of a request's own field name that an error repeats. */
const MAX_NAME = 100;

/** Checks a JSON body. A strict schema refuses unknown fields. @throws {ServiceError} 422 */
export function checkBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  // With the inputs, an absent field can be told from one of the wrong type. None is repeated.
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw invalidFields(result.error.issues.slice(0, 50).flatMap(fieldErrors));
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, 50).map((key) => ({
      field: [...path, key.slice(0, MAX_NAME)].join('.'),
      error: 'is not a field of this request',
    }));
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ field: path.join('.'), error: isMissing ? 'is required' : issue.message }];
}

/** @throws {ServiceError} 400 for a query parameter that breaks its constraint. */
export function invalidParameter(name: string, requirement: string): ServiceError {
  return new ServiceError(400, errorCodes.fieldInvalid, `The parameter ${name} ${requirement}.`);
}
