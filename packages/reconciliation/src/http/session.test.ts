import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { sessionSchema } from '@financing-checkout/contract/reconciliation';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfiguration } from '../config/config.ts';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import type { Clock } from '@financing-checkout/kit';
import type { Logger } from '../platform/log.ts';
import { systemClock } from '@financing-checkout/kit';
import { createProgram, type Program } from '../program.ts';
import { configure, run, startShop, variablesOf } from '../program.fixture.ts';
import type { TestCompanion } from '../companion/companion.fixture.ts';
import { codeOf, cookieOf, ofPage, signIn, TOKENS } from './session.fixture.ts';

const MINUTE_MS = 60_000;
const shop = { url: 'http://127.0.0.1:9' } as TestCompanion;

/**
 * A program that has opened only its record store, because access is decided before the data is opened.
 * @param folder programs with the same folder share a store
 */
function closedProgram(
  change: Record<string, string> = {},
  tokens = TOKENS,
  folder = temporaryFolder(),
) {
  let now = Date.now();
  const clock: Clock = { ...systemClock, now: () => now };
  const logged: Parameters<Logger['log']>[] = [];
  const logger = { log: (...entry: Parameters<Logger['log']>) => void logged.push(entry) };
  const variables = variablesOf(shop, { RECONCILIATION_TOKENS: tokens, ...change }, folder);
  const config = readConfiguration(variables, () => '');
  const { app: own, engine } = createProgram(config, { clock, logger });
  onTestFinished(() => engine.stop());
  const opened = engine.openStore();
  const app: App = {
    async request(...request: Parameters<App['request']>) {
      await opened;
      return own.request(...request);
    },
  };
  return { app, engine, logged, wait: (minutes: number) => void (now += minutes * MINUTE_MS) };
}

type App = Pick<Program['app'], 'request'>;
const ask = async (app: App, path: string, headers: Record<string, string>, method = 'GET') =>
  codeOf(
    await app.request(path, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) }),
  );
/** The request is permitted, but the data is not open yet. */
const PERMITTED = [503, 'not-ready'];
/** The write is permitted, but no process leads yet. */
const PERMITTED_WRITE = [503, 'standby'];

