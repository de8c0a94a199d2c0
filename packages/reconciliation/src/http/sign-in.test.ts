import {
  sessionSchema,
  signInMethodsSchema,
  signOutSchema,
} from '@financing-checkout/contract/reconciliation';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { answersAt, faultAt, startProvider } from '../sign-in/provider.fixture.ts';
import { codeOf, PROGRAM_TOKENS, TOKENS } from './session.fixture.ts';
import { type Browser, type SignInStack, startSignIn } from './sign-in.fixture.ts';

const ada = { name: 'Ada Lovelace', roles: ['Group of finance', 'unmapped'] };

/** Starts a stack with a person of the finance team. */
async function setUp(...how: Parameters<typeof startSignIn>): Promise<SignInStack> {
  const stack = await startSignIn(...how);
  stack.provider.people.set('subject-ada', ada);
  stack.provider.next = 'subject-ada';
  return stack;
}
const sessionOf = async (browser: Browser) =>
  sessionSchema.parse(await (await browser.ask('/console/session')).json());
const actionsOf = async ({ engine }: SignInStack) =>
  (await engine.facts.trail(Number.MAX_SAFE_INTEGER, 100)).map(({ begun }) => begun);

/** The request is permitted, but the data is not open. */
const PERMITTED = [503, 'not-ready'];

test.each([
  ['a confidential client', false],
  ['a public client', true],
])('signs a person of the provider in by %s', async (_, isPublic) => {
  const stack = await setUp({}, { isPublic });
  const browser = stack.browser();
  const methods = signInMethodsSchema.parse(await (await browser.ask('/console/sign-in')).json());
  expect(methods).toEqual({
    token: false,
    provider: { name: new URL(stack.provider.issuer).host, startUrl: '/console/sign-in/start' },
  });
  const page = await browser.signIn('/console/orders?headline=FUNDED#top');
  expect(page.href).toBe(`${stack.url}/console/orders?headline=FUNDED#top`);
  expect(await sessionOf(browser)).toMatchObject({
    name: 'Ada Lovelace',
    scopes: ['cases', 'periods'],
    canMoveMoney: false,
  });
  expect(await codeOf(await browser.ask('/orders'))).toEqual(PERMITTED);
  expect(await codeOf(await browser.ask('/syncs', 'POST', {}))).toEqual([
    403,
    'token-not-permitted',
  ]);
  expect(await actionsOf(stack)).toMatchObject([
    {
      ...{ kind: 'sign-in', actor: 'Ada Lovelace', outcome: 'done' },
      person: { issuer: stack.provider.issuer, subject: 'subject-ada' },
    },
  ]);
});

test('sends the code challenge, the state and the nonce, and only the fixed redirect URI', async () => {
  const stack = await setUp();
  const browser = stack.browser();
  await browser.signIn();
  const request = browser.visited.find((url) => url.startsWith(`${stack.provider.issuer}/auth?`));
  const query = Object.fromEntries(new URL(request ?? '').searchParams);
  const random = expect.stringMatching(/^[\w-]{43}$/) as string;
  expect(query).toEqual({
    client_id: 'reconciliation',
    response_type: 'code',
    redirect_uri: `${stack.url}/console/sign-in/callback`,
    scope: 'openid profile email',
    state: random,
    nonce: random,
    code_challenge: random,
    code_challenge_method: 'S256',
  });
});

describe('a person', () => {
  test.each([
    ['without the claim', { name: 'Ada Lovelace' }, 'no-role', 'claim-missing'],
    ['without a mapped value', { ...ada, roles: ['unmapped'] }, 'no-role', 'value-not-mapped'],
    ['without a name', { roles: ada.roles }, 'no-name', 'claim-missing'],
  ])('%s is refused with a reason on the sign-in page', async (_, person, problem, code) => {
    const stack = await setUp();
    stack.provider.people.set('subject-ada', person);
    const browser = stack.browser();
    const page = await browser.signIn();
    expect(page.pathname).toBe('/console/');
    expect(page.searchParams.get('sign-in')).toBe(problem);
    const requestId = page.searchParams.get('request');
    expect(stack.logged).toContainEqual([
      'warn',
      'sign-in-failed',
      { requestId, reason: problem, code, address: '127.0.0.0/24' },
    ]);
    expect(await actionsOf(stack)).toMatchObject([
      { kind: 'sign-in', actor: '-', outcome: problem, subject: '127.0.0.0/24' },
    ]);
    expect((await browser.ask('/console/session')).status).toBe(401);
    expect(await stack.engine.facts.people()).toEqual([]);
  });

  test('keeps one identity in the trail after a name change, and is distinct from others of the same name', async () => {
    const stack = await setUp();
    const { people } = stack.provider;
    people.set('subject-other', { ...ada, name: 'ADA LOVELACE' });
    const first = stack.browser();
    await first.signIn();
    stack.provider.next = 'subject-other';
    const second = stack.browser();
    await second.signIn();
    people.set('subject-ada', { ...ada, name: 'Ada King' });
    stack.provider.next = 'subject-ada';
    const third = stack.browser();
    await third.signIn();
    const names = await Promise.all([first, second, third].map(sessionOf));
    expect(names.map(({ name }) => name)).toEqual([
      'Ada Lovelace',
      'ADA LOVELACE (2)',
      'Ada Lovelace',
    ]);
    expect(await stack.engine.facts.people()).toMatchObject([
      { name: 'ADA LOVELACE (2)', subject: 'subject-other' },
      { name: 'Ada Lovelace', subject: 'subject-ada' },
    ]);
  });

  test('has the union of the scopes of all roles', async () => {
    const stack = await setUp({ RECONCILIATION_COMPANION_MONEY_TOKEN: 'money-token-00000001' });
    stack.provider.people.set('subject-ada', { ...ada, roles: ['payers', 'Group of finance'] });
    const browser = stack.browser();
    await browser.signIn();
    expect(await sessionOf(browser)).toMatchObject({
      scopes: ['cases', 'periods', 'money'],
      canMoveMoney: true,
    });
  });
});

