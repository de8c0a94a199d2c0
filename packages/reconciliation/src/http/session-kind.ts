import type { Caller } from '@financing-checkout/kit';
import type { Context } from 'hono';
import type { Scope } from '../config/tokens.ts';
import type { PersonKey } from '../facts/people.ts';
import type { Env } from './env.ts';

/** A session ends after half an hour without user activity, and after 12 hours in any case. */
export const IDLE_MS = 30 * 60_000;
export const LONGEST_MS = 12 * 3_600_000;

/** A session of the console. Times are in milliseconds since 1970. */
export interface ConsoleSession {
  id: string;
  /** The token, or the person. */
  caller: Caller<Scope>;
  /** Undefined: the session of a token. */
  person?: PersonKey;
  idleEndsAt: number;
  endsAt: number;
}

/** A session that a request presents, and whose lifetime is valid. */
export interface PresentedSession {
  session: ConsoleSession;
  /**
   * Returns the session as it is now; undefined: it was ended.
   * @throws {ProblemError} `provider-unavailable`
   */
  current(c: Context<Env>): Promise<ConsoleSession | undefined>;
  renew(c: Context<Env>, idleEndsAt: number): Promise<ConsoleSession>;
  /** Ends the session for all processes. @returns where the browser ends the provider's session */
  end(): Promise<URL | undefined>;
}

/** Sessions of one kind of owner. */
export interface SessionKind {
  /** Returns the sessions of those cookies that belong to this kind. */
  present(cookies: readonly string[]): Promise<PresentedSession[]>;
}
