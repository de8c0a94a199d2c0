import type { SignInProblem } from '@financing-checkout/contract/reconciliation';

/** A sign-in or session confirmation failed. The message contains no input. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly code: SignInProblem;
  /** Stable code of the cause, for the log: from the library, OAuth or this program. */
  readonly reason: string;
  /** The provider's issuer, if it differs from the configured one. */
  readonly issuer: string | undefined;

  constructor(code: SignInProblem, reason: string, issuer?: string) {
    super(`${code}: ${reason}`);
    this.code = code;
    this.reason = reason;
    this.issuer = issuer;
  }
}