describe('cookies', () => {
  test('are Strict for a session, and Lax, short and removed for a sign-in', async () => {
    const stack = await setUp();
    const browser = stack.browser();
    await browser.signInAtProvider();
    const pending = [...browser.cookies.keys()].filter((name) => name.includes('sign-in'));
    expect(pending).toEqual([expect.stringMatching(/^financing-sign-in-\d+-[\w-]{16}$/)]);
    const page = await browser.signIn();
    expect(page.search).toBe('');
    const own = [...browser.cookies].filter(([name]) => name.startsWith('financing-console'));
    expect(own).toMatchObject([[expect.any(String), { isStrict: true }]]);
  });

  test('have the strict name and Secure at an https address', async () => {
    const stack = await setUp();
    await stack.switchProcess({ RECONCILIATION_URL: 'https://console.example' });
    const response = await fetch(`${stack.url}/console/sign-in/start`, { redirect: 'manual' });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-financing-sign-in-443-[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });

  test('keep sign-ins of several windows apart', async () => {
    const stack = await setUp();
    const browser = stack.browser();
    const first = await browser.signInAtProvider();
    const second = await browser.signInAtProvider();
    expect((await browser.return(first)).search).toBe('');
    expect((await browser.return(second)).search).toBe('');
    expect([...browser.cookies.keys()].filter((name) => name.includes('sign-in'))).toEqual([]);
  });
});

describe('a sign-in', () => {
  const reasonOf = (page: URL) => page.searchParams.get('sign-in');

  test('is refused if it was cancelled or replayed, or has the state of another sign-in', async () => {
    const stack = await setUp();
    const browser = stack.browser();
    const callback = await browser.signInAtProvider();
    const cookies = new Map(browser.cookies);
    const changed = new URL(callback);
    changed.searchParams.set('state', 'A'.repeat(43));
    expect(reasonOf(await browser.return(changed))).toBe('expired');
    expect(reasonOf(await stack.browser().return(callback))).toBe('expired');
    expect(reasonOf(await browser.return(callback))).toBe(null);
    expect(reasonOf(await browser.return(callback))).toBe('expired');
    // With a copied cookie, the request fails because the provider refuses the code.
    const thief = stack.browser();
    for (const [name, cookie] of cookies) thief.cookies.set(name, cookie);
    expect(reasonOf(await thief.return(callback))).toBe('expired');
    stack.provider.next = undefined;
    expect(reasonOf(await stack.browser().signIn())).toBe('cancelled');
    expect(inspect(stack.logged, { depth: 9 })).not.toContain('planted description');
  });

  test('that takes longer than ten minutes is refused', async () => {
    const stack = await setUp();
    const browser = stack.browser();
    const callback = await browser.signInAtProvider();
    stack.wait(11);
    expect(reasonOf(await browser.return(callback))).toBe('expired');
  });

  test.each([
    ['nonce', 'answer-invalid'],
    ['codeVerifier', 'expired'],
  ])('with another %s is refused', async (field, problem) => {
    const stack = await setUp();
    const browser = stack.browser();
    const callback = await browser.signInAtProvider();
    for (const [name, cookie] of browser.cookies) {
      if (!name.startsWith('financing-sign-in')) continue;
      const value: unknown = JSON.parse(Buffer.from(cookie.value, 'base64url').toString());
      const other = JSON.stringify({ ...Object(value), [field]: 'A'.repeat(43) });
      browser.cookies.set(name, { ...cookie, value: Buffer.from(other).toString('base64url') });
    }
    expect(reasonOf(await browser.return(callback))).toBe(problem);
  });

  test.each([['https://other.example'], [undefined]])(
    'from the issuer %s is refused (RFC 9207)',
    async (iss) => {
      const stack = await setUp();
      const browser = stack.browser();
      const callback = await browser.signInAtProvider();
      if (iss === undefined) callback.searchParams.delete('iss');
      else callback.searchParams.set('iss', iss);
      expect(reasonOf(await browser.return(callback))).toBe('answer-invalid');
      expect(stack.provider.requests).not.toContain('/token');
    },
  );

  test.each([
    [
      'an error page at the token endpoint',
      faultAt('/token', 500, 'text/html', '<p>planted'),
      'provider-unavailable',
    ],
    [
      'truncated JSON',
      faultAt('/token', 200, 'application/json', '{"access_token":"pla'),
      'provider-unavailable',
    ],
    [
      'JSON of another kind',
      faultAt('/token', 200, 'application/json', '{"planted":1}'),
      'answer-invalid',
    ],
    ['a redirect', faultAt('/token', 302, 'text/html', ''), 'provider-unavailable'],
    [
      'an answer of several megabytes',
      faultAt('/token', 200, 'application/json', ' '.repeat(2_000_000)),
      'provider-unavailable',
    ],
    [
      'an overload',
      faultAt('/token', 400, 'application/json', '{"error":"temporarily_unavailable"}'),
      'provider-unavailable',
    ],
    [
      'keys of another provider',
      faultAt(
        '/jwks',
        200,
        'application/json',
        '{"keys":[{"kty":"RSA","kid":"key-9","n":"AQAB","e":"AQAB"}]}',
      ),
      'answer-invalid',
    ],
    ['no keys', faultAt('/jwks', 404, 'text/html', 'planted'), 'provider-unavailable'],
    [
      'a refusal of the userinfo endpoint',
      faultAt('/me', 401, 'application/json', '{}', {
        'www-authenticate': 'Bearer error="invalid_token"',
      }),
      'expired',
    ],
  ])('with %s is refused', async (_, fault, problem) => {
    const stack = await setUp();
    const browser = stack.browser();
    const callback = await browser.signInAtProvider();
    stack.provider.fault = fault;
    expect(reasonOf(await browser.return(callback))).toBe(problem);
    expect(inspect(stack.logged, { depth: 9 })).not.toMatch(/planted|access_token/);
    // The provider responds again. No restart is needed.
    stack.provider.fault = () => false;
    stack.wait(1);
    expect(reasonOf(await browser.signIn())).toBe(null);
  });
});

test('finds a new key of the provider', async () => {
  const stack = await setUp();
  await stack.browser().signIn();
  stack.provider.rotateKeys();
  stack.wait(1);
  const browser = stack.browser();
  await browser.signIn();
  expect(await sessionOf(browser)).toMatchObject({ name: 'Ada Lovelace' });
});

test('uses the claims of an ID token that contains all of them', async () => {
  const stack = await setUp({}, { hasFullIdTokens: true });
  const browser = stack.browser();
  await browser.signIn();
  expect(await sessionOf(browser)).toMatchObject({ name: 'Ada Lovelace' });
  expect(stack.provider.requests).not.toContain('/me');
});

test('refuses an ID token of another client, and an unsigned one', async () => {
  const stack = await setUp();
  const { provider } = stack;
  for (const forge of [
    (nonce: string) =>
      provider.sign({ sub: 'subject-ada', aud: 'another-client', nonce, exp: soon() }),
    (nonce: string) => provider.sign({ sub: 'subject-ada', nonce, exp: soon() - 3_600 }),
    async (nonce: string) => {
      const signed = await provider.sign({ sub: 'subject-ada', nonce, exp: soon() });
      return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${signed.split('.')[1]}.`;
    },
  ]) {
    const browser = stack.browser();
    const callback = await browser.signInAtProvider();
    const request = browser.visited.find((url) => url.includes('/auth?')) ?? '';
    const idToken = await forge(new URL(request).searchParams.get('nonce') ?? '');
    const answer = { access_token: 'at', token_type: 'Bearer', id_token: idToken };
    provider.fault = faultAt('/token', 200, 'application/json', JSON.stringify(answer));
    const page = await browser.return(callback);
    expect(page.searchParams.get('sign-in')).toBe('answer-invalid');
    provider.fault = () => false;
  }
});
const soon = () => Math.floor(Date.now() / 1_000) + 600;

test('reports an unreachable provider, and a refused client secret', async () => {
  const stack = await setUp();
  const stopped = await startProvider(stack.url);
  await stopped.stop();
  await stack.switchProcess({ RECONCILIATION_OIDC_ISSUER: stopped.issuer });
  const page = await stack.browser().signIn();
  expect(page.searchParams.get('sign-in')).toBe('provider-unavailable');
  await stack.switchProcess({
    RECONCILIATION_OIDC_CLIENT_SECRET_FILE: '',
    RECONCILIATION_OIDC_CLIENT_SECRET: 'planted-other-secret',
  });
  const refused = await stack.browser().signIn();
  expect(refused.searchParams.get('sign-in')).toBe('provider-refused');
  const reasons = stack.logged.flatMap(([, event, fields]) =>
    event === 'sign-in-failed' ? fields?.code : [],
  );
  expect(reasons).toEqual(['ECONNREFUSED', 'invalid_client']);
  expect(inspect(stack.logged, { depth: 9 })).not.toMatch(/planted/);
});

test('returns only to pages of the console', async () => {
  const stack = await setUp();
  for (const wanted of [
    ...['//other.example/console/', 'https://other.example/console/', '/orders', ''],
    ...['/console/../orders', '/console/sign-in/start', '/\\other.example', 'javascript:alert(1)'],
  ]) {
    const page = await stack.browser().signIn(wanted);
    expect(page.href, wanted).toBe(`${stack.url}/console/`);
  }
});

test('does not begin a sign-in for a page of another site', async () => {
  const stack = await setUp();
  const response = await stack.browser().go(`${stack.url}/console/sign-in/start`, 'cross-site');
  expect(await codeOf(response)).toEqual([403, 'origin-not-allowed']);
});

describe('without a provider', () => {
  test('does not offer a sign-in through a provider', async () => {
    const stack = await setUp();
    await stack.switchProcess({
      ...withoutProvider,
      RECONCILIATION_TOKENS: TOKENS,
    });
    const browser = stack.browser();
    expect(await (await browser.ask('/console/sign-in')).json()).toEqual({ token: true });
    const start = await browser.go(`${stack.url}/console/sign-in/start`);
    expect(await codeOf(start)).toEqual([404, 'not-found']);
  });
});
const withoutProvider = {
  RECONCILIATION_OIDC_ISSUER: '',
  RECONCILIATION_OIDC_CLIENT_ID: '',
  RECONCILIATION_OIDC_CLIENT_SECRET_FILE: '',
  RECONCILIATION_OIDC_ROLES_CLAIM: '',
  RECONCILIATION_OIDC_ROLES: '',
};

describe('tokens of people', () => {
  const enter = (browser: Browser) =>
    browser.ask('/console/session', 'POST', { token: 'worker-token-000001' });

  test('open the console in addition to the provider, until that is turned off', async () => {
    const stack = await setUp({ RECONCILIATION_TOKENS: PROGRAM_TOKENS });
    const browser = stack.browser();
    expect((await enter(browser)).status).toBe(201);
    expect(await sessionOf(browser)).toMatchObject({ name: 'worker' });
    // A sign-in in the same browser replaces that session.
    await browser.signIn();
    expect(await sessionOf(browser)).toMatchObject({ name: 'Ada Lovelace' });
    expect((await enter(browser)).status).toBe(201);

    await stack.switchProcess({ RECONCILIATION_TOKEN_SIGN_IN: 'false' });
    expect(await codeOf(await browser.ask('/console/session'))).toEqual([401, 'session-ended']);
    expect(await codeOf(await enter(browser))).toEqual([403, 'token-not-permitted']);
    expect(await (await browser.ask('/console/sign-in')).json()).toMatchObject({ token: false });
    const headers = { authorization: 'Bearer worker-token-000001' };
    expect(await codeOf(await fetch(`${stack.url}/orders`, { headers }))).toEqual(PERMITTED);
  });

  test('are not needed, and a request without a session is refused', async () => {
    const stack = await setUp();
    expect(await codeOf(await fetch(`${stack.url}/orders`))).toEqual([401, 'token-invalid']);
    const headers = { authorization: 'Bearer ' };
    expect(await codeOf(await fetch(`${stack.url}/orders`, { headers }))).toEqual([
      401,
      'token-invalid',
    ]);
  });
});

describe('a session of a person', () => {
  const ENDED = [401, 'session-ended'];
  const refreshes = ({ provider }: SignInStack) =>
    provider.requests.filter((path) => path === '/token').length - 1;

  async function signedIn(...how: Parameters<typeof startSignIn>) {
    const stack = await setUp(...how);
    const browser = stack.browser();
    await browser.signIn();
    return { ...stack, stack, browser };
  }

  test('works at each process of the store, and ends at all of them', async () => {
    const { browser, stack } = await signedIn();
    const callback = await browser.signInAtProvider();
    await stack.switchProcess();
    expect(await sessionOf(browser)).toMatchObject({ name: 'Ada Lovelace' });
    // A sign-in may begin at one process and end at another.
    expect((await browser.return(callback)).search).toBe('');
    const cookies = new Map(browser.cookies);
    expect((await browser.ask('/console/session', 'DELETE')).status).toBe(200);
    await stack.switchProcess();
    const copy = stack.browser();
    for (const [name, cookie] of cookies) copy.cookies.set(name, cookie);
    expect(await codeOf(await copy.ask('/orders'))).toEqual(ENDED);
  });

  test('ends without activity, and a renewal extends it', async () => {
    const { browser, stack } = await signedIn({ RECONCILIATION_OIDC_RECHECK_MINUTES: '60' });
    stack.wait(29);
    expect((await browser.ask('/console/session/renewal', 'POST', {})).status).toBe(200);
    stack.wait(29);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(PERMITTED);
    stack.wait(2);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
  });

  test('ends an hour after the sign-in if the provider issues no refresh token', async () => {
    const stack = await setUp();
    stack.provider.issuesRefreshTokens = false;
    const browser = stack.browser();
    await browser.signIn();
    for (const minutes of [20, 20, 19]) {
      stack.wait(minutes);
      await stack.confirm();
      expect((await browser.ask('/console/session/renewal', 'POST', {})).status).toBe(200);
    }
    stack.wait(2);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
    expect(refreshes(stack)).toBe(0);
  });

  test('is confirmed by the provider twice in an interval, with the current roles', async () => {
    const { browser, confirm, stack } = await signedIn();
    stack.wait(2);
    await confirm();
    expect(refreshes(stack)).toBe(0);
    stack.provider.people.set('subject-ada', { ...ada, roles: ['auditors'] });
    stack.wait(1);
    await confirm();
    expect(await sessionOf(browser)).toMatchObject({ name: 'Ada Lovelace', scopes: [] });
    await confirm();
    expect(refreshes(stack)).toBe(1);
    // The refresh token of the first check was used up.
    stack.wait(3);
    await confirm();
    expect(await sessionOf(browser)).toMatchObject({ name: 'Ada Lovelace', scopes: [] });
    expect(refreshes(stack)).toBe(2);
  });

  test('is confirmed by the process at which the person signed in, for all processes', async () => {
    const { browser, confirm, stack } = await signedIn();
    await stack.switchProcess();
    for (let minutes = 0; minutes < 12; minutes += 3) {
      stack.wait(3);
      await confirm();
      expect(await codeOf(await browser.ask('/orders'))).toEqual(PERMITTED);
    }
    expect(refreshes(stack)).toBe(4);
  });

  test('ends after the interval if that process has stopped', async () => {
    const { browser, engine, stack } = await signedIn();
    await stack.switchProcess();
    await engine.stop();
    stack.wait(4);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(PERMITTED);
    stack.wait(2);
    const refused = await browser.ask('/orders');
    expect(await refused.json()).toMatchObject({
      code: 'session-ended',
      detail: 'The OpenID provider has not confirmed your session within 5 minutes. Sign in again.',
    });
  });

  test.each([
    [
      'has no role any more',
      (stack: SignInStack) => void stack.provider.people.set('subject-ada', { name: 'Ada' }),
    ],
    ['was removed', (stack: SignInStack) => void stack.provider.people.delete('subject-ada')],
  ])('ends at the next check of a person who %s', async (_, change) => {
    const { browser, confirm, stack } = await signedIn();
    change(stack);
    stack.wait(3);
    await confirm();
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
    expect(await actionsOf(stack)).toMatchObject([
      { kind: 'sign-out', actor: 'Ada Lovelace', detail: '{"by":"provider"}' },
      { kind: 'sign-in' },
    ]);
  });

  test('ends when the configuration maps none of its roles', async () => {
    const { browser, stack } = await signedIn();
    await stack.switchProcess({ RECONCILIATION_OIDC_ROLES: 'auditors read' });
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
  });

  test('can be signed out while the provider fails', async () => {
    const { browser, stack } = await signedIn();
    stack.provider.fault = faultAt('/', 502, 'text/html', 'planted');
    expect((await browser.ask('/console/session', 'DELETE')).status).toBe(200);
    expect(await codeOf(await browser.ask('/orders'))).toEqual([401, 'token-invalid']);
  });

  test('signs out at the provider, too', async () => {
    const { browser, stack } = await signedIn();
    // The provider has a session: no one is asked again.
    stack.provider.next = undefined;
    const other = stack.browser();
    for (const [name, cookie] of browser.cookies) other.cookies.set(name, cookie);
    expect((await other.signIn()).search).toBe('');

    const out = await browser.ask('/console/session', 'DELETE');
    const { providerUrl } = signOutSchema.parse(await out.json());
    const form = await (await browser.go(providerUrl)).text();
    const end = new URLSearchParams({ logout: 'yes' });
    for (const [, name = '', value = ''] of form.matchAll(/name="([^"]+)" value="([^"]+)"/g)) {
      end.set(name, value);
    }
    const action = /action="([^"]+)"/.exec(form)?.[1] ?? '';
    const returned = await browser.submit(action, end);
    expect(returned.headers.get('location')).toMatch(`${stack.url}/console/`);
    expect((await browser.signIn()).searchParams.get('sign-in')).toBe('cancelled');
    // The provider has ended its session, which ends the copy.
    await expect.poll(async () => codeOf(await other.ask('/orders'))).toEqual(ENDED);
  });

  test('signs out at the provider from another process, without its ID token', async () => {
    const { browser, stack } = await signedIn();
    await stack.switchProcess();
    const out = await browser.ask('/console/session', 'DELETE');
    const { providerUrl } = signOutSchema.parse(await out.json());
    const query = new URL(providerUrl).searchParams;
    expect(query.get('client_id')).toBe('reconciliation');
    expect(query.has('id_token_hint')).toBe(false);
    expect(await (await browser.go(providerUrl)).text()).toContain('name="logout"');
  });

  test('keeps neither its secret nor a token of the provider in the store or the log', async () => {
    const { browser, confirm, stack } = await signedIn();
    stack.wait(3);
    await confirm();
    const [cookie] = [...browser.cookies].filter(([name]) => name.startsWith('financing-console'));
    const secret = cookie?.[1].value ?? '';
    const id = createHash('sha256').update(secret).digest('base64url');
    const rows = await stack.engine.facts.sessions([id]);
    expect(rows).toMatchObject([{ name: 'Ada Lovelace', roles: '["Group of finance"]' }]);
    const text = inspect([rows, stack.logged], { depth: 9 });
    expect(text).not.toContain(secret);
    expect(text).not.toMatch(/eyJ|refresh|subject":/);
    expect(inspect(stack.logged, { depth: 9 })).not.toMatch(/subject-ada|planted/);
  });

  test.each([
    ['another role', `roles = '["Group of finance","payers"]'`],
    ['another name', `name = 'Bob'`],
    ['another subject', `subject = 'subject-bob'`],
    ['a later end', 'ends_at = ends_at + 1'],
    ['a later confirmation', 'confirmed_until = confirmed_until + 1'],
  ])('is refused after someone changed its %s in the record store', async (_, change) => {
    const { browser, confirm, folder, stack } = await signedIn();
    meddle(folder, `update sessions set ${change}`);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
    // The process does not confirm it either, because a confirmation would make it valid.
    stack.wait(3);
    await confirm();
    expect(refreshes(stack)).toBe(0);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
  });

  test('is refused if it was forged in the record store', async () => {
    const { folder, stack } = await signedIn();
    const secret = 'A'.repeat(43);
    const id = createHash('sha256').update(secret).digest('base64url');
    meddle(
      folder,
      `insert into sessions select '${id}', 'Bob', issuer, 'subject-bob', null, roles, started_at,
        idle_ends_at, ends_at, confirmed_until, proof, ended from sessions`,
    );
    const browser = stack.browser();
    const name = `financing-console-${new URL(stack.url).port}`;
    browser.cookies.set(name, { value: secret, isStrict: true });
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
  });
});

/** Writes to the record store, bypassing the program. */
function meddle(folder: string, statement: string): void {
  const store = new DatabaseSync(join(folder, 'facts.db'));
  store.exec(statement);
  store.close();
}

describe('missing claims', () => {
  const ENDED = [401, 'session-ended'];
  const token = { access_token: 'fresh', token_type: 'Bearer', expires_in: 300 };
  const userinfo = (roles?: string[]) => ({
    sub: 'subject-ada',
    name: 'Ada Lovelace',
    ...(roles && { realm_access: { roles } }),
  });
  const idToken = (stack: SignInStack, claims: object = {}) =>
    stack.provider.sign({ sub: 'subject-ada', exp: soon(), ...claims });

  /** Signs in, replaces the provider's answers, and has the session confirmed. */
  async function confirmedWith(
    answers: (stack: SignInStack) => Promise<Record<string, object>> | Record<string, object>,
    options: Parameters<typeof startSignIn>[1] = {},
  ) {
    const stack = await setUp({}, options);
    const browser = stack.browser();
    await browser.signIn();
    stack.provider.fault = answersAt(await answers(stack));
    stack.wait(3);
    await stack.confirm();
    return { browser, stack, answer: await browser.ask('/orders') };
  }

  test('without an ID token at the refresh: the userinfo endpoint decides about a removed role', async () => {
    const { answer } = await confirmedWith(() => ({ '/token': token, '/me': userinfo([]) }));
    expect(await codeOf(answer)).toEqual(ENDED);
  });

  test('without an ID token at the refresh: the session continues with the roles of userinfo', async () => {
    const { browser } = await confirmedWith(() => ({
      '/token': token,
      '/me': userinfo(['auditors']),
    }));
    expect(await sessionOf(browser)).toMatchObject({ name: 'Ada Lovelace', scopes: [] });
  });

  test('without roles in the refreshed ID token: the session continues with those of userinfo', async () => {
    const { browser } = await confirmedWith(async (stack) => ({
      '/token': { ...token, id_token: await idToken(stack, { iat: soon() }) },
      '/me': userinfo(['auditors']),
    }));
    expect(await sessionOf(browser)).toMatchObject({ scopes: [] });
  });

  test.each([
    [
      'no ID token and no roles',
      () => ({ '/token': token, '/me': userinfo() }),
      'no ID token, no roles at the userinfo endpoint',
    ],
    [
      'an ID token and userinfo without roles',
      async (stack: SignInStack) => ({
        '/token': { ...token, id_token: await idToken(stack, { iat: soon() }) },
        '/me': userinfo(),
      }),
      'no roles in the ID token, no roles at the userinfo endpoint',
    ],
  ])(
    'without any source, with %s: the session ends, and names what was omitted',
    async (...given) => {
      const [, answers, reason] = given;
      const { answer, stack } = await confirmedWith(answers);
      expect(await answer.json()).toMatchObject({
        code: 'session-ended',
        detail: `The OpenID provider no longer states your roles, the claim "realm_access.roles": ${reason}.`,
      });
      expect(stack.logged).toContainEqual([
        'warn',
        'session-ended-by-provider',
        { code: 'no-role', reason },
      ]);
    },
  );

  test('with a new ID token that has the roles: needs no other source', async () => {
    const { browser, stack } = await confirmedWith(async (stack) => ({
      '/token': {
        ...token,
        id_token: await idToken(stack, { iat: soon(), realm_access: { roles: ['payers'] } }),
      },
    }));
    expect(await sessionOf(browser)).toMatchObject({ scopes: ['money'] });
    expect(stack.provider.requests.filter((path) => path === '/me')).toHaveLength(1);
  });

  test('with the earlier ID token again: userinfo decides', async () => {
    const { answer } = await confirmedWith(
      async (stack) => ({
        // Issued at the sign-in, with the roles at that time.
        '/token': {
          ...token,
          id_token: await idToken(stack, { iat: soon() - 700, realm_access: { roles: ada.roles } }),
        },
        '/me': userinfo([]),
      }),
      { hasFullIdTokens: true },
    );
    expect(await codeOf(answer)).toEqual(ENDED);
  });

  test.each([
    ['a failure of the token endpoint', faultAt('/token', 502, 'text/html', 'planted')],
    ['a failure of the userinfo endpoint', faultAt('/me', 502, 'text/html', 'planted')],
  ])('without an answer, with %s: the session ends after the interval', async (_, fault) => {
    const stack = await setUp();
    const browser = stack.browser();
    await browser.signIn();
    stack.provider.fault = fault;
    stack.wait(3);
    await stack.confirm();
    expect(await codeOf(await browser.ask('/orders'))).toEqual(PERMITTED);
    stack.wait(3);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
    await stack.confirm();
    const refused = await browser.ask('/orders');
    expect(await refused.json()).toMatchObject({
      detail: expect.stringMatching(
        /has not confirmed your session within 5 minutes \((?:OAUTH|userinfo)[\w-]+\)\. Sign in again/,
      ) as string,
    });
    // It has ended permanently.
    stack.provider.fault = () => false;
    stack.wait(1);
    await stack.confirm();
    expect(await codeOf(await browser.ask('/orders'))).toEqual(ENDED);
    expect((await actionsOf(stack)).map(({ kind }) => kind)).toEqual(['sign-out', 'sign-in']);
  });

  test('without userinfo for a while: keeps the refresh token that replaced the used one', async () => {
    const stack = await setUp();
    const browser = stack.browser();
    await browser.signIn();
    stack.provider.fault = faultAt('/me', 503, 'text/html', 'planted');
    stack.wait(3);
    await stack.confirm();
    stack.provider.fault = () => false;
    stack.wait(1);
    await stack.confirm();
    stack.wait(3);
    expect(await codeOf(await browser.ask('/orders'))).toEqual(PERMITTED);
  });

  test.each([
    ['another person', { ...userinfo(['payers']), sub: 'subject-bob' }],
    ['no person', { realm_access: { roles: ada.roles } }],
    ['a list', [userinfo(ada.roles)]],
  ])('with a userinfo of %s: does not confirm the session', async (_, body) => {
    const { answer } = await confirmedWith(() => ({ '/token': token, '/me': body }));
    expect(await codeOf(answer)).toEqual(ENDED);
  });

  test('with roles missing in one source: an object of the other source does not hide that', async () => {
    const { browser } = await confirmedWith(async (stack) => ({
      '/token': {
        ...token,
        id_token: await idToken(stack, { iat: soon(), realm_access: { other: [] } }),
      },
      '/me': userinfo(['payers']),
    }));
    expect(await sessionOf(browser)).toMatchObject({ scopes: ['money'] });
  });
});

describe('userinfo as a signed JWT', () => {
  const claims = { sub: 'subject-ada', name: 'Ada Lovelace', realm_access: { roles: ada.roles } };
  async function signInWith(make: (stack: SignInStack) => Promise<string>) {
    const stack = await setUp();
    stack.provider.fault = faultAt('/me', 200, 'application/jwt; charset=utf-8', await make(stack));
    return (await stack.browser().signIn()).searchParams.get('sign-in');
  }

  test.each([
    ['with issuer and audience', {}],
    ['without them', { iss: undefined, aud: undefined }],
  ])('is read %s', async (_, change) => {
    expect(await signInWith(({ provider }) => provider.sign({ ...claims, ...change }))).toBe(null);
  });

  test.each([
    ['of another client', { aud: 'another-client' }],
    ['of another issuer', { iss: 'https://other.example' }],
    ['of another person', { sub: 'subject-bob' }],
    ['that has expired', { exp: 1_000_000_000 }],
  ])('%s is refused', async (_, change) => {
    const problem = await signInWith(({ provider }) => provider.sign({ ...claims, ...change }));
    expect(problem).toBe('answer-invalid');
  });

  test.each([
    ['forged', (good: string) => `${good.slice(0, -8)}AAAAAAAA`],
    [
      'without a signature',
      (good: string) =>
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
    ],
  ])('that is %s is refused', async (_, change) => {
    const make = async ({ provider }: SignInStack) => change(await provider.sign(claims));
    expect(await signInWith(make)).toBe('answer-invalid');
  });
});

test('names an overage of groups on the sign-in page and in the log', async () => {
  const stack = await setUp();
  stack.provider.fault = answersAt({
    '/me': {
      sub: 'subject-ada',
      name: 'Ada Lovelace',
      _claim_names: { 'realm_access.roles': 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example/planted' } },
    },
  });
  const page = await stack.browser().signIn();
  expect(page.searchParams.get('sign-in')).toBe('too-many-groups');
  const [, , line] = stack.logged.find(([, event]) => event === 'sign-in-failed') ?? [];
  expect(line).toMatchObject({ reason: 'too-many-groups', code: 'claim-left-out' });
  expect(stack.provider.requests).not.toContain('/planted');
});

test('logs the issuer that the provider states instead of the configured one', async () => {
  const stack = await setUp();
  const body = '{"issuer":"https://other.example/tenant"}';
  await stack.switchProcess();
  stack.provider.fault = faultAt('/.well-known/', 200, 'application/json', body);
  const page = await stack.browser().signIn();
  expect(page.searchParams.get('sign-in')).toBe('provider-unavailable');
  const lines = stack.logged.filter(([, event]) => event === 'sign-in-failed');
  expect(lines).toMatchObject([
    ['warn', 'sign-in-failed', { issuer: 'https://other.example/tenant' }],
  ]);
});

describe('a logout token', () => {
  const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const post = async ({ url }: SignInStack, token: string) =>
    fetch(`${url}/console/sign-in/back-channel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });

  test('of a person ends all sessions of this person, and no others', async () => {
    const stack = await setUp();
    stack.provider.people.set('subject-bob', { ...ada, name: 'Bob' });
    const browsers = [stack.browser(), stack.browser(), stack.browser()];
    const [first, second, other] = browsers;
    await first?.signIn();
    await second?.signIn();
    stack.provider.next = 'subject-bob';
    await other?.signIn();
    const token = await stack.provider.sign(
      { sub: 'subject-ada', events: EVENT, jti: '1' },
      'logout+jwt',
    );
    expect((await post(stack, token)).status).toBe(200);
    const codes = await Promise.all(browsers.map(async (one) => (await one.ask('/orders')).status));
    expect(codes).toEqual([401, 401, 503]);
    expect(await actionsOf(stack)).toMatchObject([
      { kind: 'sign-out', actor: 'Ada Lovelace', detail: '{"by":"provider"}' },
      { kind: 'sign-in', actor: `Bob (${new URL(stack.provider.issuer).host})` },
      {},
      {},
    ]);
    // A copy of the token does not end a later session.
    stack.wait(1);
    stack.provider.next = 'subject-ada';
    const later = stack.browser();
    await later.signIn();
    expect((await post(stack, token)).status).toBe(200);
    expect((await later.ask('/orders')).status).toBe(503);
  });

  test('is ignored if it is forged, old or of another kind', async () => {
    const stack = await setUp();
    const browser = stack.browser();
    await browser.signIn();
    const { provider } = stack;
    const sub = 'subject-ada';
    const good = await provider.sign({ sub, events: EVENT }, 'logout+jwt');
    const tokens = [
      '',
      'not-a-token',
      `${good.slice(0, -4)}AAAA`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
      await provider.sign({ sub, events: EVENT, nonce: 'n' }, 'logout+jwt'),
      await provider.sign({ sub, events: EVENT }, 'at+jwt'),
      await provider.sign({ sub, events: EVENT, aud: 'another-client' }, 'logout+jwt'),
      await provider.sign({ sub, events: EVENT, iss: 'https://other.example' }, 'logout+jwt'),
      await provider.sign({ sub, events: EVENT, iat: soon() - 3_600 }, 'logout+jwt'),
      await provider.sign({ sub, exp: soon() }),
      await provider.sign({ sub, events: { other: {} } }, 'logout+jwt'),
      await provider.sign({ events: EVENT }, 'logout+jwt'),
    ];
    for (const token of tokens) {
      expect(await codeOf(await post(stack, token))).toEqual([400, 'invalid-request']);
    }
    const json = await fetch(`${stack.url}/console/sign-in/back-channel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ logout_token: good }),
    });
    expect(await codeOf(json)).toEqual([400, 'invalid-request']);
    expect((await browser.ask('/orders')).status).toBe(503);
    expect((await post(stack, good)).status).toBe(200);
    expect((await browser.ask('/orders')).status).toBe(401);
  });
});
