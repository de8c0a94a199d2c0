const REDACTED = '[redacted]';

/**
 * Holds a value that must not be printed (access token, webhook secret, URL with a password): its
 * string, JSON and inspect forms are "[redacted]".
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value itself. Keep it out of messages, logs and errors. */
  reveal(): string {
    return this.#value;
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
