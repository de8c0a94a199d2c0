import fc from 'fast-check';
import { Hono } from 'hono';
import { describe, expect, test, vi } from 'vitest';
import { type AccessRefusal, type AccessRules, createAccess } from './access.ts';
import { equalInConstantTime } from '../secret/secret.ts';
import { type AccessToken, findToken } from './token.ts';

type Scope = 'read' | 'notes' | 'money';
type Token = AccessToken<Scope>;

class Refused extends Error {
  readonly refusal: AccessRefusal;
  constructor(refusal: AccessRefusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

const tokenOf = (name: string, ...scopes: Scope[]): Token => ({
  name,
  scopes,
  secret: { reveal: () => `token-of-${name}` },
});

/** Returns a function that requests a route with a scope and resolves with the actor or the refusal. */
function listener(change: Partial<AccessRules<Token>> = {}, session?: Token) {
  const access = createAccess<Token>({
    tokens: [],
    setting: 'TOKENS',
    localScopes: ['notes'],
    refuse: (refusal) => new Refused(refusal),
    ...change,
  });
  const app = new Hono();
  app.get('/:scope', async (c) => {
    const scope = c.req.param('scope') as Scope;
    const caller = await access.require(c, scope, () => Promise.resolve(session));
    return c.text(caller.name);
  });
  app.onError((error, c) =>
    c.text(error instanceof Refused ? error.refusal.reason : 'failed', 403),
  );
  return async (scope: Scope, headers: Record<string, string> = {}) => {
    const answer = await app.request(`http://127.0.0.1:4001/${scope}`, { headers });
    return [await answer.text(), answer.headers.get('www-authenticate')];
  };
}

describe('with tokens', () => {
  const tokens = [tokenOf('reader'), tokenOf('till', 'money')];
  const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` });

  test('uses the token name as the actor, and limits the token to its scopes and read access', async () => {
    const ask = listener({ tokens });
    expect(await ask('read', bearer('reader'))).toEqual(['reader', null]);
    expect(await ask('money', bearer('till'))).toEqual(['till', null]);
    expect(await ask('money', bearer('reader'))).toEqual([
      'not-permitted',
      'Bearer error="insufficient_scope", scope="money"',
    ]);
    // A token does not get the local scopes.
    expect((await ask('notes', bearer('reader')))[0]).toBe('not-permitted');
  });

  test.each([
    '',
    'Bearer',
    'Bearer token-of-reade',
    'Bearer token-of-readerx',
    'Basic cmVhZGVyOg==',
  ])('refuses the credential "%s"', async (authorization) => {
    const ask = listener({ tokens }, tokenOf('ines'));
    expect(await ask('read', { authorization })).toEqual(['unauthenticated', 'Bearer']);
  });

  test('uses a session only if the request has no Authorization header', async () => {
    const ask = listener({ tokens }, tokenOf('ines', 'money'));
    expect(await ask('money')).toEqual(['ines', null]);
    expect((await ask('money', bearer('reader')))[0]).toBe('not-permitted');
    expect(await listener({ tokens })('read')).toEqual(['unauthenticated', 'Bearer']);
  });

  test('serves clients behind a proxy', async () => {
    const headers = {
      ...bearer('reader'),
      'x-forwarded-for': '203.0.113.7',
      host: 'office.example',
    };
    expect((await listener({ tokens })('read', headers))[0]).toBe('reader');
  });
});

describe('without tokens', () => {
  test('gives programs on this machine the local scopes and no others', async () => {
    const ask = listener();
    expect((await ask('read'))[0]).toBe('loopback');
    expect((await ask('notes'))[0]).toBe('loopback');
    expect((await ask('money'))[0]).toBe('not-permitted');
    expect((await listener({ localScopes: [] })('notes'))[0]).toBe('not-permitted');
  });

  test.each([
    ['a page of another site', { origin: 'https://other.example' }],
    ['a page without an origin', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }],
    ['a name of a foreign DNS', { host: 'rebound.example:4001' }],
    ['a name that begins like loopback', { host: '127.0.0.1.rebound.example' }],
    ['a proxy', { forwarded: 'for=203.0.113.7' }],
    ['a proxy', { via: '1.1 proxy' }],
    ['a proxy', { 'x-forwarded-for': '127.0.0.1' }],
    ['a proxy', { 'x-forwarded-proto': 'https' }],
    ['a proxy', { 'x-forwarded-host': 'office.example' }],
    ['a proxy', { 'x-real-ip': '203.0.113.7' }],
  ])('refuses a request from %s: %j', async (_, headers) => {
    const requireOwnPage = () => {
      throw new Refused({ reason: 'not-local', detail: 'another page' });
    };
    const sent = headers as Record<string, string>;
    expect((await listener()('read', sent))[0]).toBe('not-local');
    expect((await listener({ requireOwnPage })('read', sent))[0]).toBe('not-local');
  });

  test('serves the listener’s own pages if it permits them, but not proxies', async () => {
    const ask = listener({ requireOwnPage: () => undefined });
    const page = { origin: 'http://127.0.0.1:4001' };
    expect((await ask('read', page))[0]).toBe('loopback');
    expect((await ask('money', page))[0]).toBe('not-permitted');
    expect((await ask('read', { ...page, via: '1.1 proxy' }))[0]).toBe('not-local');
  });
});

test.each([
  ['a name of another actor', [tokenOf('loopback')]],
  ['a reserved name', [tokenOf('robot')]],
  ['a name with a comma', [tokenOf('ines, for')]],
  ['a name twice', [tokenOf('ines'), tokenOf('ines', 'money')]],
])('refuses %s, because an audit trail could not tell the actors apart', (_, tokens) => {
  expect(() => listener({ tokens, reservedNames: ['robot'] })).toThrow(TypeError);
});

describe('the comparison of secrets', () => {
  test('agrees with ===', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(equalInConstantTime(left, right)).toBe(left === right);
        expect(equalInConstantTime(left, left)).toBe(true);
      }),
    );
  });

  test('does not treat a missing character as a NUL', () => {
    expect(equalInConstantTime('key', 'key\0')).toBe(false);
    expect(equalInConstantTime('', '\0')).toBe(false);
  });

  test('takes the same number of steps for each wrong guess, whichever token the guess resembles', () => {
    const tokens = ['one', 'two', 'six'].map((name) => tokenOf(name));
    function steps(guess: string): number {
      const spy = vi.spyOn(String.prototype, 'charCodeAt');
      try {
        findToken(tokens, guess);
        return spy.mock.calls.length;
      } finally {
        spy.mockRestore();
      }
    }
    const all = ['token-of-one', 'token-of-six', 'Xoken-of-one', 'token-of-onX'].map(steps);
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toBeGreaterThanOrEqual(2 * tokens.length * 'token-of-one'.length);
  });
});
