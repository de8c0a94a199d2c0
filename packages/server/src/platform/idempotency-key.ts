import type { Environment } from '@financing-checkout/contract/storefront';
import { ProblemError } from './problem.ts';

/**
 * Returns whether a string can be an Idempotency-Key: 1 to 255 printable ASCII characters without
 * spaces.
 */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/**
 * Returns the Idempotency-Key of a request. The draft requires a structured-field string in quotes
 * (draft-ietf-httpapi-idempotency-key-header 2.1), but many clients omit the quotes. Both forms are
 * accepted, as two different keys.
 * @throws {ProblemError} `idempotency-key-missing`
 */
export function idempotencyKey(header: string | undefined): string {
  if (header !== undefined && isIdempotencyKey(header)) return header;
  throw keyProblem(header, '1 to 255 printable ASCII characters');
}

/** Minimum length of a key that is also a secret: 128 random bits in hexadecimal. */
const MIN_SECRET_LENGTH = 32;

/**
 * Returns the Idempotency-Key of a prime. The key is also the page's secret for the checkout, so a
 * key that an attacker could guess is refused.
 * @throws {ProblemError} `idempotency-key-missing`
 */
export function primeKey(header: string | undefined): string {
  if (header !== undefined && header.length >= MIN_SECRET_LENGTH && isIdempotencyKey(header)) {
    return header;
  }
  throw keyProblem(
    header,
    `${MIN_SECRET_LENGTH} to 255 printable ASCII characters with at least 128 random bits`,
  );
}

/**
 * Describes what is wrong with a key without repeating the key, which may be the secret of a
 * checkout.
 */
function keyProblem(header: string | undefined, wanted: string): ProblemError {
  return new ProblemError('idempotency-key-missing', {
    detail: `The Idempotency-Key ${reasonOf(header)}: send ${wanted}, new for each start.`,
  });
}

function reasonOf(header: string | undefined): string {
  if (header === undefined || header === '') return 'is missing';
  if (/\s/.test(header)) return 'contains whitespace';
  if (!/^[\x21-\x7e]+$/.test(header)) return 'contains non-ASCII characters';
  return `has ${header.length} characters`;
}

/**
 * Returns the form in which a key is stored. Companions of several environments may share a store
 * and must not match each other's keys. A client's key contains no space, so it cannot equal a
 * stored key of another environment.
 */
export function storedKey(environment: Environment, key: string): string {
  return `${environment} ${key}`;
}
