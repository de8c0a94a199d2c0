import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { createCompanion, ORIGIN, PUBLIC_KEY } from '../companion.fixture.ts';

const PRIME = '/checkout/prime';

test('logs the location of an unexpected error', async () => {
  const { options } = await createCompanion();
  const findCheckout = () => Promise.reject(new Error('select * from ada.quill@example.com'));
  const failing = await createCompanion({ store: { ...options.store, findCheckout } });
  const { status, body } = await failing.get('/checkout/any');
  expect([status, body.code]).toEqual([500, 'internal']);
  const line = failing.log.find(({ event }) => event === 'request-failed');
  expect(line).toMatchObject({ requestId: body.requestId, errorName: 'Error' });
  expect(line?.frames).toContainEqual(expect.stringContaining('browser.test.ts'));
});

describe('behind a proxy that ends TLS', () => {
  const claims = {
    host: 'evil.example',
    forwarded: 'host=evil.example;proto=http',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-port': '1',
    'x-original-url': '/checkout/other',
    'x-rewrite-url': '/checkout/other',
  };

  test('the URL of a request and its forwarding headers do not change the response', async () => {
    const companion = await createCompanion();
    const body = JSON.stringify({
      order: await companion.ticket(),
      environment: 'sandbox',
      returnUrl: `${ORIGIN}/done`,
    });
    const post = async (address: string, key: string, more: Record<string, string> = {}) => {
      const headers = companion.headers({ 'idempotency-key': key, ...more });
      const response = await companion.storefront.request(address, {
        method: 'POST',
        headers,
        body,
      });
      const { body: answer, status } = await companion.read(response);
      return { status, answer: { ...answer, id: '' } };
    };
    const first = await post(`http://127.0.0.1:4000${PRIME}`, 'key-1');
    expect(first.status).toBe(201);
    expect(await post(`https://companion.example${PRIME}`, 'key-2')).toEqual(first);
    expect(await post(`http://127.0.0.1:4000${PRIME}`, 'key-3', claims)).toEqual(first);
    expect(JSON.stringify(first.answer)).not.toMatch(/127\.0\.0\.1|companion\.example/);
  });

  test('the form without JavaScript redirects to the hosted page, never to a URL in a header', async () => {
    const companion = await createCompanion();
    const form = new URLSearchParams({
      environment: 'sandbox',
      returnUrl: `${ORIGIN}/done`,
      publicKey: PUBLIC_KEY,
      order: await companion.ticket(),
    });
    const response = await companion.storefront.request('http://127.0.0.1:4000/checkout/start', {
      method: 'POST',
      headers: {
        ...claims,
        origin: ORIGIN,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form.toString(),
    });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/^https:\/\/hosted\.example\//);
    expect(response.headers.get('location')).not.toContain('evil');
  });
});

describe('in an app of the merchant', () => {
  test('whose middleware already read the body', async () => {
    const companion = await createCompanion();
    const app = new Hono();
    const seen: unknown[] = [];
    app.use(async (c, next) => {
      seen.push(await c.req.json());
      await next();
    });
    app.route('/financing', companion.storefront);
    const body = JSON.stringify({ order: await companion.ticket(), environment: 'sandbox' });
    const response = await app.request(`/financing${PRIME}`, {
      method: 'POST',
      // The content type that browsers send for a string body.
      headers: companion.headers({
        'idempotency-key': 'key-1',
        'content-length': String(body.length),
      }),
      body,
    });
    expect([response.status, seen]).toEqual([201, [JSON.parse(body)]]);
  });

  test('whose own routes get no origin check and need no key', async () => {
    const companion = await createCompanion();
    const app = new Hono().get('/products', (c) => c.text('chairs'));
    app.route('/financing', companion.storefront);
    const response = await app.request('/products');
    expect([response.status, await response.text()]).toEqual([200, 'chairs']);
    expect((await app.request('/financing/checkout/any')).status).toBe(401);
  });
});

describe('the price comes from the shop', () => {
  test.each([
    { totalAmount: 1 },
    { amount: 1 },
    { amount: { value: 1, currency: 'USD' } },
    { currency: 'JPY' },
    { items: [] },
    { merchantOrderId: 'order-of-another' },
    { consumer: { email: 'x@example.com' } },
  ])('refuses %j next to the ticket', async (more) => {
    const companion = await createCompanion();
    const order = { order: await companion.ticket(), environment: 'sandbox', ...more };
    const { body, status } = await companion.post(PRIME, order, { 'idempotency-key': 'key-1' });
    expect([status, body.code]).toEqual([400, 'invalid-request']);
    expect(companion.service.calls).toHaveLength(0);
  });

  test('no header or query changes the primed order', async () => {
    const companion = await createCompanion();
    const body = JSON.stringify({ order: await companion.ticket(), environment: 'sandbox' });
    const response = await companion.storefront.request(`${PRIME}?totalAmount=1&amount=1`, {
      method: 'POST',
      headers: companion.headers({ 'idempotency-key': 'key-1', 'x-amount': '1' }),
      body,
    });
    expect(response.status).toBe(201);
    expect(companion.service.calls[0]?.body).toMatchObject({
      cartDetails: { totalAmount: 274.99 },
    });
    expect([...(companion.service.calls[0]?.query ?? [])]).toEqual([]);
  });
});
