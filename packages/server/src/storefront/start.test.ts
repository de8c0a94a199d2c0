import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { createCompanion, ORIGIN, PRIVATE_KEY, PUBLIC_KEY } from '../companion.fixture.ts';
import { charged, networkError, application } from '../scripted-service.fixture.ts';
import { createStorefrontApi } from '../apis.ts';

const PRIME = 'POST /v1/checkout/prime';
const RETURN = `${ORIGIN}/checkout?step=2`;

async function setUp(change: Parameters<typeof createCompanion>[0] = {}) {
  const companion = await createCompanion(change);
  async function start(
    fields: Record<string, string> | string = {},
    headers: Record<string, string> = { origin: ORIGIN },
  ) {
    const form =
      typeof fields === 'string'
        ? fields
        : new URLSearchParams({
            environment: 'sandbox',
            returnUrl: RETURN,
            publicKey: PUBLIC_KEY,
            order: await companion.ticket(),
            ...fields,
          }).toString();
    const response = await companion.storefront.request('/checkout/start', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form,
    });
    const text = await response.text();
    companion.answers.push(JSON.stringify([...response.headers]), text);
    return { status: response.status, headers: response.headers, text };
  }
  return { companion, start };
}

describe('a form without script', () => {
  test('primes and redirects the browser to the hosted page', async () => {
    const { companion, start } = await setUp();
    const { status, headers } = await start();
    expect(status).toBe(303);
    expect(headers.get('location')).toBe(
      `https://hosted.example/c?s=session-token-1&k=${PUBLIC_KEY}&o=https%3A%2F%2Fshop.example&r=${encodeURIComponent(RETURN)}`,
    );
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
  });

  test('treats an empty field as missing', async () => {
    const { start } = await setUp();
    expect((await start({ locale: '' })).status).toBe(303);
  });

  test('opens one checkout for a repeated ticket, even concurrently', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    const both = await Promise.all([start({ order }), start({ order })]);
    expect(both.map(({ status }) => status)).toContain(303);
    const again = await start({ order });
    expect(again.status).toBe(303);
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
  });

  test.each([
    ['return address', { returnUrl: `${ORIGIN}/other` }],
    ['language', { locale: 'fr-CA' }],
  ])('opens another checkout for the same ticket with another %s', async (_, change) => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    expect((await start({ order })).status).toBe(303);
    expect((await start({ order, ...change })).status).toBe(303);
    expect(companion.service.callsTo(PRIME)).toHaveLength(2);
  });

  test('opens the next checkout with the same ticket after a cancelled or expired one', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    await start({ order });
    const [first] = await companion.store.findCheckoutsOfOrder('sandbox', 'order-1001');
    await companion.store.changeCheckout({
      id: first?.id ?? '',
      revision: first?.revision ?? 0,
      now: companion.clock.now(),
      set: { status: 'cancelled' },
    });
    expect((await start({ order })).status).toBe(303);
    expect(companion.service.callsTo(PRIME)).toHaveLength(2);
  });

  test('opens the next checkout after an expired one that no lookup has closed yet', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    companion.service.on(PRIME, () => {
      const expirationDate = new Date(companion.clock.now() + 60_000).toISOString();
      return { status: 201, body: { id: 'session-token-1', expirationDate } };
    });
    await start({ order });
    companion.clock.advance(60_000);
    expect((await start({ order })).status).toBe(303);
    expect(companion.service.callsTo(PRIME)).toHaveLength(2);
  });

  test('opens a checkout with the same ticket after a failure of the service', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    companion.service.on(PRIME, { status: 504, text: '' });
    expect((await start({ order })).status).toBe(504);
    companion.service.on(PRIME, {
      status: 201,
      body: { id: 'session-2', applicationId: 'application-2' },
    });
    expect((await start({ order })).status).toBe(303);
  });

  test('identifies a browser without Origin by its Referer', async () => {
    const { start } = await setUp();
    expect((await start({}, { referer: `${ORIGIN}/cart` })).status).toBe(303);
    expect((await start({}, { origin: 'null', referer: `${ORIGIN}/cart` })).status).toBe(303);
  });
});

