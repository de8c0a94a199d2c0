import { expect, test } from 'vitest';
import { faultAt } from '../sign-in/provider.fixture.ts';
import { codeOf, PROGRAM_TOKENS } from './session.fixture.ts';
import { type SignInStack, startSignIn } from './sign-in.fixture.ts';

const OFFICE = '192.0.2.7';
const LOGOUT = {
  sub: 'subject-ada',
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
};

/** Starts a stack with one person and tokens. */
async function setUp(): Promise<SignInStack> {
  const stack = await startSignIn({ RECONCILIATION_TOKENS: PROGRAM_TOKENS });
  stack.provider.people.set('subject-ada', { name: 'Ada Lovelace', roles: ['Group of finance'] });
  stack.provider.next = 'subject-ada';
  return stack;
}

const headersFrom = (address: string | undefined): Record<string, string> =>
  address === undefined ? {} : { 'x-forwarded-for': address };

/** Requests the redirect URI as a page of another site does, such as by an image. */
const callback = ({ url }: SignInStack, address?: string, query = 'code=x&state=x') =>
  fetch(`${url}/console/sign-in/callback?${query}`, {
    redirect: 'manual',
    headers: { ...headersFrom(address), 'sec-fetch-site': 'cross-site' },
  });

const logout = ({ url }: SignInStack, token: string, address?: string) =>
  fetch(`${url}/console/sign-in/back-channel-logout`, {
    method: 'POST',
    headers: headersFrom(address),
    body: new URLSearchParams({ logout_token: token }),
  });

const enter = async ({ browser }: SignInStack, token: string) =>
  (await browser(OFFICE).ask('/console/session', 'POST', { token })).status;
const signsIn = async ({ browser }: SignInStack) =>
  (await browser(OFFICE).signIn()).searchParams.get('sign-in') === null;
const actionsOf = ({ engine }: SignInStack) => engine.facts.trail(Number.MAX_SAFE_INTEGER, 100);
const failuresOf = ({ logged }: SignInStack) =>
  logged.filter(([, event]) => event === 'sign-in-failed');

test.each([
  ['the address of an office', OFFICE],
  ['clients without an address', undefined],
])(
  '600 callbacks of another site from %s do not lock anyone out and leave no trace',
  async (_, from) => {
    const stack = await setUp();
    for (let count = 0; count < 600; count++) {
      const answer = await callback(stack, from);
      expect(answer.headers.get('location')).toBe('/console/?sign-in=expired');
    }
    expect(stack.provider.requests).toEqual([]);
    expect(failuresOf(stack)).toEqual([]);
    expect(await actionsOf(stack)).toEqual([]);
    const browser = stack.browser(from);
    expect((await browser.signIn()).search).toBe('');
  },
);

test('a callback of another site does not end a pending sign-in of the browser', async () => {
  const stack = await setUp();
  const browser = stack.browser(OFFICE);
  const own = await browser.signInAtProvider();
  await browser.go(
    `${stack.url}/console/sign-in/callback?code=x&state=${'x'.repeat(43)}`,
    'cross-site',
  );
  expect((await browser.return(own)).search).toBe('');
});

test('a fabricated error does not end a sign-in, and is not recorded', async () => {
  const stack = await setUp();
  const location = (await callback(stack, OFFICE, 'error=access_denied&state=x')).headers;
  expect(location.get('location')).toBe('/console/?sign-in=expired');
  expect(await actionsOf(stack)).toEqual([]);
});

test('callbacks with a refused code are limited per address', async () => {
  const stack = await setUp();
  const fail = async () => {
    const browser = stack.browser(OFFICE);
    const address = await browser.signInAtProvider();
    address.searchParams.set('code', 'made-up');
    return (await browser.return(address)).searchParams.get('sign-in');
  };
  for (let count = 0; count < 10; count++) expect(await fail()).toBe('expired');
  const calls = stack.provider.requests.filter((path) => path === '/token').length;
  expect(await fail()).toBe('rate-limited');
  expect(stack.provider.requests.filter((path) => path === '/token')).toHaveLength(calls);
  expect(failuresOf(stack)).toHaveLength(10);
  // Tokens and logout tokens have separate budgets per address.
  expect(await enter(stack, 'worker-token-000001')).toBe(201);
  const token = await stack.provider.sign(LOGOUT, 'logout+jwt');
  expect((await logout(stack, token, OFFICE)).status).toBe(200);
  stack.wait(1);
  expect(await signsIn(stack)).toBe(true);
});

