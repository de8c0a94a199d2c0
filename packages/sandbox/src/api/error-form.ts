/** The published error bodies of an operation. */
export interface ErrorForm {
  /** Of a 400: `{requestId, errors: [{code, description}]}`, or `{requestId, message}`. */
  badRequest: 'codes' | 'message';
  /** Code of a 500. */
  unknown: '1000' | '1';
}

/** The form of most definitions, and of errors outside operations. */
export const commonErrors: ErrorForm = { badRequest: 'message', unknown: '1' };
