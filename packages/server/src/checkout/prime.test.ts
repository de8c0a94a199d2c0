import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SignJWT } from 'jose';
import { checkoutSchema, type Order, problemSchema } from '@financing-checkout/contract/storefront';
import {
  createCompanion,
  recordedKeyOf,
  order,
  ORIGIN,
  PRIVATE_KEY,
  PUBLIC_KEY,
  TICKET_SECRET,
} from '../companion.fixture.ts';
import { charged, networkError, PRIME, primed, START } from '../scripted-service.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { createCompanion as createApis } from '../companion.ts';
import { signOrderTicket } from '@financing-checkout/ticket';

describe('prime', () => {
  test('specification 4, 5.2, 5.7: sends one POST to /v1/checkout/prime with Bearer and JSON', async () => {
    const companion = await createCompanion();
    const { status, body } = await companion.prime();
    expect(status).toBe(201);
    const checkout = checkoutSchema.parse(body);
    expect(checkout).toMatchObject({
      environment: 'sandbox',
      status: 'open',
      amount: { value: 27_499, currency: 'USD' },
      merchantOrderId: 'order-1001',
    });
    expect(companion.service.calls).toHaveLength(1);
    const [call] = companion.service.callsTo(PRIME);
    expect(call?.headers).toMatchObject({
      authorization: `Bearer ${PRIVATE_KEY}`,
      'content-type': 'application/json',
    });
    expect(call?.body).toMatchObject({
      cartDetails: {
        merchantOrderId: 'order-1001',
        items: [{ price: 129.99, quantity: 2 }],
        discounts: [{ amount: 10 }],
        taxAmount: 20.01,
        totalAmount: 274.99,
      },
      checkoutDetails: { currency: 'USD' },
    });
  });

  test('fills the hosted URL template with percent-encoded values', async () => {
    const companion = await createCompanion();
    const { body } = await companion.prime();
    const { presentation } = checkoutSchema.parse(body);
    expect(presentation?.hosted?.url).toBe(
      `https://hosted.example/c?s=session-token-1&k=${PUBLIC_KEY}&o=https%3A%2F%2Fshop.example&r=`,
    );
    expect(presentation?.hosted?.modes).toEqual(['embedded', 'popup']);
  });

  test('opens a session that has no expiration date for half an hour', async () => {
    const companion = await createCompanion();
    companion.service.on(PRIME, { status: 201, body: { id: 'session-token-1' } });
    const { body } = await companion.prime();
    expect(body.expiresAt).toBe(new Date(START + 30 * 60_000).toISOString());
    expect(companion.log.map(({ event }) => event)).not.toContain('session-over-at-once');
  });

  test.each(['America/New_York', 'Asia/Tokyo'])(
    'reads an expiration date without an offset as UTC in the time zone %s',
    async (zone) => {
      onTestFinished(() => void vi.unstubAllEnvs());
      vi.stubEnv('TZ', zone);
      const companion = await createCompanion();
      const end = new Date(START + 3_600_000).toISOString();
      const body = { ...primed.body, expirationDate: end.replace('Z', '') };
      companion.service.on(PRIME, { ...primed, body });
      expect((await companion.prime()).body.expiresAt).toBe(end);
    },
  );

  test('can be confirmed when the session is already expired, because the clocks differ', async () => {
    const companion = await createCompanion();
    const expirationDate = new Date(START).toISOString();
    companion.service
      .on(PRIME, { ...primed, body: { ...primed.body, expirationDate } })
      .on('POST /v2/post-sale/charges', charged);
    const { status, body } = await companion.prime();
    const inHalfAnHour = new Date(START + 30 * 60_000).toISOString();
    expect([status, body.expiresAt]).toEqual([201, inHalfAnHour]);
    expect(companion.log.filter(({ event }) => event === 'session-over-at-once')).toEqual([
      expect.objectContaining({ level: 'warn', requestId: expect.any(String) as string }),
    ]);
    const confirmed = await companion.confirm(String(body.id));
    expect(confirmed.body.status).toBe('approved');
  });

  test('the attempt is committed before it is sent', async () => {
    const companion = await createCompanion();
    let stateWhenSent: unknown;
    companion.service.on(PRIME, async () => {
      stateWhenSent = (await companion.store.findIdempotency(await recordedKeyOf('key-1')))?.state;
      return primed;
    });
    await companion.prime();
    expect(stateWhenSent).toBe('in-flight');
  });
});

