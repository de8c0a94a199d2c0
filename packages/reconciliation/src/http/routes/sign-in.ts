import {
  type SignInMethods,
  signInMethodsSchema,
  type SignInProblem,
} from '@financing-checkout/contract';
import { MAX_SMALL_BODY_BYTES } from '@financing-checkout/kit/http';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { SignInSettings } from '../../config/sign-in.ts';
import type { Engine } from '../../engine/engine.ts';
import { isStoreUnavailable } from '../../facts/unavailable.ts';
import { ProblemError } from '../../platform/problem.ts';
import { SignInError } from '../../sign-in/error.ts';
import type { Provider } from '../../sign-in/provider.ts';
import { type Env, serve } from '../env.ts';
import { ofQuestion, operation } from '../operation.ts';
import { requireOwnPage } from '../pages.ts';
import { createPendingSignIns, type PendingSignIns } from '../pending-sign-ins.ts';
import type { PersonSessions } from '../person-sessions.ts';
import type { SignInGuard } from '../sign-in-guard.ts';

const ofPublic = { ...ofQuestion, scope: 'none', budgets: ['sign-ins'] } as const;
const redirect = { 302: { contentTypes: [], description: 'A redirect.' } } as const;
const START_PATH = '/console/sign-in/start';

/** Operations of the sign-in through an OpenID provider. */
export const signInOperations = {
  methods: operation({
    ...ofPublic,
    budgets: { none: 'answers from memory' },
    method: 'get',
    path: '/console/sign-in',
    summary: 'How people can sign in to the console',
    answers: { 200: { schema: signInMethodsSchema } },
  }),
  start: operation({
    ...ofPublic,
    method: 'get',
    path: START_PATH,
    summary: 'Begin a sign-in at the OpenID provider',
    description:
      'For a browser. Redirects to the provider, by authorization code with PKCE, state and nonce, which are in a cookie of ten minutes. `return` is the page of the console to show afterwards.',
    query: z.strictObject({ return: z.string().max(2_048).optional() }),
    answers: redirect,
    problems: ['invalid-request', 'not-found', 'origin-not-allowed'],
  }),
  callback: operation({
    ...ofPublic,
    method: 'get',
    path: '/console/sign-in/callback',
    summary: 'End a sign-in at the OpenID provider',
    description:
      'The redirect URI. Sets the cookie of a session, and redirects to the page of the console, or to the sign-in page with the reason of a failure in `sign-in`.',
    answers: redirect,
    problems: ['not-found'],
  }),
  backChannelLogout: operation({
    ...ofPublic,
    method: 'post',
    path: '/console/sign-in/back-channel-logout',
    maxBodyBytes: MAX_SMALL_BODY_BYTES,
    summary: 'End the sessions that the OpenID provider has ended',
    description:
      'For the provider (OpenID Connect Back-Channel Logout 1.0): verifies the logout token and ends the sessions of its `sid` or `sub`.',
    body: { contentTypes: ['application/x-www-form-urlencoded'] },
    answers: { 200: { contentTypes: [] } },
    problems: [
      'invalid-request',
      'not-found',
      'rate-limited',
      'provider-unavailable',
      'store-unavailable',
    ],
  }),
};

/** What the routes need if a provider is configured. */
export interface SignInThrough {
  settings: SignInSettings;
  provider: Provider;
  sessions: PersonSessions;
}

