import { encodingsOf, hexOf, type Readings, readingsOf } from './encodings.ts';
import { isInQuotationMarks } from './quotation.ts';
import { equalInConstantTime } from './secret.ts';

const REDACTED = '[redacted]';

/** A key as an HTTP field value: visible ASCII without spaces (RFC 6750 2.1 is narrower still). */
const keyText = /^[\x21-\x7e]{16,512}$/;

let read: (key: PrivateKey) => string;

/**
 * The Private API Key (specification 5). It has no way to be read: the service client alone turns
 * it into an Authorization header ({@link authorizationOf}), and string, JSON and inspect forms
 * are "[redacted]".
 */
export class PrivateKey {
  readonly #value: string;
  readonly #encodings: readonly string[];
  readonly #hex: string;

  /** @throws {TypeError} when the text cannot be a key; the message never holds it. */
  constructor(value: string) {
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

  /** Whether a text has the form of a key. */
  static isPossible(value: string): boolean {
    return keyText.test(value) && !isInQuotationMarks(value);
  }

  /** Whether a candidate is this key, in constant time. */
  equals(candidate: string): boolean {
    return equalInConstantTime(candidate, this.#value);
  }

  /** Whether another one holds the same key. */
  sameAs(other: PrivateKey): boolean {
    return equalInConstantTime(other.#value, this.#value);
  }

  /**
   * Whether a text carries this key: as it is, or in percent-encoding, JSON escapes, base64 at any
   * alignment, base64url or hexadecimal.
   */
  isIn(text: string | Readings): boolean {
    const readings = typeof text === 'string' ? readingsOf(text) : text;
    return readings.some(
      ({ text, lowerCase }) =>
        this.#encodings.some((encoding) => text.includes(encoding)) ||
        lowerCase.includes(this.#hex),
    );
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}

/**
 * The Authorization header of a key (specification 5.2). For the service client and nobody else:
 * a test holds that no other module imports it, and the package does not export it.
 */
export function authorizationOf(key: PrivateKey): string {
  return `Bearer ${read(key)}`;
}
