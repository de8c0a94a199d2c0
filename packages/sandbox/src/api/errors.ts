import { errorCodes, type ErrorDescription, type ServiceError } from '../platform/service-error.ts';
import type { ApiContext, ErrorForm } from './context.ts';

/** Sends an error response in the format that is documented for the operation. */
export function answerError(c: ApiContext, error: ServiceError): Response {
  const body = errorBody(error, c.get('requestId'), c.get('errors'));
  return body === null
    ? c.body(null, error.status, error.headers)
    : c.json(body, error.status, error.headers);
}

/**
 * Returns the documented body of an error, or null where none is defined: 401 and 404 have none.
 * The field names of a 422 are in Pascal case, as in the documented example; its schema has them
 * in camel case.
 */
export function errorBody(
  { status, code, message, fields }: ErrorDescription,
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
    case 403:
    case 400:
      if (form.badRequest === 'message') return { requestId, message };
      return {
        requestId,
        errors: fields?.map(({ field, error, code: own }) => ({
          code: own ?? errorCodes.fieldInvalid,
          description: `${field} ${error}`,
        })) ?? [{ code: code ?? errorCodes.payloadInvalid, description: message }],
      };
    default:
      return { requestId, message };
  }
}

const unknownErrors = {
  '1000': 'Unknown error occurred',
  '1': 'Internal unknown error occurred',
} as const;

/** Converts `cartDetails.items.0.price` to `CartDetails.Items[0].Price`. */
function pascalCase(field: string): string {
  return field
    .split('.')
    .map((name) => name.charAt(0).toUpperCase() + name.slice(1))
    .join('.')
    .replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');
}
