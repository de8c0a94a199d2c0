import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { problemSchema } from '@financing-checkout/contract/storefront';
import { createCompanion, ORIGIN, PUBLIC_KEY } from '../companion.fixture.ts';
import { networkError } from '../scripted-service.fixture.ts';

const PRIME = '/checkout/prime';

type Companion = Awaited<ReturnType<typeof createCompanion>>;

/** Refusals by status, which a page must be able to read. */
const refusals: [number, string, (companion: Companion) => Promise<Response>][] = [
  [400, 'invalid-request', (companion) => send(companion, '{')],
  [401, 'public-key-invalid', (companion) => send(companion, '{}', { authorization: '' })],
  [404, 'not-found', (companion) => Promise.resolve(ask(companion, '/nothing'))],
  [404, 'checkout-not-found', (companion) => Promise.resolve(ask(companion, '/checkout/none'))],
  [405, 'method-not-allowed', (companion) => send(companion, '{}', {}, 'DELETE')],
  [409, 'environment-mismatch', (companion) => prime(companion, { environment: 'uat' })],
  [413, 'request-too-large', (companion) => send(companion, ' '.repeat(2_600_000))],
  [415, 'media-type-unsupported', (companion) => send(companion, '{}', { 'content-type': 'a/b' })],
  [422, 'order-ticket-invalid', (companion) => prime(companion, { order: 'no.ticket.this' })],
  [
    500,
    'internal',
    async (companion) => {
      await companion.store.ping();
      await companion.store.close();
      return ask(companion, '/checkout/any');
    },
  ],
  [
    503,
    'service-unavailable',
    async (companion) => {
      companion.service.on('POST /v1/checkout/prime', networkError('ECONNREFUSED'));
      const pending = prime(companion, {});
      let done = false;
      void pending.finally(() => (done = true));
      await expect.poll(() => (companion.clock.advance(1_000), done)).toBe(true);
      return pending;
    },
  ],
  [
    504,
    'outcome-unknown',
    (companion) => {
      companion.service.on('POST /v1/checkout/prime', { status: 504, text: '' });
      return prime(companion, {});
    },
  ],
];

function ask({ storefront, headers }: Companion, path: string) {
  return storefront.request(path, { headers: headers() });
}

async function send(
  { storefront, headers }: Companion,
  body: string,
  more: Record<string, string> = {},
  method = 'POST',
): Promise<Response> {
  const all = headers({ 'idempotency-key': 'key-1', ...more });
  return storefront.request(PRIME, { method, headers: all, body });
}

async function prime(companion: Companion, change: object): Promise<Response> {
  const body = { order: await companion.ticket(), environment: 'sandbox', ...change };
  return send(companion, JSON.stringify(body));
}

describe('an allowed page can read every error', () => {
  test.each(refusals)('%i %s', async (status, code, refuse) => {
    const companion = await createCompanion();
    const response = await refuse(companion);
    const { headers } = response;
    expect(response.status).toBe(status);
    // The media type is that of RFC 9457, section 3. Browsers refuse "*, *" and lists of origins.
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('access-control-expose-headers')).toMatch(/x-request-id.*retry-after/);
    expect(headers.get('vary')).toContain('Origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('set-cookie')).toBeNull();
    const problem = problemSchema.parse(await response.json());
    expect(problem).toMatchObject({ status, code, requestId: headers.get('x-request-id') });
  });

  test('an unexpected error reveals nothing; the log has its location', async () => {
    const { options } = await createCompanion();
    const failing = await createCompanion({
      store: {
        ...options.store,
        findCheckout: () => Promise.reject(new Error('select * from ada.quill@example.com')),
      },
    });
    const { status, body } = await failing.get('/checkout/any');
    expect([status, body.code]).toEqual([500, 'internal']);
    const line = failing.log.find(({ event }) => event === 'request-failed');
    expect(line).toMatchObject({ requestId: body.requestId, errorName: 'Error' });
    expect(line?.frames).toContainEqual(expect.stringContaining('browser.test.ts'));
    expect(JSON.stringify([body, failing.log])).not.toContain('quill');
  });
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
    const response = await prime(companion, more);
    const { code } = problemSchema.parse(await response.json());
    expect([response.status, code]).toEqual([400, 'invalid-request']);
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
