import type { ProblemCode } from '@financing-checkout/contract';

/** A sentence for each refusal and failure that this console can meet, by its code. */
export const problems = {
  offline: 'The server cannot be reached. Check your connection; nothing is lost.',
  'answer-unreadable': 'The answer was incomplete. Try again.',
  'invalid-request': 'The server does not accept this input.',
  'idempotency-key-missing': 'This page is out of date. Reload it.',
  'token-invalid': 'The access token is missing or wrong.',
  'session-ended': 'Your session has ended. Sign in again to continue.',
  'token-not-permitted': 'Your rights do not include this.',
  'origin-not-allowed': 'The request did not come from this console. Reload the page.',
  'not-found': 'This address does not exist. It may be out of date.',
  'order-not-found': 'No record of this order exists.',
  'case-not-found': 'This case does not exist.',
  'charge-not-found': 'This charge does not exist.',
  'method-not-allowed': 'This page is out of date. Reload it.',
  'idempotency-in-flight': 'This action is still in progress. Wait a moment, then try again.',
  'environment-mismatch': 'The companion uses another environment than this server.',
  'charge-busy': 'Another operation on this charge is in progress. Wait for it, then try again.',
  'charge-currency-unclear': 'The currency of the charge is not certain: choose it first.',
  'charge-not-permitted': 'The state of the charge does not permit this.',
  'operation-not-permitted': 'The state of the operation does not permit this.',
  'amount-exceeds-charge': 'The amount is larger than what is left of the charge.',
  'sync-busy': 'Another sync is in progress. Wait for it, then try again.',
  'import-busy': 'Another import is in progress. Wait for it, then try again.',
  'case-sheet-changed':
    'The file or its cases have changed since, and nothing was applied. Compare again.',
  'case-not-permitted': 'The state of the case does not permit this. Reload the case.',
  'request-too-large': 'The file or text is too large.',
  'media-type-unsupported': 'This kind of file is not supported.',
  'idempotency-key-reused': 'This action was already requested in another way. Reload the page.',
  'rate-limited': 'Too many requests. Wait a moment, then try again.',
  'service-rejected': 'The financing service did not accept the request.',
  'service-answer-invalid': 'The answer of the financing service could not be read.',
  'service-key-rejected':
    'The financing service does not accept the companion’s key. Tell its operator.',
  'service-unavailable': 'The financing service cannot be reached. Try again in a moment.',
  'outcome-unknown': 'The financing service did not answer in time. The action may be done.',
  'store-unavailable': 'The record store does not respond. Try again in a moment.',
  'companion-unavailable':
    'The companion does not respond. Try again: the same action is never done twice.',
  'not-ready': 'The analytics database is being rebuilt. This takes a moment.',
  standby:
    'This process stands by and does not write. Another one takes over within seconds; try again.',
  overloaded: 'The server is too busy at the moment. Try again in a moment.',
  'storage-full': 'The server has too little free disk space. Tell its operator.',
  internal: 'The server has a problem.',
} satisfies Partial<Record<ProblemCode | 'offline' | 'answer-unreadable', string>>;
