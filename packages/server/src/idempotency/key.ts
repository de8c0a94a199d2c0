import type { Environment } from '@financing-checkout/contract';
import { ProblemError } from '../platform/problem.ts';

/** Whether a text can be an Idempotency-Key: 1 to 255 printable ASCII characters, no space. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/**
 * The Idempotency-Key of a request. The draft makes it a structured-field string in quotes
 * (draft-ietf-httpapi-idempotency-key-header 2.1), which clients in the wild leave out; both are
 * taken as they are.
 * @throws {ProblemError} `idempotency-key-missing`
 */
export function idempotencyKey(header: string | undefined): string {
  if (header !== undefined && isIdempotencyKey(header)) return header;
  throw keyProblem(header, 'one of 1 to 255 printable ASCII characters');
}

/** The least characters of a key that is a secret: 128 random bits fit in them, also in hexadecimal. */
const LEAST_SECRET = 32;

/**
 * The Idempotency-Key of a prime. It is also the secret of the page for the checkout, so one that
 * could be guessed is refused.
 * @throws {ProblemError} `idempotency-key-missing`
 */
export function primeKey(header: string | undefined): string {
  if (header !== undefined && header.length >= LEAST_SECRET && isIdempotencyKey(header)) {
    return header;
  }
  throw keyProblem(
    header,
    `one of ${LEAST_SECRET} to 255 printable ASCII characters with at least 128 random bits`,
  );
}

/** Says what is wrong with a key, and never the key: it may be the secret of a checkout. */
function keyProblem(header: string | undefined, wanted: string): ProblemError {
  return new ProblemError('idempotency-key-missing', {
    detail: `The Idempotency-Key ${reasonOf(header)}: send ${wanted}, new for each start.`,
  });
}

function reasonOf(header: string | undefined): string {
  if (header === undefined || header === '') return 'is missing';
  if (/\s/.test(header)) return 'holds blanks';
  if (!/^[\x21-\x7e]+$/.test(header)) return 'holds characters outside ASCII';
  return `has ${header.length} characters`;
}

/**
 * A key as it is kept: companions of several environments may share a store, and must not answer for
 * each other. No key from outside has a space in it, so none can be that of another environment.
 */
export function storedKey(environment: Environment, key: string): string {
  return `${environment} ${key}`;
}
