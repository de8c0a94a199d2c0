import {
  type Session,
  sessionRequestSchema,
  sessionSchema,
  type SignOut,
  signOutSchema,
} from '@financing-checkout/contract/reconciliation';
import { type Access, isoTime, LOOPBACK_ACTOR } from '@financing-checkout/kit';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type AccessToken, localScopes, type Scope, scopes } from '../../config/tokens.ts';
import type { Engine } from '../../engine/engine.ts';
import { ProblemError } from '../../platform/problem.ts';
import { type Env, serve } from '../context.ts';
import { ofChange, ofQuestion, operation, reading } from '../operation.ts';
import { requireOwnPage } from '../pages.ts';
import { type ConsoleSession, LONGEST_MS } from '../../sign-in/sessions.ts';
import type { BrowserSessions } from '../sessions.ts';
import type { SignInGuard } from '../sign-in-guard.ts';

const ofPage = {
  headers: { 'Financing-Console': '1: a page of another origin cannot send it.' },
  isOfSession: true,
} as const;

export const sessionOperations = {
  begin: operation({
    ...ofChange,
    path: '/console/session',
    scope: 'none',
    headers: ofPage.headers,
    budgets: ['sign-ins'],
    summary: 'Sign in to the console',
    description:
      'Sets the cookie of a session, which takes the place of the token: HttpOnly, SameSite=Strict, and Secure off loopback. It ends half an hour after the last renewal, and after 12 hours in any case; also when its token is removed. Failed sign-ins of a client address are limited to 10 in a minute.',
    body: { schema: sessionRequestSchema },
    answers: { 201: { schema: sessionSchema } },
    problems: [
      'invalid-request',
      'token-invalid',
      'token-not-permitted',
      'origin-not-allowed',
      'media-type-unsupported',
      'rate-limited',
    ],
  }),
  read: reading('/console/session', 'The session of the console', sessionSchema, {
    isOfSession: true,
  }),
  renew: operation({
    ...ofChange,
    ...ofPage,
    path: '/console/session/renewal',
    scope: 'read',
    summary: 'Prolong the session of the console',
    description: 'For the activity of a person; no other request prolongs a session.',
    body: { schema: z.strictObject({}) },
    answers: { 200: { schema: sessionSchema } },
  }),
  end: operation({
    ...ofQuestion,
    ...ofPage,
    method: 'delete',
    path: '/console/session',
    summary: 'Sign out of the console',
    description:
      'Ends the session at once. If a person has signed in through an OpenID provider that can end its own session, too, the answer has the address at which the browser does so.',
    answers: { 200: { schema: signOutSchema }, 204: { contentTypes: [] } },
  }),
};

/**
 * Routes for console sessions. Without configured tokens and sign-in, the listener is on loopback,
 * where everyone shares one session, without a cookie and without the scope `money`.
 */
export function sessionRoutes(
  engine: Engine,
  browserSessions: BrowserSessions,
  access: Access<AccessToken>,
  guard: SignInGuard,
): Hono<Env> {
  const { config, clock, sessions, signInTrail } = engine;
  const { isLocal: isOpen } = access;
  const app = new Hono<Env>();

  serve(app, sessionOperations.begin, async (c, input) => {
    if (isOpen) return c.json(openSession(c), 201);
    // Nor may a foreign page sign a person in under a different name.
    requireOwnPage(c.req, config.listener.url);
    const { token: text } = input.body();
    if (!config.tokenSignIn) {
      throw new ProblemError('token-not-permitted', {
        detail: 'RECONCILIATION_TOKEN_SIGN_IN is false: people sign in through the provider.',
      });
    }
    guard.check(c, 'sign-ins');
    const token = access.find(text.trim());
    if (token === undefined) {
      await guard.failed(c, 'sign-ins', 'token-invalid');
      throw new ProblemError('token-invalid', {
        detail: 'No token of RECONCILIATION_TOKENS is equal to this text.',
      });
    }
    c.set('actor', token.name);
    const session = browserSessions.begin(c, await sessions.beginForToken(token));
    await signInTrail.signedIn(session);
    return c.json(recordOf(session), 201);
  });

  serve(app, sessionOperations.read, async (c) => {
    if (isOpen) return c.json(openSession(c));
    return c.json(recordOf(await requireSession(c)));
  });

  serve(app, sessionOperations.renew, async (c, input) => {
    if (isOpen) return c.json(openSession(c));
    const session = await requireSession(c);
    input.body();
    return c.json(recordOf(await sessions.renew(session)));
  });

  serve(app, sessionOperations.end, async (c) => {
    if (isOpen) {
      openSession(c);
      return c.body(null, 204);
    }
    const { providerUrl, session } = required(await browserSessions.end(c));
    const { name } = session.caller;
    c.set('actor', name);
    await signInTrail.signedOut(name);
    if (providerUrl === undefined) return c.body(null, 204);
    return c.json({ providerUrl: providerUrl.href } satisfies SignOut);
  });
  return app;

  async function requireSession(c: Context<Env>): Promise<ConsoleSession> {
    const session = required(await browserSessions.find(c));
    c.set('actor', session.caller.name);
    return session;
  }

  function openSession(c: Context<Env>): Session {
    access.requireLocal(c);
    c.set('actor', LOOPBACK_ACTOR);
    const ends = clock.now() + LONGEST_MS;
    return described(LOOPBACK_ACTOR, localScopes, ends, ends);
  }

  function recordOf({ caller, idleEndsAt, endsAt }: ConsoleSession): Session {
    return described(caller.name, caller.scopes, idleEndsAt, endsAt);
  }

  function described(
    name: string,
    permitted: readonly Scope[],
    idleEndsAt: number,
    endsAt: number,
  ): Session {
    return {
      name,
      scopes: scopes.filter(
        (scope) => scope !== 'read' && permitted.includes(scope),
      ) as Session['scopes'],
      environment: config.environment,
      zone: config.sync.zone,
      idleEndsAt: isoTime(idleEndsAt),
      endsAt: isoTime(endsAt),
      canMoveMoney: permitted.includes('money') && config.companion.moneyToken !== undefined,
    };
  }
}

function required<Found>(session: Found | undefined): Found {
  if (session !== undefined) return session;
  throw new ProblemError('token-invalid', { detail: 'Sign in first.' });
}