describe('every failure is a page that says what to do', () => {
  test.each([
    [403, 'origin-not-allowed', {}, { origin: 'https://evil.example' }],
    [403, 'origin-not-allowed', {}, { origin: 'null', referer: 'https://evil.example/' }],
    [403, 'origin-not-allowed', {}, {}],
    [403, 'origin-not-allowed', {}, { origin: 'https://evil.example', referer: `${ORIGIN}/cart` }],
    [401, 'public-key-invalid', { publicKey: 'pk-wrong' }],
    [400, 'invalid-request', { publicKey: '' }],
    [400, 'invalid-request', { returnUrl: '' }],
    [400, 'invalid-request', { returnUrl: 'javascript:alert(1)' }],
    [400, 'invalid-request', { returnUrl: 'https://evil.example/' }],
    [400, 'invalid-request', { amount: '1' }],
    [409, 'environment-mismatch', { environment: 'production' }],
    [422, 'order-ticket-invalid', { order: 'a.b.c' }],
    [400, 'private-key-exposed', { publicKey: PRIVATE_KEY }],
  ] as [number, string, Record<string, string>, Record<string, string>?][])(
    '%i %s (%#)',
    async (expected, code, fields, headers) => {
      const { companion, start } = await setUp();
      const { status, text, headers: answered } = await start(fields, headers);
      expect(status).toBe(expected);
      expect(answered.get('content-type')).toMatch(/^text\/html/);
      expect(answered.get('content-security-policy')).toContain("default-src 'none'");
      expect(answered.get('referrer-policy')).toBe('no-referrer');
      expect(companion.log.at(-1)).toMatchObject({ event: 'request', status: expected, code });
      expect(text).toContain(code);
      expect(text).toContain('Nothing was charged');
      expect(text).not.toMatch(/evil\.example|javascript:|<script/);
      expect(companion.service.callsTo(PRIME)).toHaveLength(0);
    },
  );

  test('the private key anywhere in the request, which includes the address of the page', async () => {
    const { companion, start } = await setUp();
    const referer = `${ORIGIN}/cart?key=${PRIVATE_KEY}`;
    const carriers: Record<string, string>[] = [
      { referer },
      { origin: ORIGIN, cookie: `key=${btoa(PRIVATE_KEY)}` },
    ];
    for (const headers of carriers) {
      const { status, text } = await start({}, headers);
      expect([status, text]).toEqual([400, expect.stringContaining('private-key-exposed')]);
    }
    expect(companion.counters.read('private-key-exposed')).toBe(2);
    expect(companion.service.callsTo(PRIME)).toHaveLength(0);
  });

  test('the back link, which leads to the shop and never contains the key', async () => {
    const { start } = await setUp();
    const returnUrl = `${ORIGIN}/cart?key=${encodeURIComponent(PRIVATE_KEY)}`;
    const { text } = await start({ returnUrl });
    expect(text).toContain('private-key-exposed');
    expect(text).toContain(`href="${ORIGIN}"`);
  });

  test('a ticket that was used too often, which is not mistaken for a paid order', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    companion.service.on(PRIME, { status: 400, text: '' });
    for (let tries = 0; tries < 20; tries++) await start({ order });
    companion.service.on(PRIME, { status: 201, body: { id: 'session-2' } });
    const { status, text } = await start({ order });
    expect([status, text]).toEqual([422, expect.stringContaining('reload the page')]);
    expect(companion.service.callsTo(PRIME)).toHaveLength(20);
    // The budget of the order is used up for ten minutes, for every ticket.
    expect((await start()).status).toBe(429);
    companion.clock.advance(600_001);
    expect((await start()).status).toBe(303);
  });

  test('an expired ticket, an unreachable service and a paid order', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    companion.clock.advance(45 * 60_000);
    const expired = await start({ order });
    expect([expired.status, expired.text]).toEqual([422, expect.stringContaining('reload')]);
    expect(expired.text).toContain(`href="${RETURN}"`);

    companion.service.on(PRIME, { status: 401, text: '' });
    expect((await start()).text).toContain('pay another way');

    companion.service.on(PRIME, {
      status: 201,
      body: { id: 'session-2', applicationId: 'application-2' },
    });
    companion.service.on('POST /v2/post-sale/charges', charged);
    await companion.confirm(await companion.open('key-9'));
    const paid = await start();
    expect([paid.status, paid.text]).toEqual([
      409,
      expect.stringContaining('already used for this order'),
    ]);
  });

  test('form contents, which are escaped in the page', async () => {
    const { start } = await setUp();
    const returnUrl = `${ORIGIN}/"><img src=x onerror=alert(1)>`;
    const { text } = await start({ returnUrl, environment: 'production' });
    expect(text).not.toContain('<img');
  });

  test('a duplicate field, another media type, a body that is too large, GET', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    const form = { environment: 'sandbox', returnUrl: RETURN, publicKey: PUBLIC_KEY, order };
    const twice = new URLSearchParams([...Object.entries(form), ['order', order]]);
    expect((await start(twice.toString())).status).toBe(400);
    const json = { origin: ORIGIN, 'content-type': 'application/json' };
    expect((await start('{}', json)).status).toBe(415);
    expect((await start(`order=${'x'.repeat(2_600_000)}`)).status).toBe(413);
    expect((await companion.storefront.request('/checkout/start')).status).toBe(405);
    expect(companion.service.calls).toHaveLength(0);
  });

  test.each([
    ['a body too large', {}, `order=${'x'.repeat(2_600_000)}`, 413],
    [
      'too many requests of one address',
      { addressLimit: 1, clientAddress: () => '192.0.2.7' },
      {},
      429,
    ],
  ])('a refusal before the form is read: %s', async (_, change, fields, status) => {
    const { start } = await setUp(change);
    const answers = [await start(fields), await start(fields)];
    const { headers, text, ...last } = answers[1] ?? { headers: new Headers(), text: '' };
    expect(last).toEqual({ status });
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('retry-after') !== null).toBe(status === 429);
    expect(text).toContain(`href="${ORIGIN}`);
  });

  test("only on the form's path where the API is mounted", async () => {
    const { companion } = await setUp();
    const app = new Hono().route('/financing', companion.storefront);
    const post = (path: string) =>
      app.request(`/financing${path}`, { method: 'POST', body: 'x'.repeat(2_600_000) });
    const types = [await post('/checkout/start'), await post('/checkout/prime')].map(
      ({ status, headers }) => [status, headers.get('content-type')],
    );
    expect(types).toEqual([
      [413, 'text/html; charset=UTF-8'],
      [413, 'application/problem+json'],
    ]);
  });

  test('a missing hosted URL', async () => {
    const { companion } = await setUp();
    const rest = { ...companion.options };
    delete rest.hostedUrl;
    const response = await createStorefrontApi(rest).request('/checkout/start', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN },
      body: new URLSearchParams({
        environment: 'sandbox',
        returnUrl: RETURN,
        publicKey: PUBLIC_KEY,
        order: await companion.ticket(),
      }).toString(),
    });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('Nothing was charged');
  });

  test('a refused connection, after retries', async () => {
    const { companion, start } = await setUp();
    companion.service.on(PRIME, networkError('ECONNREFUSED'));
    const pending = start();
    await expect.poll(() => (companion.clock.advance(1), companion.service.calls.length)).toBe(3);
    const { status, headers } = await pending;
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  });
});