test('signs in, responds with the cookie, and signs out', async () => {
  const { app } = await run(configure(await startShop(0), { RECONCILIATION_TOKENS: TOKENS }));
  const signedIn = await app.request('/console/session', {
    method: 'POST',
    headers: ofPage,
    body: '{"token":" worker-token-000001 "}',
  });
  expect(signedIn.status).toBe(201);
  const session = sessionSchema.parse(await signedIn.json());
  expect(session).toMatchObject({
    name: 'worker',
    scopes: ['cases', 'sync', 'imports', 'rebuild'],
    environment: 'sandbox',
    canMoveMoney: false,
  });
  const [set = ''] = signedIn.headers.getSetCookie();
  expect(set).toMatch(/^financing-console-80=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/);
  const headers = { cookie: cookieOf(signedIn), 'sec-fetch-site': 'same-origin' };
  expect((await app.request('/orders', { headers })).status).toBe(200);
  const again = await app.request('/console/session', { headers });
  expect(await again.json()).toEqual(session);

  const out = { method: 'DELETE', headers: { ...ofPage, ...headers } };
  const signedOut = await app.request('/console/session', out);
  expect(signedOut.status).toBe(204);
  expect(signedOut.headers.getSetCookie()[0]).toMatch(/^financing-console-80=; Max-Age=0; Path=\//);
  // A copy of the cookie does not work either.
  expect(await ask(app, '/orders', headers)).toEqual([401, 'session-ended']);
});

test('gives the cookie its strict name if the page is not on this machine', async () => {
  const { app } = closedProgram();
  const headers = { ...ofPage, host: 'console.example', origin: 'https://console.example' };
  const body = '{"token":"reader-token-000001"}';
  const answer = await app.request('/console/session', { method: 'POST', headers, body });
  expect(answer.headers.getSetCookie()[0]).toMatch(
    /^__Host-financing-console-443=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
  const cookie = cookieOf(answer);
  expect(await ask(app, '/orders', { ...headers, cookie })).toEqual(PERMITTED);
  const weak = cookie.replace('__Host-', '');
  expect(await ask(app, '/orders', { ...headers, cookie: weak })).toEqual([401, 'token-invalid']);
  const plain = { ...headers, origin: 'http://console.example' };
  const refused = await app.request('/console/session', { method: 'POST', headers: plain, body });
  expect(await codeOf(refused)).toEqual([403, 'origin-not-allowed']);
});

test('accepts the URL of a proxy that changes the host', async () => {
  const { app } = closedProgram({ RECONCILIATION_URL: 'https://console.example/' });
  const headers = { ...ofPage, origin: 'https://console.example' };
  const body = '{"token":"reader-token-000001"}';
  const answer = await app.request('/console/session', { method: 'POST', headers, body });
  expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-financing-console-443=.*; Secure;/);
  expect(await ask(app, '/orders', { ...headers, cookie: cookieOf(answer) })).toEqual(PERMITTED);
});

describe('a session', () => {
  test('expires without activity, and only a renewal extends it', async () => {
    const { app, wait } = closedProgram();
    const first = await signIn(app, 'reader');
    wait(29);
    expect(await ask(app, '/orders', first)).toEqual(PERMITTED);
    const headers = { ...ofPage, ...first };
    const path = '/console/session/renewal';
    const renewed = await app.request(path, { method: 'POST', headers, body: '{}' });
    expect(renewed.status).toBe(200);
    wait(29);
    expect(await ask(app, '/orders', first)).toEqual(PERMITTED);
    wait(2);
    expect(await ask(app, '/orders', first)).toEqual([401, 'session-ended']);
  });

  test('ends after twelve hours in any case', async () => {
    const { app, wait } = closedProgram();
    const { cookie } = await signIn(app, 'reader');
    const renew = async () => {
      const headers = { ...ofPage, cookie };
      return app.request('/console/session/renewal', { method: 'POST', headers, body: '{}' });
    };
    for (let minutes = 0; minutes < 700; minutes += 20) {
      wait(20);
      expect((await renew()).status).toBe(200);
    }
    wait(19);
    expect((await renew()).status).toBe(200);
    wait(2);
    expect(await codeOf(await renew())).toEqual([401, 'session-ended']);
  });

  test('continues in another process that has its token, and in no other', async () => {
    const folder = temporaryFolder();
    const { cookie } = await signIn(closedProgram({}, TOKENS, folder).app, 'worker');
    const other = closedProgram({}, TOKENS, folder);
    expect(await ask(other.app, '/orders', { cookie })).toEqual(PERMITTED);
    const [reader = '', , payer = ''] = TOKENS.split('\n');
    const others = [
      [reader, payer].join('\n'),
      [reader, 'worker cases,sync another-token-00001', payer].join('\n'),
      [reader, 'renamed cases,sync worker-token-000001', payer].join('\n'),
    ];
    for (const tokens of others) {
      const { app } = closedProgram({}, tokens, folder);
      expect(await ask(app, '/orders', { cookie })).toEqual([401, 'session-ended']);
    }
    const change = { RECONCILIATION_ENVIRONMENT: 'production' };
    const production = closedProgram(change, TOKENS, folder);
    expect(await ask(production.app, '/orders', { cookie })).toEqual([401, 'session-ended']);
  });

  test('stays ended in another process and after a restart, and cannot be renewed', async () => {
    const folder = temporaryFolder();
    const one = closedProgram({}, TOKENS, folder);
    const standby = closedProgram({}, TOKENS, folder);
    const session = await signIn(one.app, 'worker');
    expect(await ask(standby.app, '/orders', session)).toEqual(PERMITTED);
    const headers = { ...ofPage, ...session };
    const out = await one.app.request('/console/session', { method: 'DELETE', headers });
    expect(out.status).toBe(204);
    for (const { app } of [one, standby, closedProgram({}, TOKENS, folder)]) {
      expect(await ask(app, '/orders', session)).toEqual([401, 'session-ended']);
      const renewal = await ask(app, '/console/session/renewal', headers, 'POST');
      expect(renewal).toEqual([401, 'session-ended']);
    }
  });

  test('is refused, but keeps its cookie, while the record store is failing', async () => {
    const { app, engine } = closedProgram();
    const session = await signIn(app, 'worker');
    const down = Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
    vi.spyOn(engine.facts, 'sessions').mockRejectedValueOnce(down);
    expect(await ask(app, '/orders', session)).toEqual([503, 'store-unavailable']);
    vi.spyOn(engine.facts, 'endSessions').mockRejectedValueOnce(down);
    const headers = { ...ofPage, ...session };
    const out = await app.request('/console/session', { method: 'DELETE', headers });
    expect([out.status, out.headers.getSetCookie()]).toEqual([503, []]);
    const token = { authorization: 'Bearer worker-token-000001' };
    expect(await ask(app, '/orders', token)).toEqual(PERMITTED);
  });

  test('is accepted next to other cookies of the same name, in any order', async () => {
    const { app, wait } = closedProgram();
    const { cookie: old } = await signIn(app, 'payer');
    wait(31);
    const { cookie: own } = await signIn(app, 'worker');
    const [name = ''] = own.split('=');
    const foreign = [old, `${name}=of-another-program`, `${name}=`, `${name}=%E0%A4%A`];
    for (const cookies of [
      [...foreign, own],
      [own, ...foreign],
      [old, own, old],
    ]) {
      const headers = { ...ofPage, cookie: cookies.join('; ') };
      const answer = await app.request('/console/session', { headers });
      expect(sessionSchema.parse(await answer.json()).name).toBe('worker');
    }
    const others = { cookie: foreign.join('; ') };
    expect(await ask(app, '/orders', others)).toEqual([401, 'session-ended']);
  });

  test('is the newest of several cookies in one request, and a sign-out ends all of them', async () => {
    const { app, wait } = closedProgram();
    const { cookie: older } = await signIn(app, 'reader');
    wait(1);
    const { cookie: newer } = await signIn(app, 'worker');
    const headers = { ...ofPage, cookie: `${older}; ${newer}` };
    const session = await app.request('/console/session', { headers });
    expect(await session.json()).toMatchObject({ name: 'worker' });
    await app.request('/console/session', { method: 'DELETE', headers });
    for (const cookie of [older, newer]) {
      expect(await ask(app, '/orders', { cookie })).toEqual([401, 'session-ended']);
    }
  });

  test.each([
    ['localhost:4002', undefined, 'financing-console-4002'],
    ['localhost:4003', undefined, 'financing-console-4003'],
    ['[::1]:4002', undefined, 'financing-console-4002'],
    ['localhost', undefined, 'financing-console-80'],
    ['console.example', undefined, '__Host-financing-console-443'],
    ['console.example:8443', undefined, '__Host-financing-console-8443'],
    ['127.0.0.1:4002', 'https://console.example', '__Host-financing-console-443'],
    ['127.0.0.1:4002', 'https://console.example:8443', '__Host-financing-console-8443'],
    ['127.0.0.1:4002', 'http://localhost:9000', 'financing-console-9000'],
  ])('at %s, published as %s, is in the cookie %s', async (host, url, name) => {
    const { app } = closedProgram(url === undefined ? {} : { RECONCILIATION_URL: url });
    const headers = { ...ofPage, host, 'sec-fetch-site': 'same-origin', origin: undefined };
    const sent = Object.entries(headers).filter((entry): entry is [string, string] => !!entry[1]);
    const body = '{"token":"reader-token-000001"}';
    const answer = await app.request('/console/session', { method: 'POST', headers: sent, body });
    expect(answer.status).toBe(201);
    expect(cookieOf(answer).split('=')[0]).toBe(name);
    const read = [...sent, ['cookie', cookieOf(answer)] as [string, string]];
    expect((await app.request('/console/session', { headers: read })).status).toBe(200);
  });

  test('has the current scopes of its token', async () => {
    const folder = temporaryFolder();
    const { cookie } = await signIn(closedProgram({}, TOKENS, folder).app, 'worker');
    const fewer = TOKENS.replace('cases,sync,imports,rebuild', 'read');
    const { app } = closedProgram({}, fewer, folder);
    const headers = { ...ofPage, cookie };
    expect(await ask(app, '/syncs', headers, 'POST')).toEqual([403, 'token-not-permitted']);
  });

  test.each([
    ['another secret', (value: string) => `${value.slice(0, -6)}AAAAAA`],
    ['a cut secret', (value: string) => value.slice(0, -6)],
    ['another text', () => 'financing-console-80=x'],
    ['no text', () => 'financing-console-80='],
  ])('is not accepted with %s', async (_, change) => {
    const { app } = closedProgram();
    const { cookie } = await signIn(app, 'reader');
    expect(await ask(app, '/orders', { cookie: change(cookie) })).toEqual([401, 'session-ended']);
  });

  test.each([
    ['another name', `name = 'payer'`],
    ['a later end', 'ends_at = ends_at + 1, idle_ends_at = idle_ends_at + 1'],
    ['a person', `issuer = 'https://login.example', subject = 'ada', roles = '["finance"]'`],
  ])('is refused after someone changed its %s in the record store', async (_, change) => {
    const folder = temporaryFolder();
    const { app } = closedProgram({}, TOKENS, folder);
    const session = await signIn(app, 'reader');
    expect(await ask(app, '/orders', session)).toEqual(PERMITTED);
    const store = new DatabaseSync(join(folder, 'facts.db'));
    store.exec(`update sessions set ${change}`);
    store.close();
    expect(await ask(app, '/orders', session)).toEqual([401, 'session-ended']);
  });

  test('does not replace a wrong token', async () => {
    const { app } = closedProgram();
    const headers = { ...(await signIn(app, 'reader')), authorization: 'Bearer wrong-token-00001' };
    expect(await ask(app, '/orders', headers)).toEqual([401, 'token-invalid']);
  });
});

describe('a request of another page', () => {
  const refused = [403, 'origin-not-allowed'];

  test('is refused without the header of the console, and without any proof of its origin', async () => {
    const { app } = closedProgram();
    const session = await signIn(app, 'worker');
    const { origin, 'financing-console': header, 'content-type': type } = ofPage;
    const base = { ...session, 'content-type': type };
    expect(await ask(app, '/syncs', { ...base, origin }, 'POST')).toEqual(refused);
    const unproven = { ...base, 'financing-console': header };
    expect(await ask(app, '/syncs', unproven, 'POST')).toEqual(refused);
    const byMetadata = { ...unproven, 'sec-fetch-site': 'same-origin' };
    expect(await ask(app, '/syncs', byMetadata, 'POST')).toEqual(PERMITTED_WRITE);
    const byOrigin = { ...unproven, origin };
    expect(await ask(app, '/syncs', byOrigin, 'POST')).toEqual(PERMITTED_WRITE);
  });
});

test('gives each page of this origin a session on loopback without tokens', async () => {
  const { app } = createProgram(configure(shop));
  const answer = await app.request('/console/session', { headers: ofPage });
  expect(await answer.json()).toMatchObject({
    name: 'loopback',
    scopes: ['cases', 'sync', 'imports', 'rebuild', 'periods'],
    canMoveMoney: false,
  });
  expect(await ask(app, '/syncs', ofPage, 'POST')).toEqual(PERMITTED);
  const changes: Record<string, string>[] = [
    { origin: 'http://localhost:3000' },
    { host: 'rebound.example:4002' },
  ];
  for (const change of changes) {
    const headers = { ...ofPage, ...change };
    expect(await ask(app, '/syncs', headers, 'POST')).toEqual([403, 'origin-not-allowed']);
    expect(await ask(app, '/console/session', headers)).toEqual([403, 'origin-not-allowed']);
  }
});

test('neither logs nor returns a token or the value of a cookie', async () => {
  const { app, logged, wait } = closedProgram();
  const { cookie } = await signIn(app, 'reader');
  const answers: string[] = [];
  const read = async (path: string, init: RequestInit) =>
    answers.push(await (await app.request(path, init)).text());
  const body = '{"token":"mistyped-token-0001"}';
  await read('/console/session', { method: 'POST', headers: ofPage, body });
  await read('/console/session', { method: 'POST', headers: ofPage, body: body.slice(0, -2) });
  await read('/console/session', { method: 'POST', headers: ofPage, body: `{"tokens":${body}}` });
  await read('/orders', { headers: { cookie } });
  wait(31);
  await read('/orders', { headers: { cookie } });
  expect(answers[0]).toContain('token-invalid');
  const text = inspect(logged, { depth: 9 }) + answers.join('');
  expect(text).toContain('reader');
  for (const secret of ['mistyped', 'reader-token', cookie.split('=')[1] ?? '', 'tokens":']) {
    expect(text).not.toContain(secret);
  }
});

describe('failed sign-ins', () => {
  const tooMany = [429, 'rate-limited'];
  const from = (remoteAddress: string | undefined) => ({ incoming: { socket: { remoteAddress } } });
  const enter = async (
    { app }: Pick<ReturnType<typeof closedProgram>, 'app'>,
    address: string | undefined,
    token = 'mistyped-token-0001',
    headers: Record<string, string> = {},
  ) =>
    app.request(
      '/console/session',
      { method: 'POST', headers: { ...ofPage, ...headers }, body: JSON.stringify({ token }) },
      from(address),
    );
  const failUntilRefused = async (...[program, ...attempt]: Parameters<typeof enter>) => {
    for (let count = 0; count <= 1_000; count++) {
      const answer = await enter(program, ...attempt);
      if (answer.status === 429) return { count, answer };
      expect(await codeOf(answer)).toEqual([401, 'token-invalid']);
    }
    throw new Error('A thousand failed sign-ins are not refused.');
  };

  test('of one address are refused after ten, also with a valid token, until Retry-After', async () => {
    const program = closedProgram();
    const { count, answer } = await failUntilRefused(program, '192.0.2.7');
    expect([count, answer.headers.get('retry-after')]).toEqual([10, '6']);
    expect(await answer.json()).toMatchObject({ code: 'rate-limited', retrySafe: true });
    const valid = 'worker-token-000001';
    expect(await codeOf(await enter(program, '192.0.2.7', valid))).toEqual(tooMany);
    expect((await enter(program, '192.0.2.8', valid)).status).toBe(201);
    program.wait(1);
    expect((await enter(program, '192.0.2.7', valid)).status).toBe(201);
  });

  test('count an IPv6 /64 as one client, and do not count successful sign-ins', async () => {
    const program = closedProgram();
    for (let count = 0; count < 20; count++) {
      expect((await enter(program, '2001:db8::1', 'reader-token-000001')).status).toBe(201);
    }
    await failUntilRefused(program, '2001:db8::1');
    expect(await codeOf(await enter(program, '2001:db8::2'))).toEqual(tooMany);
    expect((await enter(program, '2001:db8:0:1::1')).status).toBe(401);
  });

  test('count only the address that a trusted proxy states', async () => {
    const program = closedProgram();
    const by = (client: string) => ({ 'x-forwarded-for': client });
    await failUntilRefused(program, '127.0.0.1', undefined, by('192.0.2.7'));
    expect((await enter(program, '::1', undefined, by('192.0.2.8'))).status).toBe(401);
    const forged = by('198.51.100.9');
    expect(await codeOf(await enter(program, '192.0.2.7', undefined, forged))).toEqual(tooMany);

    const other = closedProgram({
      RECONCILIATION_TRUSTED_PROXIES: '10.0.0.0/8',
      RECONCILIATION_FORWARDED_HEADER: 'forwarded',
    });
    const named = { forwarded: 'for=192.0.2.7' };
    await failUntilRefused(other, '10.0.0.1', undefined, named);
    expect((await enter(other, '10.0.0.1', undefined, by('192.0.2.7'))).status).toBe(401);
  });

  test('without an address share a larger limit, so that one person cannot lock out others', async () => {
    const program = closedProgram();
    const { count } = await failUntilRefused(program, '127.0.0.1');
    expect(count).toBe(500);
    expect(await codeOf(await enter(program, undefined))).toEqual(tooMany);
    expect((await enter(program, '192.0.2.7')).status).toBe(401);
  });

  test('are logged with the block of the address and a reason, never with the token', async () => {
    const program = closedProgram();
    await failUntilRefused(program, '192.0.2.7');
    await enter(program, '2001:db8:1:2::7');
    await enter(program, undefined);
    const { logged } = program;
    const lines = logged.filter(([, event]) => event === 'sign-in-failed');
    expect(lines).toHaveLength(12);
    const line = (address: string) => [
      ...['warn', 'sign-in-failed'],
      { address, reason: 'token-invalid', requestId: expect.stringMatching(/^req_/) as string },
    ];
    const expected = ['192.0.2.0/24', '2001:db8:1::/48', 'unknown'].map(line);
    expect([lines[0], lines[10], lines[11]]).toEqual(expected);
    // Attempts above the limit must not fill the disk.
    const refused = logged.filter(([, , fields]) => fields?.status === 429);
    expect(refused.map(([level]) => level)).toEqual(['debug']);
    expect(inspect(logged, { depth: 9 })).not.toContain('mistyped');
  });
});
