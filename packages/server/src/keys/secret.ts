const REDACTED = '[redacted]';

/** Compares two texts in a time that depends on their lengths only. */
export function equalInConstantTime(left: string, right: string): boolean {
  const length = Math.max(left.length, right.length);
  let difference = left.length ^ right.length;
  for (let index = 0; index < length; index++) {
    difference |= (left.charCodeAt(index) || 0) ^ (right.charCodeAt(index) || 0);
  }
  return difference === 0;
}

/**
 * A value that must not be printed: string, JSON and inspect forms are "[redacted]".
 * For shared secrets (order ticket, webhook, back-office token). The financing service's private
 * key is a {@link PrivateKey}, which cannot be revealed at all.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Keep it out of messages, logs and errors. */
  reveal(): string {
    return this.#value;
  }

  /** Whether a candidate is this secret, in constant time. */
  equals(candidate: string): boolean {
    return equalInConstantTime(candidate, this.#value);
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