/** Routes for the sign-in through an OpenID provider. @param through undefined: none is configured */
export function signInRoutes(
  engine: Engine,
  guard: SignInGuard,
  through: SignInThrough | undefined,
): Hono<Env> {
  const { clock, config, logger } = engine;
  const app = new Hono<Env>();
  const pendings = through && createPendingSignIns(clock, through.settings.url);

  serve(app, signInOperations.methods, (c) => {
    const methods: SignInMethods = { token: config.tokenSignIn && config.tokens.length > 0 };
    if (through !== undefined) {
      methods.provider = { name: through.settings.label, startUrl: START_PATH };
    }
    return c.json(methods);
  });

  serve(app, signInOperations.start, async (c, input) => {
    const { provider } = configured();
    // Prevents other sites from starting a sign-in after a sign-out.
    requireOwnPage(c.req, config.listener.url);
    const returnTo = pageOf(input.query().return);
    return outcome(c, async (pending) => {
      const begun = pending.begin(c, returnTo);
      return (await provider.authorizationUrl(begun)).href;
    });
  });

  serve(app, signInOperations.callback, (c) => {
    const { provider, sessions } = configured();
    return outcome(c, async (pending) => {
      const query = new URL(c.req.url).search;
      const begun = pending.take(c, c.req.query('state') ?? '');
      const signedIn = await provider.exchange(query, begun);
      const session = await sessions.begin(c, signedIn);
      c.set('actor', session.caller.name);
      c.set('person', session.person);
      await guard.trail.signedIn(c, session.caller.name, session.id);
      return pageOf(begun.returnTo);
    });
  });

  serve(app, signInOperations.backChannelLogout, async (c) => {
    const { provider } = configured();
    guard.check(c);
    const [token, ...others] = new URLSearchParams(c.get('body')).getAll('logout_token');
    const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(
      c.req.header('content-type') ?? '',
    );
    if (!isForm || token === undefined || others.length > 0) {
      throw new ProblemError('invalid-request', { detail: 'Send one logout_token as a form.' });
    }
    try {
      const { issuedAt, ...which } = await provider.logout(token);
      // The clocks of the two programs may differ, and a session has begun after the provider's.
      const ended = await engine.facts.endPersonSessions(which, issuedAt + TOLERANCE_MS);
      for (const name of ended) await guard.trail.signedOut(c, name, 'provider');
      return c.body(null, 200);
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      const { code, reason } = error;
      if (code === 'provider-unavailable') {
        logger.log('warn', 'logout-not-verified', { requestId: c.get('requestId'), code, reason });
        throw new ProblemError('provider-unavailable', { retryAfterSeconds: 15, retrySafe: true });
      }
      await guard.failed(c, code, reason);
      throw new ProblemError('invalid-request', { detail: 'The logout token is not valid.' });
    }
  });
  return app;

  function configured(): SignInThrough {
    if (through !== undefined) return through;
    throw new ProblemError('not-found', { detail: 'No OpenID provider is configured.' });
  }

  /** Redirects to where `work` leads, or to the sign-in page with the reason of its failure. */
  async function outcome(
    c: Context<Env>,
    work: (pendings: PendingSignIns) => Promise<string>,
  ): Promise<Response> {
    if (pendings === undefined) throw new TypeError('No OpenID provider is configured.');
    let problem: SignInProblem;
    try {
      guard.check(c);
      return c.redirect(await work(pendings), 302);
    } catch (error) {
      if (error instanceof SignInError) {
        problem = error.code;
        await guard.failed(c, problem, error.reason);
      } else if (error instanceof ProblemError && error.code === 'rate-limited') {
        problem = 'rate-limited';
      } else if (isStoreUnavailable(error)) {
        problem = 'store-unavailable';
        logger.log('error', 'sign-in-failed', { requestId: c.get('requestId'), reason: problem });
      } else {
        throw error;
      }
    }
    const reason = new URLSearchParams({ 'sign-in': problem, request: c.get('requestId') });
    return c.redirect(`${CONSOLE}?${reason.toString()}`, 302);
  }
}

const TOLERANCE_MS = 30_000;
const CONSOLE = '/console/';

/** Returns a page of the console: never another path or another origin. */
function pageOf(wanted: string | undefined): string {
  const base = 'https://console.invalid';
  if (wanted === undefined || !URL.canParse(wanted, base)) return CONSOLE;
  const { hash, origin, pathname, search } = new URL(wanted, base);
  const isPage =
    origin === base && pathname.startsWith(CONSOLE) && !pathname.startsWith(`${CONSOLE}sign-in`);
  return isPage ? pathname + search + hash : CONSOLE;
}
