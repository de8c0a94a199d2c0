import {
  type SignInMethods,
  signInMethodsSchema,
  type SignInProblem,
} from '@financing-checkout/contract/reconciliation';
import { MAX_SMALL_BODY_BYTES } from '@financing-checkout/kit/http';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { isUnavailable } from '@financing-checkout/kit/sql';
import { ProblemError } from '../../platform/problem.ts';
import { SignInError } from '../../sign-in/error.ts';
import { type Env, serve } from '../context.ts';
import { ofQuestion, operation } from '../operation.ts';
import { requireOwnPage } from '../pages.ts';
import { createPendingSignIns } from '../pending-sign-ins.ts';
import type { BrowserSessions } from '../sessions.ts';
import type { SignInGuard } from '../sign-in-guard.ts';

const ofPublic = { ...ofQuestion, scope: 'none' } as const;
const redirect = { 302: { contentTypes: [], description: 'A redirect.' } } as const;
const START_PATH = '/console/sign-in/start';

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
    budgets: { none: 'sends no request: the provider’s configuration is kept for an hour' },
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
    budgets: ['returns'],
    method: 'get',
    path: '/console/sign-in/callback',
    summary: 'End a sign-in at the OpenID provider',
    description:
      'The redirect URI. Sets the cookie of a session, and redirects to the page of the console, or to the sign-in page with the reason of a failure in `sign-in`. Without the cookie of a sign-in that began in this browser nothing is done, recorded or counted.',
    answers: redirect,
    problems: ['not-found'],
  }),
  backChannelLogout: operation({
    ...ofPublic,
    budgets: ['logouts'],
    method: 'post',
    path: '/console/sign-in/back-channel-logout',
    maxBodyBytes: MAX_SMALL_BODY_BYTES,
    summary: 'End the sessions that the OpenID provider has ended',
    description:
      'For the provider (OpenID Connect Back-Channel Logout 1.0): verifies the logout token and ends the sessions of its `sid` or `sub`. A valid token is never refused; only invalid ones are counted.',
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

/** Routes for signing in through an OpenID provider. */
export function signInRoutes(
  engine: Engine,
  guard: SignInGuard,
  browserSessions: BrowserSessions,
): Hono<Env> {
  const { clock, config, logger, provider, sessions } = engine;
  const { signIn } = config;
  const app = new Hono<Env>();
  const pendings = signIn && createPendingSignIns(clock, signIn.url);

  serve(app, signInOperations.methods, (c) => {
    const methods: SignInMethods = { token: config.tokenSignIn && config.tokens.length > 0 };
    if (signIn !== undefined) methods.provider = { name: signIn.label, startUrl: START_PATH };
    return c.json(methods);
  });

  serve(app, signInOperations.start, async (c, input) => {
    const through = configured();
    // Prevents other sites from starting a sign-in after a sign-out.
    requireOwnPage(c.req, config.listener.url);
    const returnTo = pageOf(input.query().return);
    return outcome(c, async () => {
      const begun = through.pendings.begin(c, returnTo);
      return (await through.provider.authorizationUrl(begun)).href;
    });
  });

  serve(app, signInOperations.callback, async (c) => {
    const through = configured();
    const begun = through.pendings.take(c, c.req.query('state') ?? '');
    // Any page can send a browser here, so nothing is counted, recorded or requested.
    if (begun === undefined) return c.redirect(`${CONSOLE}?sign-in=expired`, 302);
    return outcome(c, async () => {
      guard.check(c, 'returns');
      const signedIn = await through.provider.exchange(new URL(c.req.url).search, begun);
      const session = browserSessions.begin(c, await sessions.beginForPerson(signedIn));
      c.set('actor', session.caller.name);
      c.set('person', session.person);
      await engine.signInTrail.signedIn(session);
      return pageOf(begun.returnTo);
    });
  });

  serve(app, signInOperations.backChannelLogout, async (c) => {
    const through = configured();
    const [token, ...others] = new URLSearchParams(c.get('body')).getAll('logout_token');
    const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(
      c.req.header('content-type') ?? '',
    );
    if (!isForm || token === undefined || others.length > 0) {
      throw new ProblemError('invalid-request', { detail: 'Send one logout_token as a form.' });
    }
    try {
      await sessions.endByProvider(await through.provider.logout(token));
      return c.body(null, 200);
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      const { code, issuer, reason } = error;
      if (code === 'provider-unavailable') {
        logger.log('warn', 'logout-not-verified', { requestId: c.get('requestId'), code, reason });
        throw new ProblemError('provider-unavailable', { retryAfterSeconds: 15, retrySafe: true });
      }
      await guard.failed(c, 'logouts', code, reason, issuer);
      throw new ProblemError('invalid-request', { detail: 'The logout token is not valid.' });
    }
  });
  return app;

  function configured() {
    if (provider !== undefined && pendings !== undefined) return { pendings, provider };
    throw new ProblemError('not-found', { detail: 'No OpenID provider is configured.' });
  }

  /** Redirects to the result of `work`, or to the sign-in page with the reason for the failure. */
  async function outcome(c: Context<Env>, work: () => Promise<string>): Promise<Response> {
    let problem: SignInProblem;
    try {
      return c.redirect(await work(), 302);
    } catch (error) {
      problem = await failureOf(c, error);
    }
    const reason = new URLSearchParams({ 'sign-in': problem, request: c.get('requestId') });
    return c.redirect(`${CONSOLE}?${reason.toString()}`, 302);
  }

  async function failureOf(c: Context<Env>, error: unknown): Promise<SignInProblem> {
    if (error instanceof SignInError) {
      const { code, issuer, reason } = error;
      try {
        await guard.failed(c, 'returns', code, reason, issuer);
        return code;
      } catch (refusal) {
        return failureOf(c, refusal);
      }
    }
    if (error instanceof ProblemError && error.code === 'rate-limited') return 'rate-limited';
    if (!isUnavailable(error)) throw error;
    const reason = 'store-unavailable';
    logger.log('error', 'sign-in-failed', { requestId: c.get('requestId'), reason });
    return reason;
  }
}

const CONSOLE = '/console/';

/** Returns a page of the console, never another path or origin. */
function pageOf(wanted: string | undefined): string {
  const base = 'https://console.invalid';
  if (wanted === undefined || !URL.canParse(wanted, base)) return CONSOLE;
  const { hash, origin, pathname, search } = new URL(wanted, base);
  const isPage =
    origin === base && pathname.startsWith(CONSOLE) && !pathname.startsWith(`${CONSOLE}sign-in`);
  return isPage ? pathname + search + hash : CONSOLE;
}
