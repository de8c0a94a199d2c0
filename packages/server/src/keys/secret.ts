const REDACTED = '[redacted]';

/** Base of values that must not be printed: string, JSON and inspect forms are "[redacted]". */
export abstract class Redacted {
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

/** Compares two texts in a time that depends only on their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
  const length = Math.max(left.length, right.length);
  let difference = left.length ^ right.length;
  for (let index = 0; index < length; index++) {
    difference |= (left.charCodeAt(index) || 0) ^ (right.charCodeAt(index) || 0);
  }
  return difference === 0;
}

/**
 * A shared secret (order ticket, webhook, back-office token). The financing service's private key is a
 * {@link PrivateKey}, which cannot be revealed at all.
 */
export class Secret extends Redacted {
  readonly #value: string;

  constructor(value: string) {
    super();
    this.#value = value;
  }

  /** Returns the value itself. Keep it out of messages, logs and errors. */
  reveal(): string {
    return this.#value;
  }

  /** Returns whether a candidate is this secret, in constant time. */
  equals(candidate: string): boolean {
    return equalInConstantTime(candidate, this.#value);
  }
}
