import { encodingsOf, hexOf, type Readings, readingsOf } from './encodings.ts';
import { inHexadecimal } from '../platform/id.ts';
import { isInQuotationMarks } from '@financing-checkout/kit/env';
import { equalInConstantTime, Redacted } from '@financing-checkout/kit';

/** A key as an HTTP field value: visible ASCII without spaces (RFC 6750 2.1 is narrower still). */
const keyText = /^[\x21-\x7e]{16,512}$/;

let read: (key: PrivateKey) => string;

/**
 * The Private API Key (specification 5). It cannot be read: only the service client turns it into
 * an Authorization header ({@link authorizationOf}).
 */
export class PrivateKey extends Redacted {
  readonly #value: string;
  readonly #encodings: readonly string[];
  readonly #hex: string;

  /** @throws {TypeError} when the value cannot be a key; the message never contains it */
  constructor(value: string) {
    super();
    if (!PrivateKey.isPossible(value)) {
      throw new TypeError(
        'A private key is 16 to 512 visible ASCII characters without spaces, and not in quotation marks.',
      );
    }
    this.#value = value;
    this.#encodings = encodingsOf(value);
    this.#hex = hexOf(value);
  }

  static {
    read = (key) => key.#value;
  }

  /** Returns whether a string has the form of a key. */
  static isPossible(value: string): boolean {
    return keyText.test(value) && !isInQuotationMarks(value);
  }

  /** Returns whether a candidate is this key, in constant time. */
  equals(candidate: string): boolean {
    return equalInConstantTime(candidate, this.#value);
  }

  /** Returns whether another instance has the same key, in constant time. */
  sameAs(other: PrivateKey): boolean {
    return equalInConstantTime(other.#value, this.#value);
  }

  /**
   * Returns whether a string contains this key: plain, or percent-encoded, with JSON escapes, as
   * base64 at any alignment, as base64url or as hexadecimal.
   */
  isIn(text: string | Readings): boolean {
    const readings = typeof text === 'string' ? readingsOf(text) : text;
    return readings.some(
      ({ text, lowerCase }) =>
        this.#encodings.some((encoding) => text.includes(encoding)) ||
        lowerCase.includes(this.#hex),
    );
  }
}

/**
 * Returns the Authorization header of a key (specification 5.2). Only the service client may use
 * it: a test rejects any other import, and the package does not export it.
 */
export function authorizationOf(key: PrivateKey): string {
  return `Bearer ${read(key)}`;
}

/**
 * Returns the HMAC-SHA-256 of a string, in hexadecimal, under a key that is derived from the
 * private key for one purpose (HKDF, RFC 5869). The digest can be stored: without the private key,
 * guesses cannot be checked against it, and it reveals nothing about the private key.
 */
export async function digestUnder(key: PrivateKey, purpose: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const { subtle } = crypto;
  const secret = await subtle.importKey('raw', encoder.encode(read(key)), 'HKDF', false, [
    'deriveKey',
  ]);
  const derived = await subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(purpose) },
    secret,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign'],
  );
  return inHexadecimal(await subtle.sign('HMAC', derived, encoder.encode(text)));
}