/** The fields in which a second request with the same key differs. */
interface OtherRequest {
  order?: Partial<Order>;
  returnUrl?: string;
  locale?: string;
}

describe('idempotency', () => {
  test.each<[string, OtherRequest, Record<string, string>]>([
    ['order', { order: { merchantOrderId: 'order-2' } }, {}],
    ['return address', { returnUrl: `${ORIGIN}/paid` }, {}],
    ['language', { locale: 'fr-CA' }, {}],
    ['origin', {}, { origin: 'https://other.example' }],
  ])('refuses a different %s under the same key', async (_, { order, ...change }, headers) => {
    const companion = await createCompanion({ allowedOrigins: [ORIGIN, 'https://other.example'] });
    const request = { order: await companion.ticket(), environment: 'sandbox' };
    const key = { 'idempotency-key': 'key-1' };
    expect((await companion.post('/checkout/prime', request, key)).status).toBe(201);
    const other = { ...request, ...change };
    if (order !== undefined) other.order = await companion.ticket(order);
    const answer = await companion.post('/checkout/prime', other, { ...key, ...headers });
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency-key-reused']);
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
  });

  test('a kill between record and send leaves the key in flight until the lease ends, then unknown', async () => {
    const companion = await createCompanion();
    const body = { order: await companion.ticket(), environment: 'sandbox' };
    companion.service.on(PRIME, () => new Promise(() => undefined));
    void companion.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
    await expect.poll(() => companion.service.calls.length).toBe(1);
    // The first process is gone; another process, with its own clock, sees only the store.
    const other = await createCompanion({ store: companion.store });
    const again = () => other.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
    expect((await again()).body).toMatchObject({ code: 'idempotency-in-flight', retrySafe: true });
    other.clock.advance(30_000);
    expect((await again()).body).toMatchObject({ code: 'outcome-unknown', retrySafe: true });
    expect(other.service.calls).toHaveLength(0);
  });
});

