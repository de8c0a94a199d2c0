import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Clock, systemClock } from '@financing-checkout/kit';
import { onTestFinished } from 'vitest';
import { readConfiguration } from '../config/config.ts';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import type { Logger } from '../platform/log.ts';
import { createProgram, type Program } from '../program.ts';
import { variablesOf } from '../program.fixture.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type ProviderOptions,
  startProvider,
  type TestProvider,
} from '../sign-in/provider.fixture.ts';

/** Roles for the tests, in the syntax of a file and of a single line. */
export const ROLES = 'Group of finance  cases,periods\nauditors read; payers money';

export interface SignInStack {
  url: string;
  provider: TestProvider;
  logged: Parameters<Logger['log']>[];
  engine: Program['engine'];
  folder: string;
  /** Advances the programs' clock. */
  wait: (minutes: number) => void;
  /** Makes each process confirm its due sessions. */
  confirm: () => Promise<void>;
  /** Returns a browser without cookies. @param address the client's address; undefined: this machine */
  browser: (address?: string) => Browser;
  /** Makes another process on the same store serve the console's address. */
  switchProcess: (change?: Record<string, string>) => Promise<Program['engine']>;
}

/** Starts a provider, and programs that have opened only their record store. */
export async function startSignIn(
  change: Record<string, string> = {},
  { policy = '{}', ...options }: ProviderOptions & { policy?: string } = {},
): Promise<SignInStack> {
  let answer: ReturnType<typeof getRequestListener> | undefined;
  const server = createServer((request, response) => void answer?.(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const provider = await startProvider(url, options);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await provider.stop();
  });
  let now = Date.now();
  const clock: Clock = { ...systemClock, now: () => now };
  const logged: SignInStack['logged'] = [];
  const logger = { log: (...entry: Parameters<Logger['log']>) => void logged.push(entry) };
  const folder = temporaryFolder();
  const engines: Program['engine'][] = [];
  const secret: Record<string, string> = options.isPublic
    ? {}
    : { RECONCILIATION_OIDC_CLIENT_SECRET_FILE: '/secret' };

  async function start(more: Record<string, string>): Promise<Program['engine']> {
    const variables = variablesOf(
      { url: 'http://127.0.0.1:9' },
      {
        RECONCILIATION_URL: url,
        RECONCILIATION_OIDC_ISSUER: provider.issuer,
        RECONCILIATION_OIDC_CLIENT_ID: CLIENT_ID,
        RECONCILIATION_OIDC_ROLES_CLAIM: 'realm_access.roles',
        RECONCILIATION_OIDC_ROLES: ROLES,
        ...secret,
        ...change,
        ...more,
      },
      folder,
    );
    const read = (path: string) => (path === '/policy' ? policy : `${CLIENT_SECRET}\n`);
    const config = readConfiguration(variables, read);
    const program = createProgram(config, { clock, logger });
    onTestFinished(() => program.stop());
    await program.engine.openStore();
    answer = getRequestListener(program.app.fetch);
    engines.push(program.engine);
    return program.engine;
  }

  return {
    engine: await start({}),
    folder,
    url,
    provider,
    logged,
    wait: (minutes) => void (now += minutes * 60_000),
    async confirm() {
      for (const { sessions } of engines) await sessions.confirmDue();
    },
    browser: (address) => new Browser(url, address),
    switchProcess: (more = {}) => start(more),
  };
}

interface Cookie {
  value: string;
  isStrict: boolean;
}

/** A browser with one tab. It follows redirects, and sends cookies according to their SameSite. */
export class Browser {
  readonly cookies = new Map<string, Cookie>();
  /** URLs to which the redirects of the last sign-in led. */
  readonly visited: string[] = [];
  readonly #console: string;
  readonly #address: string | undefined;

  constructor(console: string, address?: string) {
    this.#console = console;
    this.#address = address;
  }

  /**
   * Goes to an address, and follows redirects.
   * @param until the path at which to stop, which is not requested
   */
  async go(address: string, site = 'none', until = '/console/'): Promise<Response> {
    const from = new URL(address).origin;
    let url = address;
    let isCrossSite = site === 'cross-site';
    for (let count = 0; count < 20; count++) {
      isCrossSite ||= new URL(url).origin !== from;
      this.visited.push(url);
      const response = await this.#send(url, {}, isCrossSite, isCrossSite ? 'cross-site' : site);
      const location = response.headers.get('location');
      if (location === null || (response.status !== 302 && response.status !== 303)) {
        return response;
      }
      url = new URL(location, url).href;
      if (new URL(url).pathname === until || isPage(url)) {
        this.visited.push(url);
        return response;
      }
    }
    throw new Error(`Too many redirects: ${this.visited.join(' ')}`);
  }

  /** Signs in through the provider. @returns the page to which the browser returns */
  async signIn(page = '/console/'): Promise<URL> {
    const start = new URL(`${this.#console}/console/sign-in/start`);
    start.searchParams.set('return', page);
    await this.go(start.href, 'same-origin');
    return new URL(this.visited.at(-1) ?? '');
  }

  /** Signs in at the provider. @returns the redirect URI with the code, which is not requested */
  async signInAtProvider(): Promise<URL> {
    const callback = '/console/sign-in/callback';
    await this.go(`${this.#console}/console/sign-in/start`, 'same-origin', callback);
    return new URL(this.visited.at(-1) ?? '');
  }

  /** Returns from the provider. @returns the page to which the redirects lead */
  async return(address: URL): Promise<URL> {
    await this.go(address.href, 'cross-site');
    return new URL(this.visited.at(-1) ?? '');
  }

  /** Submits one of the provider's forms. */
  submit(address: string, body: URLSearchParams): Promise<Response> {
    return this.#send(address, { method: 'POST', body }, false, 'same-origin');
  }

  /** Sends a request as the console's page does. */
  async ask(path: string, method = 'GET', body?: object): Promise<Response> {
    const headers = {
      origin: this.#console,
      'financing-console': '1',
      'content-type': 'application/json',
    };
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    return this.#send(this.#console + path, init, false, 'same-origin');
  }

  async #send(
    url: string,
    init: RequestInit,
    isCrossSite: boolean,
    site: string,
  ): Promise<Response> {
    const sent = [...this.cookies].filter(([, { isStrict }]) => !(isStrict && isCrossSite));
    const headers = new Headers(init.headers);
    if (sent.length > 0)
      headers.set('cookie', sent.map(([n, { value }]) => `${n}=${value}`).join('; '));
    headers.set('sec-fetch-site', site);
    if (this.#address !== undefined && url.startsWith(this.#console)) {
      headers.set('x-forwarded-for', this.#address);
    }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      const expires = /expires=([^;]+)/i.exec(text)?.[1];
      const isOver =
        /max-age=0/i.test(text) || (expires !== undefined && Date.parse(expires) <= Date.now());
      if (isOver) this.cookies.delete(name);
      else this.cookies.set(name, { value, isStrict: /samesite=strict/i.test(text) });
    }
    return response;
  }
}

/** The console's pages are not built for these tests. */
function isPage(url: string): boolean {
  const { pathname } = new URL(url);
  return pathname.startsWith('/console/') && !pathname.startsWith('/console/sign-in/');
}
