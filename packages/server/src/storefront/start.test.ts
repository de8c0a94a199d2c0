import { Hono } from 'hono';
import { describe, expect, test, vi } from 'vitest';
import { createCompanion, ORIGIN, PRIVATE_KEY, PUBLIC_KEY } from '../companion.fixture.ts';
import { charged, networkError, application } from '../scripted-service.fixture.ts';
import { createCompanion as createApis } from '../companion.ts';

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

type Companion = Awaited<ReturnType<typeof setUp>>['companion'];

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
    ['a body that is too large', {}, `order=${'x'.repeat(2_600_000)}`, 413],
    [
      'too many requests from one address',
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
    const response = await createApis(rest).storefront.request('/checkout/start', {
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

describe('the budget of the form', () => {
  const PER_TICKET = 30;
  const PER_ADDRESS = 20;
  const clientAddress = (request: Request) => request.headers.get('x-client') ?? undefined;

  /**
   * Returns the ticket with one of the four equivalent last characters of its signature: two of
   * their bits are unused.
   */
  function respelled(ticket: string, time: number): string {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = digits.indexOf(ticket.at(-1) ?? '');
    return ticket.slice(0, -1) + digits.charAt((last & ~3) + (time % 4));
  }

  async function flooded() {
    const { companion, start } = await setUp({ clientAddress });
    let clients = 0;
    const from = (client: string) => ({ origin: ORIGIN, 'x-client': client });
    const fromAnywhere = () => from(`198.51.${clients >> 8}.${clients++ & 255}`);
    return { companion, start, from, fromAnywhere };
  }

  test('is not needed for a repeated ticket, which only reads the open checkout', async () => {
    const { companion, start } = await setUp();
    const order = await companion.ticket();
    const first = await start({ order });
    const begin = vi.spyOn(companion.store, 'beginPrime');
    const find = vi.spyOn(companion.store, 'findIdempotency');
    for (let times = 0; times < 5; times++) {
      const again = await start({ order });
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
    }
    expect(begin).not.toHaveBeenCalled();
    expect(find).toHaveBeenCalledTimes(5);
    const other = await start({ order, environment: 'production' });
    expect([other.status, other.text]).toEqual([
      409,
      expect.stringContaining('environment-mismatch'),
    ]);
  });

  test('does not let a ticket of another order reuse the id of an earlier ticket', async () => {
    const { companion, start } = await setUp();
    const id = 'ticket-0001';
    expect((await start({ order: await companion.ticket({}, { id }) })).status).toBe(303);
    const order = await companion.ticket({ merchantOrderId: 'order-1002' }, { id });
    const { status, text } = await start({ order });
    expect([status, text]).toEqual([422, expect.stringContaining('idempotency-key-reused')]);
  });

  test.each<[string, (order: string, time: number) => Record<string, string>]>([
    ['unchanged', (order) => ({ order })],
    ['with white space around it', (order, time) => ({ order: ` ${order}${'\n'.repeat(time)}` })],
    [
      'with its signature spelled differently',
      (order, time) => ({ order: respelled(order, time) }),
    ],
    ['with other return addresses', (order, time) => ({ order, returnUrl: `${ORIGIN}/${time}` })],
    [
      'in other languages',
      (order, time) => ({ order, locale: ['fr', 'de', 'en'][time % 3] ?? '' }),
    ],
  ])(
    'limits one ticket from many addresses to thirty a minute, before the store is read: %s',
    async (_, fieldsOf) => {
      const { companion, start, fromAnywhere } = await flooded();
      const order = await companion.ticket();
      const submit = (time: number) => start(fieldsOf(order, time), fromAnywhere());
      for (let time = 0; time < PER_TICKET; time++) await submit(time);
      const find = vi.spyOn(companion.store, 'findIdempotency');
      const refused = await submit(PER_TICKET);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
      expect(refused.text).toContain('Try again in a minute');
      expect(find).not.toHaveBeenCalled();
      // Another ticket is accepted now, and this ticket two seconds later.
      const other = await companion.ticket({ merchantOrderId: 'order-1002' });
      expect((await start({ order: other }, fromAnywhere())).status).toBe(303);
      companion.clock.advance(2_000);
      expect((await submit(0)).status).not.toBe(429);
    },
  );

  test.each<[string, (companion: Companion, time: number) => Promise<string>]>([
    [
      'with a different order each time',
      (companion, time) => companion.ticket({ merchantOrderId: `order-${2_000 + time}` }),
    ],
    ['with damaged tickets', async (companion, time) => `${await companion.ticket()}${time}`],
    ['without a ticket', () => Promise.resolve('')],
  ])('limits an address to twenty a minute, before any work: %s', async (_, orderOf) => {
    const { companion, start, from, fromAnywhere } = await flooded();
    const submit = async (time: number) =>
      start({ order: await orderOf(companion, time) }, from('192.0.2.7'));
    for (let time = 0; time < PER_ADDRESS; time++) await submit(time);
    expect((await submit(PER_ADDRESS)).status).toBe(429);
    const honest = await companion.ticket({ merchantOrderId: 'order-1002' });
    expect((await start({ order: honest }, fromAnywhere())).status).toBe(303);
    // Pages with JavaScript still work from the same address.
    const { status } = await companion.prime('key-1', { merchantOrderId: 'order-1003' });
    expect(status).toBe(201);
  });

  test('is not used up for an address by pages of another site', async () => {
    const { start, from } = await flooded();
    const submit = (origin: string) => start({}, { ...from('192.0.2.7'), origin });
    const other = 'https://other.example';
    for (let time = 0; time < PER_ADDRESS; time++) expect((await submit(other)).status).toBe(403);
    expect((await submit(other)).status).toBe(429);
    expect((await submit(ORIGIN)).status).toBe(303);
  });

  test('counts each ticket of an order separately', async () => {
    const { companion, start, fromAnywhere } = await flooded();
    const order = await companion.ticket();
    for (let time = 0; time <= PER_TICKET; time++) await start({ order }, fromAnywhere());
    expect((await start({}, fromAnywhere())).status).toBe(303);
  });
});

describe('one-time tickets', () => {
  async function prime(companion: Companion, order: string, key: string) {
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
