/** The documented error format of an operation. */
export interface ErrorForm {
  /** Body of a 400: `{requestId, errors: [{code, description}]}`, or `{requestId, message}`. */
  badRequest: 'codes' | 'message';
  /** Code in the body of a 500. */
  unknown: '1000' | '1';
}

/** The format of most operations, and of errors outside operations. */
export const commonErrors: ErrorForm = { badRequest: 'message', unknown: '1' };
