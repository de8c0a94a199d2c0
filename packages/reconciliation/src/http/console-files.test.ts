import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { silentLogger } from '../platform/log.ts';
import { silentMeter } from '../platform/meter.ts';
import { createProgram } from '../program.ts';
import { configure } from '../program.fixture.ts';
import type { TestCompanion } from '../companion/companion.fixture.ts';
import { consoleFiles, consoleHeaders } from './console-files.ts';
import type { Env } from './context.ts';
import { systemClock } from '@financing-checkout/kit';
import { problemAnswers, requestLog } from './requests.ts';

const PAGE = '<!doctype html><title>Console</title>';
const SCRIPT = 'export const answer = 42;'.repeat(20);

function builtConsole() {
  const folder = join(temporaryFolder(), 'page');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), PAGE);
  for (const name of ['index-BvKc1x2_.js', 'plain.js']) {
    writeFileSync(join(folder, 'assets', name), SCRIPT);
  }
  writeFileSync(join(folder, 'assets/index-BvKc1x2_.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, '../secret.txt'), 'secret');
  return folder;
}

function serving(folder: string | undefined) {
  const app = new Hono<Env>();
  app.onError(problemAnswers(silentLogger).answerProblem);
  app.use(requestLog({ logger: silentLogger, clock: systemClock, meter: silentMeter }));
  app.use('/console/*', consoleHeaders(undefined));
  app.route(
    '/',
    consoleFiles(() => folder),
  );
  app.notFound((c) => c.text('beyond', 404));
  return app;
}

const html = { accept: 'text/html,application/xhtml+xml' };

describe('the files of the console', () => {
  test('are cached forever if their name has a hash, and revalidated if it has none', async () => {
    const app = serving(builtConsole());
    const hashed = await app.request('/console/assets/index-BvKc1x2_.js');
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(hashed.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(await hashed.text()).toBe(SCRIPT);
    const plain = await app.request('/console/assets/plain.js');
    expect(plain.headers.get('cache-control')).toBe('no-cache');
  });

  test('are sent compressed to a client that accepts compression', async () => {
    const app = serving(builtConsole());
    const headers = { 'accept-encoding': 'gzip, deflate, br' };
    const answer = await app.request('/console/assets/index-BvKc1x2_.js', { headers });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('vary')).toMatch(/accept-encoding/i);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(brotliDecompressSync(bytes).toString()).toBe(SCRIPT);
  });

  test.each([
    '/console/',
    '/console/orders',
    '/console/orders/order%3AA.1',
    '/console/cases/c-1?x=1',
  ])('include the document for the page %s', async (path) => {
    const answer = await serving(builtConsole()).request(path, { headers: html });
    expect([answer.status, await answer.text()]).toEqual([200, PAGE]);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
  });

  test.each([
    '/console/assets/none.js',
    '/console/../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/assets/..%5c..%5csecret.txt',
  ])('do not include %s', async (path) => {
    const answer = await serving(builtConsole()).request(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('secret');
    expect(answer.headers.get('cache-control') ?? '').not.toContain('immutable');
  });

  test('are found from the server root as well', async () => {
    const app = serving(builtConsole());
    for (const path of ['/', '/console']) {
      const answer = await app.request(path);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console/']);
    }
    expect((await app.request('/', { method: 'POST' })).status).toBe(404);
  });

  test('carry the headers that block third-party code, including in problems', async () => {
    const program = createProgram(configure({ url: 'http://127.0.0.1:9' } as TestCompanion));
    const found = await serving(builtConsole()).request('/console/', { headers: html });
    const missing = await serving(undefined).request('/console/');
    const session = await program.app.request('/console/session');
    expect([found.status, missing.status, session.status]).toEqual([200, 404, 200]);
    for (const { headers } of [found, missing, session]) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('camera=()');
    }
    expect(session.headers.get('x-content-type-options')).toBe('nosniff');
    expect(session.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['https://console.shop.example', 'http://127.0.0.1:4002', 'max-age=31536000'],
    ['https://console.shop.example:8443', 'http://console.shop.example', 'max-age=31536000'],
    // The proxy passes on the host, and the cookie needs HTTPS there.
    [undefined, 'http://console.shop.example', 'max-age=31536000'],
    // On loopback, the header would also apply to all other programs of this machine.
    [undefined, 'http://localhost:4002', null],
    [undefined, 'http://127.0.0.1:4002', null],
    ['https://localhost:8443', 'http://127.0.0.1:4002', null],
    ['http://console.shop.example', 'http://console.shop.example', null],
  ])('at %s, requested as %s, require HTTPS for: %s', async (url, asked, expected) => {
    const change: Record<string, string> = url === undefined ? {} : { RECONCILIATION_URL: url };
    const tokens = { RECONCILIATION_TOKENS: 'anna cases anna-token-0000001' };
    const shop = { url: 'http://127.0.0.1:9' } as TestCompanion;
    const program = createProgram(configure(shop, { ...change, ...tokens }));
    for (const path of ['/console', '/console/', '/console/session', '/console/none.js']) {
      const answer = await program.app.request(`${asked}${path}`);
      expect(answer.headers.get('strict-transport-security'), path).toBe(expected);
    }
  });

  test('are explained while missing, and served once built', async () => {
    const built: { folder?: string } = {};
    const app = new Hono<Env>();
    app.onError(problemAnswers(silentLogger).answerProblem);
    app.use(requestLog({ logger: silentLogger, clock: systemClock, meter: silentMeter }));
    app.route(
      '/',
      consoleFiles(() => built.folder),
    );
    const missing = await app.request('/console/');
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { code: 'not-found', detail: expect.stringContaining('not built') as string },
    ]);
    built.folder = builtConsole();
    expect((await app.request('/console/', { headers: html })).status).toBe(200);
  });
});
