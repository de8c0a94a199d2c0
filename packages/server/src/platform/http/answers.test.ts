import { Hono, type MiddlewareHandler } from 'hono';
import { expect, test } from 'vitest';
import { createCompanion, ORIGIN } from '../../companion.fixture.ts';
import { listen } from '@financing-checkout/kit/listen';
import type { Env } from './requests.ts';

const ours = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
  'access-control-allow-origin': ORIGIN,
};

/** A prime, a problem, a preflight response, and the page of the form without JavaScript. */
async function setUp() {
  const companion = await createCompanion();
  const headers = companion.headers({ 'idempotency-key': 'key-1' });
  const body = JSON.stringify({ order: await companion.ticket(), environment: 'sandbox' });
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = [
    ['/checkout/prime', { method: 'POST', headers, body }, 201, 'application/json'],
    ['/nothing', { headers }, 404, 'application/problem+json'],
    ['/checkout/prime', { method: 'OPTIONS', headers }, 204, null],
    ['/checkout/start', { method: 'POST', headers: form }, 400, 'text/html; charset=UTF-8'],
  ] as const;
  return { companion, sent };
}

test('every response on Node has the common headers', async () => {
  const { companion, sent } = await setUp();
  const server = await listen(companion.storefront, { host: '127.0.0.1', port: 0 });
  try {
    for (const [path, init, status, type] of sent) {
      const answer = await fetch(`${server.url}${path}`, init);
      const bytes = (await answer.arrayBuffer()).byteLength;
      expect([path, answer.status]).toEqual([path, status]);
      expect(Object.fromEntries(answer.headers)).toMatchObject(ours);
      expect(answer.headers.get('content-type')).toBe(type);
      if (status !== 204) expect(answer.headers.get('content-length')).toBe(String(bytes));
    }
  } finally {
    await server.drain(0);
  }
});

test('a host application keeps the headers that it sets before and after', async () => {
  const { companion, sent } = await setUp();
  const host = new Hono<Env>();
  host.use(async (c, next) => {
    c.header('x-before', 'host');
    c.header('set-cookie', 'a=1', { append: true });
    c.header('set-cookie', 'b=2', { append: true });
    await next();
    c.header('x-after', 'host');
  });
  host.route('/', companion.storefront);
  for (const [path, init, status] of sent) {
    const answer = await host.request(path, init);
    expect([path, answer.status]).toEqual([path, status]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...ours,
      'x-before': 'host',
      'x-after': 'host',
    });
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  }
});

test('a host application that has already started its response keeps it', async () => {
  const { companion, sent } = await setUp();
  const host = new Hono<Env>();
  host.use(async (c, next) => {
    c.res.headers.set('x-before', 'host');
    await next();
  });
  host.route('/', companion.storefront);
  for (const [path, init] of sent) {
    const { headers } = await host.request(path, init);
    expect(Object.fromEntries(headers)).toMatchObject({ ...ours, 'x-before': 'host' });
  }
});

test('sends one CORS origin when the host application sets CORS headers too', async () => {
  const { companion, sent } = await setUp();
  const early: MiddlewareHandler = async (c, next) => {
    c.res.headers.set('access-control-allow-origin', '*');
    await next();
  };
  const late: MiddlewareHandler = async (c, next) => {
    c.header('access-control-allow-origin', '*');
    await next();
  };
  for (const names of [early, late]) {
    const host = new Hono<Env>();
    host.use(names);
    host.route('/', companion.storefront);
    for (const [path, init] of sent) {
      const { headers } = await host.request(path, init);
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    }
  }
});