describe('one-time tickets', () => {
  async function prime(
    companion: Awaited<ReturnType<typeof setUp>>['companion'],
    order: string,
    key: string,
  ) {
    return companion.post(
      '/checkout/prime',
      { order, environment: 'sandbox' },
      { 'idempotency-key': key },
    );
  }

  test('open one checkout at a time, and a repeated request gets the same one', async () => {
    const { companion } = await setUp({ oneTimeTickets: true });
    const order = await companion.ticket();
    const first = await prime(companion, order, 'key-1');
    expect((await prime(companion, order, 'key-1')).body).toEqual(first.body);
    const second = await prime(companion, order, 'key-2');
    expect([second.status, second.body.code]).toEqual([409, 'order-ticket-used']);
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
    await companion.post(`/checkout/${first.body.id as string}/cancellation`);
    expect((await prime(companion, order, 'key-3')).status).toBe(201);
  });

  test('stay claimed until the lender has decided, because the checkout may reopen', async () => {
    const { companion } = await setUp({ oneTimeTickets: true });
    const status = 'GET /v2/checkout/applications/application-1/status';
    companion.service.on(status, application('PendingLender'));
    const order = await companion.ticket();
    const first = await prime(companion, order, 'key-1');
    const cancelled = await companion.post(`/checkout/${first.body.id as string}/cancellation`);
    expect(cancelled.body.status).toBe('pending');
    const second = await prime(companion, order, 'key-2');
    expect([second.status, second.body.code]).toEqual([409, 'order-ticket-used']);
    companion.service.on(status, application('Declined'));
    companion.clock.advance(60_000);
    await companion.background.runOnce();
    expect((await prime(companion, order, 'key-3')).status).toBe(201);
  });

  test('open one checkout for two concurrent requests', async () => {
    const { companion } = await setUp({ oneTimeTickets: true });
    const order = await companion.ticket();
    const both = await Promise.all(['a', 'b'].map((key) => prime(companion, order, `key-${key}`)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
  });

  test('are free again when the prime provably failed', async () => {
    const { companion } = await setUp({ oneTimeTickets: true });
    companion.service.on(
      PRIME,
      { status: 401, text: '' },
      {
        status: 201,
        body: { id: 'session-2', applicationId: 'application-2' },
      },
    );
    const order = await companion.ticket();
    expect((await prime(companion, order, 'key-1')).status).toBe(503);
    expect((await prime(companion, order, 'key-2')).status).toBe(201);
  });

  test('may be used by two tabs without the option', async () => {
    const { companion } = await setUp();
    const order = await companion.ticket();
    expect((await prime(companion, order, 'key-1')).status).toBe(201);
    expect((await prime(companion, order, 'key-2')).status).toBe(201);
  });
});
