/* Links requested by a page: an order gets only one, however often it is requested. */
import { describe, expect, test } from 'vitest';
import { keyOf, order, recordedKeyOf } from '../companion.fixture.ts';
import { charged, networkError, START } from '../scripted-service.fixture.ts';
import {
  CHARGE,
  CREATE,
  createLinkSubject,
  link,
  LINK_URL,
  madeLink,
  onLink,
  READ,
} from './link.fixture.ts';

const DAY = 86_400_000;
const shown = (key: string) => ({ 'financing-checkout-secret': keyOf(key) });

test('returns the URL for another device, and nothing that opens the checkout on this one', async () => {
  const { prime, service } = await createLinkSubject({
    sdk: { src: 'https://sdk.example/a.js', global: 'ChargeAfter' },
  });
  const { status, body } = await prime('key-1', {}, { returnUrl: 'https://shop.example/back' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ status: 'open', merchantOrderId: 'order-1001' });
  const expiresAt = new Date(START + DAY).toISOString();
  expect(body.expiresAt).toBe(expiresAt);
  expect(body.presentation).toEqual({
    sessionToken: 'link-1',
    link: { url: LINK_URL, qrCode: 'iVBORw0KGgo=', state: 'waiting', expiresAt },
  });
  expect(service.callsTo('POST /v1/checkout/prime')).toEqual([]);
  expect(service.callsTo(CREATE)[0]?.body).toMatchObject({
    linkOptions: { deliveryMethod: 'None', onSuccessRedirectUrl: 'https://shop.example/back' },
    applicationDetails: { correlationId: expect.stringMatching(/^att_/) as string },
  });
  expect(service.callsTo(CREATE)[0]?.body).not.toHaveProperty('checkoutOptions');
});

test.each([
  ['fr-CA', 'fr'],
  ['en', 'en'],
  ['de', undefined],
  ['frr', undefined],
])('maps the page locale %s to the link language %s', async (locale, language) => {
  const { prime, service } = await createLinkSubject();
  await prime('key-1', {}, { locale });
  const [call] = service.callsTo(CREATE);
  expect(call?.body).toMatchObject({
    applicationDetails: language === undefined ? { currency: 'USD' } : { language },
  });
  if (language === undefined) expect(JSON.stringify(call?.body)).not.toContain('language');
});

