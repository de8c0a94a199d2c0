import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { BegunSignIn } from '../sign-in/provider.ts';
import type { Env } from './context.ts';
import { consoleCookie } from './session-cookie.ts';

/** Time for a person to sign in at the provider. */
const PENDING_MS = 10 * 60_000;
/**
 * Limited, because the header with all cookies would become too large. Nobody has more windows
 * open.
 */
const MAX_PENDING = 8;
/** Generates a state, a nonce or a code verifier. */
const random = () => randomBytes(32).toString('base64url');
const text = z.string().length(43);

const pendingSchema = z.strictObject({
  state: text,
  nonce: text,
  codeVerifier: text,
  returnTo: z.string().max(2_048),
  endsAt: z.number(),
});
export type PendingSignIn = z.infer<typeof pendingSchema>;

/**
 * Sign-ins that have begun. Each has its own cookie, so that any process can complete it, in any
 * window, without a store. The cookie is Lax, because the browser returns from another site.
 */
export interface PendingSignIns {
  begin(c: Context<Env>, returnTo: string): BegunSignIn;
  /**
   * Returns and removes the sign-in that has this state; undefined if this browser has not begun
   * it, or if it has expired.
   */
  take(c: Context<Env>, state: string): PendingSignIn | undefined;
}

export function createPendingSignIns(clock: Clock, url: string): PendingSignIns {
  const cookie = consoleCookie('financing-sign-in', url);
  const restOf = (state: string) =>
    `-${createHash('sha256').update(state).digest('base64url').slice(0, 16)}`;
  const all = (c: Context<Env>) => cookie.all(c).filter(({ rest }) => rest.startsWith('-'));

  return {
    begin(c, returnTo) {
      const earlier = all(c);
      if (earlier.length >= MAX_PENDING) {
        for (const { rest } of earlier) cookie.clear(c, 'Lax', rest);
      }
      const begun = { state: random(), nonce: random(), codeVerifier: random() };
      const endsAt = clock.now() + PENDING_MS;
      const value = { ...begun, returnTo, endsAt } satisfies PendingSignIn;
      setCookie(
        c,
        cookie.name(c) + restOf(begun.state),
        Buffer.from(JSON.stringify(value)).toString('base64url'),
        {
          path: '/',
          httpOnly: true,
          sameSite: 'Lax',
          maxAge: PENDING_MS / 1_000,
          prefix: cookie.prefix(c),
        },
      );
      return begun;
    },

    take(c, state) {
      const rest = restOf(state);
      const pending = all(c)
        .filter((one) => one.rest === rest)
        .map(({ value }) => parsed(value))
        .find((one) => one?.state === state);
      if (pending === undefined) return undefined;
      cookie.clear(c, 'Lax', rest);
      return clock.now() < pending.endsAt ? pending : undefined;
    },
  };
}

function parsed(value: string): PendingSignIn | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
    return pendingSchema.safeParse(json).data;
  } catch {
    return undefined;
  }
}