describe('failures of the service', () => {
  test('maps a refused connection to 503 with Retry-After and retrySafe, and the same key works later', async () => {
    const companion = await createCompanion();
    companion.service.on(
      PRIME,
      networkError('ECONNREFUSED'),
      networkError('ECONNREFUSED'),
      networkError('ECONNREFUSED'),
      primed,
    );
    const body = { order: await companion.ticket(), environment: 'sandbox' };
    const send = () => companion.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
    const pending = send();
    await settle(companion, pending);
    const down = await pending;
    expect([down.status, down.body.code, down.body.retrySafe]).toEqual([
      503,
      'service-unavailable',
      true,
    ]);
    expect(Number(down.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await companion.prime('key-1', { merchantOrderId: 'order-2' });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-key-reused']);
    expect((await send()).status).toBe(201);
  });

  test('specification 5.3: answers 401 of every key with service-key-rejected after trying the next key', async () => {
    const next = 'next-private-key-0123456789';
    const companion = await createCompanion({}, { keys: [PRIVATE_KEY, next] });
    companion.service.on(PRIME, ({ headers }) =>
      headers.authorization === `Bearer ${next}` ? primed : { status: 401, text: '' },
    );
    expect((await companion.prime('key-1')).status).toBe(201);
    expect(companion.service.callsTo(PRIME)).toHaveLength(2);
    expect((await companion.prime('key-2')).status).toBe(201);
    expect(companion.service.callsTo(PRIME)).toHaveLength(3);

    companion.service.on(PRIME, { status: 401, text: '' });
    const both = await companion.prime('key-3');
    expect([both.status, both.body.code]).toEqual([503, 'service-key-rejected']);
  });

  test('passes on the request id and the field names of a 4xx, never its texts', async () => {
    const companion = await createCompanion();
    companion.service.on(PRIME, {
      status: 422,
      body: {
        RequestId: 'x',
        requestId: 'svc-1',
        errors: [{ Field: 'cartDetails.items', Error: 'ada.quill@example.com is not one' }],
      },
    });
    const request = { order: await companion.ticket(), environment: 'sandbox' };
    // The same key gets the same, complete response.
    for (let again = 0; again < 2; again++) {
      const key = { 'idempotency-key': 'key-1' };
      const { status, body } = await companion.post('/checkout/prime', request, key);
      expect(status).toBe(502);
      expect(problemSchema.parse(body)).toMatchObject({
        code: 'service-rejected',
        serviceRequestId: 'svc-1',
        errors: [{ path: 'cartDetails.items' }],
      });
      expect(JSON.stringify(body)).not.toContain('ada.quill');
    }
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
  });

  test.each([
    ['a redirect', { status: 307, headers: { location: 'https://elsewhere.example/' }, text: '' }],
    ['not JSON', { status: 200, text: '<html>' }],
    ['another shape', { status: 200, body: { token: 'x' } }],
    ['a token that no database can store', { status: 200, body: { id: 'session\u0000' } }],
    ['too large', { status: 200, text: ' '.repeat(1_100_000) }],
  ])('treats %s as an unknown outcome and does not retry it', async (_, answer) => {
    const companion = await createCompanion();
    companion.service.on(PRIME, answer);
    const { status, body } = await companion.prime();
    expect([status, body.code]).toEqual([502, 'service-answer-invalid']);
    expect(companion.service.calls).toHaveLength(1);
  });

  test('times out at the deadline', async () => {
    const companion = await createCompanion();
    companion.service.on(PRIME, () => new Promise(() => undefined));
    const pending = companion.prime();
    await expect.poll(() => companion.service.calls.length).toBe(1);
    companion.clock.advance(10_000);
    expect((await pending).body.code).toBe('outcome-unknown');
    expect(companion.service.calls[0]?.signal.aborted).toBe(true);
  });
});

describe('order tickets', () => {
  const now = Math.floor(Date.UTC(2026, 10, 20, 12) / 1000);
  const sign = (claims: object, secret = TICKET_SECRET, alg = 'HS256') =>
    new SignJWT({ env: 'sandbox', ...claims })
      .setProtectedHeader({ alg })
      .setIssuedAt(now)
      .setJti('ticket-0001')
      .setAudience('financing-companion')
      .setExpirationTime(now + 600)
      .sign(new TextEncoder().encode(secret));

  async function refuse(ticket: string, expected: string) {
    const companion = await createCompanion();
    const answer = await companion.post(
      '/checkout/prime',
      { order: ticket, environment: 'sandbox' },
      { 'idempotency-key': 'key-1' },
    );
    expect([answer.status, answer.body.code]).toEqual([422, expected]);
    expect(companion.service.calls).toHaveLength(0);
  }

  test('refuses a ticket with a changed amount', async () => {
    const [head, payload = '', signature] = (await sign({ order })).split('.');
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as {
      order: { totalAmount: number };
    };
    claims.order.totalAmount = 1;
    const changed = btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_');
    await refuse(
      `${head ?? ''}.${changed.replaceAll('=', '')}.${signature ?? ''}`,
      'order-ticket-invalid',
    );
  });
  test('refuses an expired ticket', async () => {
    const old = new Date((now - 4_000) * 1000);
    await refuse(
      await signOrderTicket(order, {
        secret: TICKET_SECRET,
        environment: 'sandbox',
        issuedAt: old,
      }),
      'order-ticket-expired',
    );
  });
  test('refuses an unsigned ticket', async () => {
    const [, payload] = (await sign({ order })).split('.');
    await refuse(`${btoa('{"alg":"none"}')}.${payload ?? ''}.`, 'order-ticket-invalid');
  });
  test('refuses a ticket of another origin', async () =>
    refuse(await sign({ order, origin: 'https://other.example' }), 'order-ticket-invalid'));
  test.each(['.', '..'])('refuses the order id "%s"', async (merchantOrderId) =>
    refuse(await sign({ order: { ...order, merchantOrderId } }), 'order-ticket-invalid'),
  );

  test('refuses parts that do not add up to the total', async () =>
    refuse(await sign({ order: { ...order, totalAmount: 27_498 } }), 'order-totals-mismatch'));
  test('accepts the previous secret during a rotation', async () => {
    const previous = 'the-secret-before-this-one-32-bytes!!';
    const companion = await createCompanion({
      tickets: { secrets: [new Secret(TICKET_SECRET), new Secret(previous)] },
    });
    const ticket = await sign({ order, origin: ORIGIN }, previous);
    const answer = await companion.post(
      '/checkout/prime',
      { order: ticket, environment: 'sandbox' },
      { 'idempotency-key': 'key-1' },
    );
    expect(answer.status).toBe(201);
  });
  test('uses the order from resolveOrder instead', async () => {
    const { options } = await createCompanion();
    const rest = { ...options };
    delete rest.tickets;
    const companion = await createCompanion();
    const app = createApis({
      ...rest,
      resolveOrder: (reference) => Promise.resolve(reference === 'cart-7' ? order : undefined),
    }).storefront;
    const send = (reference: string) =>
      app.request('/checkout/prime', {
        method: 'POST',
        headers: companion.headers({ 'idempotency-key': reference }),
        body: JSON.stringify({ order: reference, environment: 'sandbox' }),
      });
    expect((await send('cart-7')).status).toBe(201);
    expect((await send('cart-8')).status).toBe(422);
  });
});

test('refuses another environment before any work', async () => {
  const companion = await createCompanion();
  const answer = await companion.post(
    '/checkout/prime',
    { order: await companion.ticket(), environment: 'production' },
    { 'idempotency-key': 'key-1' },
  );
  expect([answer.status, answer.body.code]).toEqual([409, 'environment-mismatch']);
  expect(companion.service.calls).toHaveLength(0);
});

test('refuses a ticket of another environment before any work', async () => {
  const companion = await createCompanion();
  const order = await companion.ticket({}, { environment: 'production' });
  const answer = await companion.post(
    '/checkout/prime',
    { order, environment: 'sandbox' },
    { 'idempotency-key': 'key-1' },
  );
  expect([answer.status, answer.body.code]).toEqual([409, 'environment-mismatch']);
  expect(answer.body.detail).toContain('The ticket is signed for "production"');
  expect(companion.service.calls).toHaveLength(0);
});

describe('a ticket without an environment', () => {
  const sign = (companion: Awaited<ReturnType<typeof createCompanion>>, claims: object) =>
    new SignJWT({ order, ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(Math.floor(companion.clock.now() / 1000))
      .setJti('ticket-0001')
      .setAudience('financing-companion')
      .setExpirationTime(Math.floor(companion.clock.now() / 1000) + 600)
      .sign(new TextEncoder().encode(TICKET_SECRET));
  const forms = [
    ['no claim', {}],
    ['null', { env: null }],
    ['an empty text', { env: '' }],
    ['a list', { env: ['sandbox'] }],
    ['another letter case', { env: 'Sandbox' }],
    ['another claim', { environment: 'sandbox' }],
  ] as const;
  const prime = async (companion: Awaited<ReturnType<typeof createCompanion>>, ticket: string) => {
    const body = { order: ticket, environment: 'sandbox' };
    return companion.post('/checkout/prime', body, { 'idempotency-key': 'key-1' });
  };

  test.each(forms)('is refused before any work: %s', async (_, claims) => {
    const companion = await createCompanion();
    const answer = await prime(companion, await sign(companion, claims));
    expect([answer.status, answer.body.code]).toEqual([422, 'order-ticket-invalid']);
    expect(answer.body.errors).toMatchObject([{ path: 'env' }]);
    expect(companion.service.calls).toHaveLength(0);
  });

  test('confirms no checkout', async () => {
    const companion = await createCompanion();
    const id = await companion.open();
    const answer = await companion.post(`/checkout/${id}/confirmation`, {
      confirmationToken: 'confirmation-token-1',
      order: await sign(companion, {}),
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'order-ticket-invalid']);
    expect(companion.service.callsTo('POST /v2/post-sale/charges')).toHaveLength(0);
  });

  test('is accepted if old shops are permitted, unlike a ticket of another environment', async () => {
    const tickets = { secrets: [new Secret(TICKET_SECRET)], environmentOptional: true };
    const companion = await createCompanion({ tickets });
    const other = await prime(companion, await sign(companion, { env: 'production' }));
    expect([other.status, other.body.code]).toEqual([409, 'environment-mismatch']);
    expect((await prime(companion, await sign(companion, { env: '' }))).status).toBe(422);
    expect((await prime(companion, await sign(companion, {}))).status).toBe(201);
  });
});

test('refuses to confirm with a ticket of another environment', async () => {
  const companion = await createCompanion();
  const id = await companion.open();
  const order = await companion.ticket({}, { environment: 'production' });
  const answer = await companion.post(`/checkout/${id}/confirmation`, {
    confirmationToken: 'confirmation-token-1',
    order,
  });
  expect([answer.status, answer.body.code]).toEqual([409, 'environment-mismatch']);
  expect(companion.service.callsTo('POST /v2/post-sale/charges')).toHaveLength(0);
});

test('refuses a returnUrl of another origin, which would be an open redirect', async () => {
  const companion = await createCompanion();
  const send = async (returnUrl: string) =>
    companion.post(
      '/checkout/prime',
      { order: await companion.ticket(), environment: 'sandbox', returnUrl },
      { 'idempotency-key': returnUrl },
    );
  expect((await send('https://evil.example/')).body.errors).toEqual([
    { path: 'returnUrl', message: 'must be on the origin of the page' },
  ]);
  expect((await send(`${ORIGIN}/done`)).status).toBe(201);
});

test.each([
  // RFC 3986: the text before "@" is the userinfo, and the host follows it.
  ['an ambiguous host', `${ORIGIN}\\@evil.example/`, `${ORIGIN}/@evil.example/`],
  ['a lone surrogate', `${ORIGIN}/\ud800`, `${ORIGIN}/%EF%BF%BD`],
  ['a control character', `${ORIGIN}/\u001b[2J`, `${ORIGIN}/%1B[2J`],
])('passes a returnUrl to the hosted page as browsers read it: %s', async (_, given, passed) => {
  const companion = await createCompanion();
  const { status, body } = await companion.post(
    '/checkout/prime',
    { order: await companion.ticket(), environment: 'sandbox', returnUrl: given },
    { 'idempotency-key': 'key-1' },
  );
  expect(status).toBe(201);
  const { presentation } = body as { presentation: { hosted: { url: string } } };
  expect(new URL(presentation.hosted.url).searchParams.get('r')).toBe(passed);
});

/** Advances the clock through the retry delays until `work` ends. */
async function settle(
  companion: Awaited<ReturnType<typeof createCompanion>>,
  work: Promise<unknown>,
): Promise<void> {
  let done = false;
  void work.finally(() => (done = true));
  await expect
    .poll(() => {
      companion.clock.advance(1);
      return done;
    })
    .toBe(true);
}
