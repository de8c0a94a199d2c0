import { randomBytes } from 'node:crypto';
import { codeFor, ROLE, KEY_ID } from './person.ts';
import type { Flood } from './routes.ts';
import { newSecret, type PageAnswer, type PageRequest, type Proxy } from './shopper.ts';

export const TOKEN = randomBytes(24).toString('base64url');

/** Settings of a console with an access token and the stand-in for the OpenID provider. */
export const consoleSettings = (issuer: string): Record<string, string> => ({
  RECONCILIATION_TOKENS: `bench read ${TOKEN}`,
  RECONCILIATION_OIDC_ISSUER: issuer,
  RECONCILIATION_OIDC_CLIENT_ID: 'reconciliation',
  RECONCILIATION_OIDC_CLIENT_SECRET: 'bench-client-secret-0001',
  RECONCILIATION_OIDC_ROLES: `${ROLE} cases`,
});

/** Headers of the console's page, at the address that the proxy has for browsers. */
const ofPage = (origin: string, further: Record<string, string> = {}) => ({
  origin,
  'sec-fetch-site': 'same-origin',
  'financing-console': '1',
  ...further,
});

const entry = (origin: string, token: string): PageRequest => ({
  method: 'POST',
  path: '/console/session',
  headers: ofPage(origin, { 'content-type': 'application/json' }),
  body: JSON.stringify({ token }),
});
const logout = (token: string): PageRequest => ({
  method: 'POST',
  path: '/console/sign-in/back-channel-logout',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ logout_token: token }).toString(),
});
const start: PageRequest = {
  method: 'GET',
  path: '/console/sign-in/start',
  headers: { 'sec-fetch-site': 'same-origin' },
};

/** Returns a logout token that the provider has not signed. */
function forged(kid: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg: 'RS256', kid });
  return [header, part({ sub: newSecret() }), randomBytes(256).toString('base64url')].join('.');
}

/** Begins a sign-in at the provider. */
async function begin(proxy: Proxy, client: string) {
  const begun = await proxy.send(client, start);
  const query = new URL(begun.location ?? 'https://none').searchParams;
  const cookie = begun.cookie ?? '';
  const returning = (code: string): PageRequest => ({
    method: 'GET',
    path: `/console/sign-in/callback?${new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()}`,
    headers: { cookie, 'sec-fetch-site': 'cross-site' },
  });
  return { begun, returning, nonce: query.get('nonce') ?? '' };
}

/** People of an office who sign in, and the provider that signs a person out. */
export class Office {
  readonly #proxy: Proxy;
  readonly #logoutToken: string;
  /** Undefined if each request has its own address. */
  readonly #address: string | undefined;
  #work = 0;

  constructor(proxy: Proxy, logoutToken: string, address?: string) {
    this.#proxy = proxy;
    this.#logoutToken = logoutToken;
    this.#address = address;
  }

  /** Does what people do, in turn. @returns the answer if it was not the expected one */
  async work(): Promise<string | undefined> {
    const works = [() => this.#useToken(), () => this.#useProvider(), () => this.#endSession()];
    return works[this.#work++ % works.length]?.();
  }

  get #client(): string {
    return this.#address ?? this.#proxy.newClient();
  }

  async #useToken(): Promise<string | undefined> {
    const client = this.#client;
    const entered = await this.#proxy.send(client, entry(this.#proxy.url, TOKEN));
    if (entered.status !== 201) return refusal(entered);
    const headers = ofPage(this.#proxy.url, { cookie: entered.cookie ?? '' });
    const session = await this.#proxy.send(client, {
      method: 'GET',
      path: '/console/session',
      headers,
    });
    return session.status === 200 ? undefined : refusal(session);
  }

  async #useProvider(): Promise<string | undefined> {
    const client = this.#client;
    const { begun, nonce, returning } = await begin(this.#proxy, client);
    if (begun.status !== 302 || nonce === '') return refusal(begun);
    const page = await this.#proxy.send(client, returning(codeFor(nonce)));
    return page.location === '/console/' ? undefined : refusal(page);
  }

  async #endSession(): Promise<string | undefined> {
    const answer = await this.#proxy.send(this.#client, logout(this.#logoutToken));
    return answer.status === 200 ? undefined : refusal(answer);
  }
}

const refusal = ({ location = '', status, text }: PageAnswer) => `${status} ${location} ${text}`;

/** Number of sign-ins to begin for a flood of callbacks. */
const BEGUN = 60;

/** Floods of the console's routes that need no session, and of routes with a made-up session. */
export const consoleFloods: readonly Flood[] = [
  {
    route: 'GET /console/sign-in',
    reaches: [200],
    isLimited: false,
    calls: [],
    hasNeighbors: true,
    prepare: () => () => ({ method: 'GET', path: '/console/sign-in' }),
  },
  {
    route: 'GET /console/sign-in/start',
    reaches: [302],
    isLimited: false,
    calls: [],
    hasNeighbors: true,
    prepare: () => () => start,
  },
  {
    route: 'GET /console/sign-in/callback of another site',
    reaches: [302],
    isLimited: false,
    calls: [],
    hasNeighbors: true,
    prepare: () => () => ({
      method: 'GET',
      path: `/console/sign-in/callback?code=x&state=${newSecret()}`,
      headers: { 'sec-fetch-site': 'cross-site' },
    }),
  },
  {
    route: 'GET /console/sign-in/callback',
    reaches: [302],
    // A redirect reports the limit, so the status does not.
    isLimited: false,
    calls: [],
    async prepare(proxy) {
      const all = await Promise.all(
        Array.from({ length: BEGUN }, () => begin(proxy, proxy.newClient())),
      );
      let next = 0;
      return () => {
        const one = all[next++ % all.length];
        if (one === undefined) throw new Error('No sign-in was begun.');
        return one.returning(`made-up-${newSecret()}`);
      };
    },
  },
  {
    route: 'POST /console/sign-in/back-channel-logout',
    reaches: [400],
    isLimited: true,
    calls: [],
    hasNeighbors: true,
    prepare: () => () => logout(forged(KEY_ID)),
  },
  {
    route: 'POST /console/sign-in/back-channel-logout with unknown keys',
    reaches: [400],
    isLimited: true,
    calls: [],
    hasNeighbors: true,
    prepare: () => () => logout(forged(newSecret())),
  },
  {
    route: 'POST /console/session',
    reaches: [401],
    isLimited: true,
    calls: [],
    prepare: (proxy) => () => entry(proxy.url, newSecret()),
  },
  {
    route: 'GET /console/session',
    reaches: [401],
    isLimited: false,
    calls: [],
    hasNeighbors: true,
    prepare: (proxy) => () => {
      const value = randomBytes(32).toString('base64url');
      const cookie = `financing-console-${new URL(proxy.url).port}=${value}`;
      return { method: 'GET', path: '/console/session', headers: ofPage(proxy.url, { cookie }) };
    },
  },
];
