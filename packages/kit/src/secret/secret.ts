/** Compares two strings in a time that depends only on their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
  const length = Math.max(left.length, right.length);
  let difference = left.length ^ right.length;
  for (let index = 0; index < length; index++) {
    difference |= (left.charCodeAt(index) || 0) ^ (right.charCodeAt(index) || 0);
  }
  return difference === 0;
}

const REDACTED = '[redacted]';

/**
 * Base class for values that must not be printed: their string, JSON and inspect forms are
 * "[redacted]".
 */
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

/** A shared secret, such as an access token, a webhook secret or a URL with a password. */
export class Secret extends Redacted {
  #value: string;
  #former: string | undefined;

  constructor(value: string) {
    super();
    this.#value = value;
  }

  /** Replaces the value for all holders of this secret after its file changed. */
  replace(value: string): void {
    this.#former = this.#value;
    this.#value = value;
  }

  /** Returns the current and the previous value, because the other party may switch later. */
  values(): string[] {
    return this.#former === undefined ? [this.#value] : [this.#value, this.#former];
  }

  /** Returns the plain value. Keep it out of messages, logs and errors. */
  reveal(): string {
    return this.#value;
  }

  /** Returns whether a candidate is this secret, in constant time. */
  equals(candidate: string): boolean {
    return equalInConstantTime(candidate, this.#value);
  }
}
