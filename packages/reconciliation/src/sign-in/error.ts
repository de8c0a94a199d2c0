import type { SignInProblem } from '@financing-checkout/contract';

/** A sign-in or the confirmation of a session failed. Its message contains no input. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly code: SignInProblem;
  /** Stable code of the cause, for the log: of the library, of OAuth, or of this program. */
  readonly reason: string;

  constructor(code: SignInProblem, reason: string) {
    super(`${code}: ${reason}`);
    this.code = code;
    this.reason = reason;
  }
}
