import { z } from 'zod';
import { moneySchema } from './money-schema.ts';

/**
 * All error responses of the companion, by stable code, with HTTP status and title. Sent as RFC
 * 9457 `application/problem+json`, where `type` is {@link problemType} of the code.
 */
export const problems = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  'version-unsupported': { status: 400, title: 'This protocol version is not supported' },
  'idempotency-key-missing': { status: 400, title: 'The Idempotency-Key header is missing' },
  'private-key-exposed': {
    status: 400,
    title: 'The private key was sent by a browser: rotate it now',
  },
  'public-key-invalid': { status: 401, title: 'The public key is missing or not the expected one' },
  'token-invalid': { status: 401, title: 'The access token is missing or wrong' },
  'session-ended': { status: 401, title: 'The session has ended: sign in again' },
  'token-not-permitted': { status: 403, title: 'The access token does not permit this' },
  'origin-not-allowed': { status: 403, title: 'This origin may not use the checkout' },
  'not-found': { status: 404, title: 'This address does not exist' },
  'checkout-not-found': { status: 404, title: 'This checkout does not exist' },
  'charge-not-found': { status: 404, title: 'This charge does not exist' },
  'order-not-found': { status: 404, title: 'This order is unknown' },
  'case-not-found': { status: 404, title: 'This case does not exist' },
  'method-not-allowed': { status: 405, title: 'This method is not allowed here' },
  'idempotency-in-flight': { status: 409, title: 'The same request is still in progress' },
  'environment-mismatch': {
    status: 409,
    title: 'The request is for another environment than this program',
  },
  'checkout-not-open': { status: 409, title: 'This checkout has already ended' },
  'order-changed': { status: 409, title: 'The order differs from the approved one' },
  'order-ticket-used': { status: 409, title: 'A checkout is open with this order ticket' },
  'charge-busy': { status: 409, title: 'Another operation on this charge is in progress' },
  'charge-currency-unclear': {
    status: 409,
    title: 'The currency of the charge is not certain',
  },
  'charge-not-permitted': { status: 409, title: 'The state of the charge does not permit this' },
  'operation-not-permitted': {
    status: 409,
    title: 'The state of the operation does not permit this',
  },
  'sync-busy': { status: 409, title: 'Another sync of fundings is in progress' },
  'import-busy': { status: 409, title: 'Another ledger import is in progress' },
  'period-not-found': { status: 404, title: 'This period does not exist' },
  'period-not-ready': { status: 409, title: 'The period cannot be closed yet' },
  'period-changed': { status: 409, title: 'The period has changed since it was prepared or seen' },
  'period-not-permitted': { status: 409, title: 'The state of the period does not permit this' },
  'second-person-required': { status: 409, title: 'A second person has to approve this' },
  'journal-not-found': {
    status: 404,
    title: 'This export of a journal, or its entry, does not exist',
  },
  'journal-empty': { status: 409, title: 'Nothing has moved in this period' },
  'journal-refused': {
    status: 422,
    title: 'The target of the journal would refuse or cut something',
  },
  'lake-not-configured': { status: 409, title: 'This program writes no lake' },
  'case-not-permitted': { status: 409, title: 'The state of the case does not permit this' },
  'case-changed': { status: 409, title: 'The case has changed since it was read' },
  'case-sheet-changed': {
    status: 409,
    title: 'The differences of the sheet are not those that were shown',
  },
  'request-too-large': { status: 413, title: 'The request is too large' },
  'media-type-unsupported': { status: 415, title: 'This content type is not supported' },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
  },
  'order-ticket-invalid': { status: 422, title: 'The order ticket is not valid' },
  'order-ticket-expired': { status: 422, title: 'The order ticket has expired' },
  'amount-exceeds-charge': { status: 422, title: 'The amount exceeds the rest of the charge' },
  'order-totals-mismatch': {
    status: 422,
    title: 'The parts of the order do not add up to its total',
  },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong here' },
  'transfer-coding-unsupported': {
    status: 501,
    title: 'This transfer coding is not supported',
  },
  'service-rejected': { status: 502, title: 'The financing service did not accept the request' },
  'service-answer-invalid': {
    status: 502,
    title: 'The answer of the financing service could not be read',
  },
  'service-key-rejected': { status: 503, title: 'The financing service did not accept the key' },
  'service-unavailable': { status: 503, title: 'The financing service cannot be reached' },
  'store-unavailable': { status: 503, title: 'The store is unavailable' },
  'companion-unavailable': { status: 503, title: 'The companion did not send a valid answer' },
  'lake-unavailable': { status: 503, title: 'The lake cannot be written or read' },
  'provider-unavailable': { status: 503, title: 'The OpenID provider did not answer' },
  'not-ready': { status: 503, title: 'The data is still loading' },
  standby: { status: 503, title: 'This process is on standby and does not write' },
  overloaded: { status: 503, title: 'Too busy to accept this request now' },
  'storage-full': { status: 507, title: 'The server has too little free disk space' },
  'outcome-unknown': { status: 504, title: 'The financing service did not answer in time' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as ProblemCode[];

/**
 * Returns the RFC 9457 `type` of a code: the address of its page in the documentation or, if the
 * documentation has no known address, a URN. The code is the last part of both.
 */
export function problemType(code: ProblemCode, docsUrl?: string): string {
  if (docsUrl === undefined) return `urn:financing-checkout:problem:${code}`;
  return `${docsUrl.replace(/\/$/, '')}/errors/${code}`;
}

/** An error in one field. `path` is dotted ("items.0.price"); the value is never repeated. */
export const fieldErrorSchema = z.object({ path: z.string(), message: z.string() });
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** RFC 9457 problem details with this project's extension members. */
export const problemSchema = z.object({
  type: z.string(),
  code: z.enum(problemCodes as [ProblemCode, ...ProblemCode[]]),
  title: z.string(),
  status: z.int(),
  /** The next step for the developer or operator. */
  detail: z.string().optional(),
  /** The companion's ID of this request: `financing-companion explain <requestId>`. */
  requestId: z.string(),
  /** The financing service's ID of its response, if any. */
  serviceRequestId: z.string().optional(),
  /** Whether it is safe to send the request again with a new Idempotency-Key. */
  retrySafe: z.boolean(),
  errors: z.array(fieldErrorSchema).optional(),
  /**
   * The facts of the detail, for clients that write their own text. `case-not-permitted`: `state` of
   * the case, the refused `action`, and for merged cases `cause` and the case to `use`; `case-changed`: the last change, `kind`, `by` and `at`.
   */
  parameters: z.record(z.string(), z.string()).optional(),
  /** Only with `order-changed`: the approved amount, and the current price of the order. */
  amounts: z.object({ approved: moneySchema, current: moneySchema }).optional(),
});
export type Problem = z.infer<typeof problemSchema>;