test('people without a role do not use up the budget of their address', async () => {
  const stack = await setUp();
  stack.provider.people.set('subject-bob', { name: 'Bob', roles: ['unmapped'] });
  stack.provider.next = 'subject-bob';
  for (let count = 0; count < 11; count++) {
    const page = await stack.browser(OFFICE).signIn();
    expect(page.searchParams.get('sign-in')).toBe('no-role');
  }
  stack.provider.next = 'subject-ada';
  expect(await signsIn(stack)).toBe(true);
});

test('mistyped tokens refuse neither a sign-in through the provider nor a logout token', async () => {
  const stack = await setUp();
  for (let count = 0; count < 10; count++) {
    expect(await enter(stack, 'mistyped-token-00001')).toBe(401);
  }
  expect(await enter(stack, 'worker-token-000001')).toBe(429);
  expect(await signsIn(stack)).toBe(true);
  const token = await stack.provider.sign(LOGOUT, 'logout+jwt');
  expect((await logout(stack, token, OFFICE)).status).toBe(200);
});

test.each([
  ['the address of the provider', '198.51.100.1', 10],
  ['clients without an address', undefined, 500],
])('520 invalid logout tokens from %s do not refuse a valid one', async (_, from, limit) => {
  const stack = await setUp();
  const browser = stack.browser(OFFICE);
  await browser.signIn();
  const answers: (string | undefined)[] = [];
  for (let count = 0; count < 520; count++) {
    answers.push((await codeOf(await logout(stack, 'made-up', from)))[1]);
  }
  const expected = answers.map((_, index) => (index < limit ? 'invalid-request' : 'rate-limited'));
  expect(answers).toEqual(expected);
  expect(failuresOf(stack)).toHaveLength(limit);
  const token = await stack.provider.sign(LOGOUT, 'logout+jwt');
  expect((await logout(stack, token, from)).status).toBe(200);
  expect((await browser.ask('/orders')).status).toBe(401);
});

test('invalid logout tokens do not block sign-ins from their address', async () => {
  const stack = await setUp();
  for (let count = 0; count < 20; count++) await logout(stack, 'made-up', OFFICE);
  expect(await signsIn(stack)).toBe(true);
  expect(await enter(stack, 'worker-token-000001')).toBe(201);
});

test('logout tokens with unknown keys share one request for the keys of the provider', async () => {
  const stack = await setUp();
  await stack.browser().signIn();
  stack.wait(1);
  const reads = () => stack.provider.requests.filter((path) => path === '/jwks').length;
  const before = reads();
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = (kid: string) =>
    [part({ alg: 'RS256', kid }), part(LOGOUT), 'A'.repeat(342)].join('.');
  const all = Array.from({ length: 100 }, (_, index) =>
    logout(stack, forged(`key-${index}`), `203.0.113.${index}`),
  );
  for (const answer of await Promise.all(all)) expect(answer.status).toBe(400);
  expect(reads() - before).toBe(1);
  // A token with a new key of the provider is accepted a moment later.
  stack.provider.rotateKeys();
  stack.wait(1);
  const token = await stack.provider.sign(LOGOUT, 'logout+jwt');
  expect((await logout(stack, token)).status).toBe(200);
});

test('sign-ins that begin during a failure of the provider share one request, and work later', async () => {
  const stack = await setUp();
  const discoveries = () =>
    stack.provider.requests.filter((path) => path.startsWith('/.well-known/')).length;
  stack.provider.fault = faultAt('/.well-known/', 503, 'text/html', 'planted');
  for (let count = 0; count < 30; count++) await stack.browser(OFFICE).signIn();
  expect(discoveries()).toBe(1);
  stack.provider.fault = () => false;
  stack.wait(1);
  expect(await signsIn(stack)).toBe(true);
});