describe('one order has one link', () => {
  test('another tab and a second key get the same URL, and each key can read the checkout', async () => {
    const { companion, prime, service } = await createLinkSubject();
    const first = await prime('key-1');
    const second = await prime('key-2');
    expect(second.body.id).toBe(first.body.id);
    expect(second.body.presentation).toEqual(first.body.presentation);
    expect(service.callsTo(CREATE)).toHaveLength(1);
    const path = `/checkout/${String(first.body.id)}`;
    for (const key of ['key-1', 'key-2']) {
      expect((await companion.get(path, shown(key))).body.id).toBe(first.body.id);
    }
    expect((await companion.get(path, shown('key-3'))).status).toBe(404);
    expect((await prime('key-2')).body.id).toBe(first.body.id);
    const other = await prime('key-2', { totalAmount: 27_499, merchantOrderId: 'order-2' });
    expect(other.body.code).toBe('idempotency-key-reused');
  });

  test('two concurrent tabs create one link', async () => {
    const { companion, prime, service } = await createLinkSubject();
    let answer: () => void = () => undefined;
    const made = new Promise<ReturnType<typeof madeLink>>((resolve) => {
      answer = () => resolve(madeLink());
    });
    service.on(CREATE, () => made);
    const first = prime('key-1');
    await expect.poll(() => service.callsTo(CREATE).length).toBe(1);
    const early = await prime('key-2');
    expect(early).toMatchObject({
      status: 409,
      body: { code: 'idempotency-in-flight', retrySafe: true },
    });
    expect(early.headers.get('retry-after')).toBe('1');
    answer();
    const { body } = await companion.patiently(first);
    expect((await prime('key-2')).body.id).toBe(body.id);
    expect(service.callsTo(CREATE)).toHaveLength(1);
  });

  test('a one-time ticket shows the same link again', async () => {
    const { companion, service } = await createLinkSubject({ oneTimeTickets: true });
    const body = { order: await companion.ticket(), environment: 'sandbox', via: 'link' };
    const send = (key: string) =>
      companion.post('/checkout/prime', body, { 'idempotency-key': key });
    const first = await send('key-1');
    expect((await send('key-2')).body.id).toBe(first.body.id);
    expect(service.callsTo(CREATE)).toHaveLength(1);
  });

  test('joins count in the budget of primes; above it the open link is shown and no row is written', async () => {
    const { companion, prime, service } = await createLinkSubject();
    const first = await prime('key-0');
    const isRecorded = async (key: string) =>
      (await companion.store.findIdempotency(await recordedKeyOf(key))) !== undefined;
    for (let index = 1; index < 60; index++) {
      const answer = await prime(`key-${index}`);
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual(first.body);
      expect(await isRecorded(`key-${index}`)).toBe(index < 20);
    }
    expect(service.callsTo(CREATE)).toHaveLength(1);
    // Joins count as primes of the order like any other prime.
    expect((await companion.prime('page')).body.code).toBe('rate-limited');
    companion.clock.advance(600_001);
    await prime('key-60');
    expect(await isRecorded('key-60')).toBe(true);
  });

  test('a new link is created only after the old one has ended', async () => {
    const { companion, prime, service, work } = await createLinkSubject();
    const first = await prime('key-1');
    service.on(CREATE, madeLink(2)).on(READ, link('Expired'));
    await work(DAY - 1);
    // The checkout ends with the link; then the order gets another link.
    const read = await companion.get(`/checkout/${String(first.body.id)}`);
    expect(read.body).toMatchObject({ status: 'expired' });
    expect(read.body).not.toHaveProperty('presentation');
    // A new ticket is needed because the first one has also expired.
    const second = await prime('key-2', { tags: { again: 'yes' } });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect(second.body.presentation).toMatchObject({ sessionToken: 'link-2' });
  });

  test('a changed order gets neither a second link nor the old one', async () => {
    const { prime, service } = await createLinkSubject();
    await prime('key-1');
    const changed = await prime('key-2', { taxAmount: 2_002, totalAmount: 27_500 });
    expect(changed).toMatchObject({
      status: 409,
      body: {
        code: 'order-changed',
        amounts: { approved: { value: 27_499 }, current: { value: 27_500 } },
      },
    });
    expect(service.callsTo(CREATE)).toHaveLength(1);
  });

  test('a paid order gets no link', async () => {
    const { companion, prime, service } = await createLinkSubject();
    await companion.confirm(await companion.open());
    const answer = await prime('key-2');
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } });
    expect(answer.body).not.toHaveProperty('presentation');
    expect(service.callsTo(CREATE)).toEqual([]);
  });

  test.each([
    ['can still be opened', link('New')],
    ['the service does not return', { status: 403, text: '' }],
  ])('leaving the page does not end a link that %s', async (_, answer) => {
    const { companion, prime, service } = await createLinkSubject();
    service.on(READ, answer);
    const { body } = await prime('key-1');
    const left = await companion.post(`/checkout/${String(body.id)}/cancellation`);
    expect(left.body).toMatchObject({ status: 'open', presentation: { link: { url: LINK_URL } } });
    expect((await prime('key-2')).body.id).toBe(body.id);
    expect(service.callsTo(CREATE)).toHaveLength(1);
  });
});

test('counts toward the budgets of the order', async () => {
  const { companion, prime } = await createLinkSubject({ orderBudgets: { openCheckouts: 1 } });
  await companion.open('key-1');
  expect(await prime('key-2')).toMatchObject({ status: 429, body: { code: 'rate-limited' } });
});

test('refuses an order number of more than 100 characters before anything is sent', async () => {
  const { prime, service } = await createLinkSubject();
  const { status, body } = await prime('key-1', { merchantOrderId: 'x'.repeat(101) });
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    {
      path: 'order.merchantOrderId',
      message: 'must have at most 100 characters for a link',
    },
  ]);
  expect(service.calls).toEqual([]);
  expect((await prime('key-1', { merchantOrderId: 'x'.repeat(100) })).status).toBe(201);
});

