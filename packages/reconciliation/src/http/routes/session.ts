import { type Session, sessionRequestSchema, sessionSchema } from '@financing-checkout/contract';
import { type Access, createClientAddress, isoTime, LOOPBACK_ACTOR } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { type AccessToken, localScopes, type Scope, scopes } from '../../config/tokens.ts';
import type { Engine } from '../../engine/engine.ts';
import { ProblemError } from '../../platform/problem.ts';
import { type Env, serve } from '../env.ts';
import { ofChange, ofQuestion, operation, reading } from '../operation.ts';
import { requireOwnPage } from '../pages.ts';
import { addressBlock, createSessionTrail } from '../session-trail.ts';
import { type ConsoleSession, LONGEST_MS, type Sessions } from '../sessions.ts';
import { createSignInLimit } from '../sign-in-limit.ts';

const ofPage = {
  headers: { 'Financing-Console': '1: a page of another origin cannot send it.' },
  isOfSession: true,
  problems: ['session-ended'],
} as const;

/** Operations of the console's sessions. */
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
      'origin-not-allowed',
      'media-type-unsupported',
      'rate-limited',
    ],
  }),
  read: reading('/console/session', 'The session of the console', sessionSchema, {
    isOfSession: true,
    problems: ['session-ended'],
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
    answers: { 204: { contentTypes: [] } },
  }),
};

/**
 * Routes for the sessions of the console. Without configured tokens the listener is on loopback,
 * where everyone shares one session, without a cookie and without the scope `money`.
 */
export function sessionRoutes(
  engine: Engine,
  sessions: Sessions,
  access: Access<AccessToken>,
): Hono<Env> {
  const { config, clock, logger } = engine;
  const { isLocal: isOpen } = access;
  const trail = createSessionTrail(engine);
  const clientAddress = createClientAddress({ ...config.listener, logger });
  const limit = createSignInLimit(clock, clientAddress);
  const app = new Hono<Env>();

  serve(app, sessionOperations.begin, async (c, input) => {
    if (isOpen) return c.json(openSession(c), 201);
    // A foreign page must not sign a person in under a different name either.
    requireOwnPage(c.req, config.listener.url);
    const { token: text } = input.body();
    limit.check(c);
    const token = access.find(text.trim());
    if (token === undefined) {
      limit.failed(c);
      const address = clientAddress(c.req.raw, c.env);
      logger.log('warn', 'sign-in-failed', {
        requestId: c.get('requestId'),
        address: addressBlock(address),
        reason: 'token-invalid',
      });
      await trail.failed(c, address);
      throw new ProblemError('token-invalid', {
        detail: 'No token of RECONCILIATION_TOKENS is equal to this text.',
      });
    }
    c.set('actor', token.name);
    const session = await sessions.begin(c, token);
    await trail.signedIn(c, token.name);
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
    return c.json(recordOf(await sessions.renew(c, session)));
  });

  serve(app, sessionOperations.end, async (c) => {
    if (isOpen) {
      openSession(c);
    } else {
      const { token } = await requireSession(c);
      await sessions.end(c);
      await trail.signedOut(c, token.name);
    }
    return c.body(null, 204);
  });
  return app;

  async function requireSession(c: Context<Env>): Promise<ConsoleSession> {
    const session = await sessions.find(c);
    if (session === undefined) {
      throw new ProblemError('token-invalid', { detail: 'Sign in with a token.' });
    }
    c.set('actor', session.token.name);
    return session;
  }

  function openSession(c: Context<Env>): Session {
    access.requireLocal(c);
    c.set('actor', LOOPBACK_ACTOR);
    const ends = clock.now() + LONGEST_MS;
    return described(LOOPBACK_ACTOR, localScopes, ends, ends);
  }

  function recordOf({ token, idleEndsAt, endsAt }: ConsoleSession): Session {
    return described(token.name, token.scopes, idleEndsAt, endsAt);
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
