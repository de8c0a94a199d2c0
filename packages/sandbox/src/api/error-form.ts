/** The error bodies that an operation is published with. */
export interface ErrorForm {
  /** Of a 400: `{requestId, errors: [{code, description}]}`, or `{requestId, message}`. */
  badRequest: 'codes' | 'message';
  /** Code of a 500. */
  unknown: '1000' | '1';
}

/** The form of most definitions, and of what no operation answers. */
export const commonErrors: ErrorForm = { badRequest: 'message', unknown: '1' };