describe('faults of the service', () => {
  test.each([
    ['a reset after sending', networkError('ECONNRESET'), 504, 'outcome-unknown'],
    ['a server error', { status: 500, body: {} }, 504, 'outcome-unknown'],
    ['JSON of another shape', { status: 201, body: { linkId: 7 } }, 502, 'service-answer-invalid'],
  ])(
    'after %s, the same key never calls the service again, but a new key does',
    async (_, fault, status, code) => {
      const { prime, service } = await createLinkSubject();
      service.on(CREATE, fault, madeLink());
      for (let again = 0; again < 2; again++) {
        expect(await prime('key-1')).toMatchObject({ status, body: { code, retrySafe: true } });
      }
      expect(service.callsTo(CREATE)).toHaveLength(1);
      // The URL of the lost link was never shown, so the shopper sees only one link.
      expect((await prime('key-2')).status).toBe(201);
      expect(service.callsTo(CREATE)).toHaveLength(2);
    },
  );

  test('a slow service leaves the outcome unknown', async () => {
    const { companion, prime, service } = await createLinkSubject();
    service.on(CREATE, () => new Promise<never>(() => undefined));
    const answer = await companion.patiently(prime('key-1'), 1_000);
    expect(answer).toMatchObject({ status: 504, body: { code: 'outcome-unknown' } });
    expect(service.callsTo(CREATE)).toHaveLength(1);
  });

  test('a private key that the service rejects stores nothing, so the same request may be sent again', async () => {
    const { prime, service } = await createLinkSubject();
    service.on(CREATE, { status: 401, text: '' }, madeLink());
    expect(await prime('key-1')).toMatchObject({
      status: 503,
      body: { code: 'service-key-rejected' },
    });
    expect((await prime('key-1')).status).toBe(201);
  });

  test.each([
    ['10101', /not enabled/],
    ['10201', /opted out/],
  ])('explains the refusal %s in words', async (code, words) => {
    const { prime, service } = await createLinkSubject();
    const errors = [{ code, description: 'of the service' }];
    service.on(CREATE, { status: 403, body: { requestId: 'svc-1', errors } }, madeLink());
    const { body } = await prime('key-1');
    expect(body).toMatchObject({ code: 'service-rejected', serviceRequestId: 'svc-1' });
    expect(body.detail).toMatch(words);
    // No link was created, so another key may create one.
    expect((await prime('key-2')).status).toBe(201);
  });

  test('retries once without the consumer when the service refuses their data', async () => {
    const { companion, prime, service } = await createLinkSubject();
    const errors = [{ code: '10002', description: 'Field value is invalid' }];
    service.on(CREATE, { status: 400, body: { requestId: 'svc-1', errors } }, madeLink());
    expect((await prime('key-1')).status).toBe(201);
    const [first, second] = service.callsTo(CREATE).map(({ body }) => body as object);
    expect(first).toHaveProperty('consumer');
    expect(second).not.toHaveProperty('consumer');
    expect(companion.counters.read('consumer-refused')).toBe(1);
  });
});

test.each([
  ['lives', 0],
  ['has ended', DAY],
])('a page cannot confirm a link that %s with a made-up token', async (_, passedMs) => {
  const { companion, prime, service } = await createLinkSubject();
  const { body } = await prime('key-1');
  service.on(READ, link('Expired'));
  companion.clock.advance(passedMs);
  const answer = await companion.confirm(String(body.id), 'made-up');
  expect(answer.body.code).toBe('checkout-not-open');
  expect(service.callsTo(CHARGE)).toEqual([]);
});

test('no address, token or name of the shopper is in the log', async () => {
  const { companion, prime, show, service } = await createLinkSubject();
  service.on(CHARGE, charged);
  await prime();
  await show(link('Accessed', onLink('Confirmed', 1)));
  const lines = JSON.stringify(companion.log);
  expect(lines).toContain('/v2/omni-link/consumer/{linkId}');
  for (const secret of [LINK_URL, 'link-1', 'token-1', 'Quill', order.consumer?.email ?? '-']) {
    expect(lines).not.toContain(secret);
  }
});
