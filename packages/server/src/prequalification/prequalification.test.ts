import { prequalificationSchema, problemSchema } from '@financing-checkout/contract';
import { describe, expect, test } from 'vitest';
import {
  createCompanion,
  keyOf,
  networkError,
  ORIGIN,
  PRIVATE_KEY,
  primed,
  PUBLIC_KEY,
  START,
} from '../companion.fixture.ts';
import { isoTime } from '../platform/clock.ts';
import { sha256 } from '../platform/id.ts';

const SESSION = 'POST /v3/session';
const STATUS = 'GET /v2/checkout/applications/application-1/status';
const TOKEN = 'GET /v2/checkout/applications/application-1/token';
const HOUR = 3_600_000;

const request = { environment: 'sandbox', currency: 'USD', amount: 89_000 };
const applied = (applicationStatus: string | null, change: object = {}) => ({
  status: 200,
  body: { sessionStatus: 'NOT COMPLETED', flowType: 'Apply', applicationStatus, ...change },
});
const offers = (...amounts: unknown[]) => ({
  offers: amounts.map((amount) => ({ code: 'A', financialProductType: 'Installments', amount })),
});

async function setUp(change: Parameters<typeof createCompanion>[0] = {}) {
  const companion = await createCompanion(change);
  companion.service
    .on(SESSION, { ...primed, status: 200 })
    .on(STATUS, applied(null))
    .on(TOKEN, { status: 200, body: { sessionToken: 'session-token-2' } });
  const begin = (body: object = request, key = 'key-1') =>
    companion.post('/prequalifications', body, { 'idempotency-key': key });
  const read = (id: unknown, secret = keyOf('key-1')) =>
    companion.get(`/prequalifications/${String(id)}`, { 'financing-checkout-secret': secret });
  /** Begins one and returns what the page reads afterwards. */
  async function begun() {
    const { id } = (await begin()).body;
    return async () => {
      const { status, body } = await read(id);
      expect(status).toBe(200);
      return prequalificationSchema.parse(body);
    };
  }
  return { ...companion, companion, begin, begun, read };
}

describe('begins', () => {
  test('with one POST to /v3/session for flow Apply, without a cart', async () => {
    const { begin, service } = await setUp();
    const { status, body } = await begin();
    expect(status).toBe(201);
    expect(prequalificationSchema.parse(body)).toEqual({
      id: expect.stringMatching(/^prq_/) as string,
      environment: 'sandbox',
      status: 'open',
      applicationId: 'application-1',
      expiresAt: isoTime(START + HOUR),
      presentation: {
        sessionToken: 'session-token-1',
        hosted: {
          url: `https://hosted.example/c?s=session-token-1&k=${PUBLIC_KEY}&o=https%3A%2F%2Fshop.example&r=`,
          modes: ['embedded', 'popup'],
        },
      },
    });
    expect(service.calls).toHaveLength(1);
    expect(service.calls[0]).toMatchObject({
      method: 'POST',
      path: '/v3/session',
      headers: { authorization: `Bearer ${PRIVATE_KEY}` },
    });
    expect(service.calls[0]?.body).toEqual({
      checkoutDetails: {
        currency: 'USD',
        flowType: 'Apply',
        channel: 'E_COMMERCE',
        source: 'Api',
        correlationId: body.id,
        requestedLoanAmount: 890,
      },
    });
  });

  test('without an amount, and with an address to return to', async () => {
    const { begin, service } = await setUp();
    const returnUrl = `${ORIGIN}/prequalified`;
    const { body } = await begin({
      environment: 'sandbox',
      currency: 'JPY',
      returnUrl,
      locale: 'ja',
    });
    expect(prequalificationSchema.parse(body).presentation?.hosted?.modes).toContain('redirect');
    expect(service.calls[0]?.body).not.toHaveProperty('checkoutDetails.requestedLoanAmount');
    expect(service.calls[0]?.body).toHaveProperty('checkoutDetails.currency', 'JPY');
  });

  test('once for a key, also when two requests arrive at once', async () => {
    const { begin, service } = await setUp();
    const two = await Promise.all([begin(), begin()]);
    const statuses = two.map(({ status }) => status).sort();
    expect([
      [201, 201],
      [201, 409],
    ]).toContainEqual(statuses);
    const first = two.find(({ status }) => status === 201);
    expect((await begin()).body).toEqual(first?.body);
    expect(service.callsTo(SESSION)).toHaveLength(1);
  });

  test('another one with another key', async () => {
    const { begin, service } = await setUp();
    const [first, second] = [await begin(), await begin(request, 'key-2')];
    expect(second.body.id).not.toBe(first.body.id);
    expect(service.callsTo(SESSION)).toHaveLength(2);
  });

  test('again with the key of a companion that died while it opened the session', async () => {
    const { begin, clock, store } = await setUp();
    const now = clock.now();
    await store.claimPrequalification({
      id: 'prq_dead',
      environment: 'sandbox',
      secretHash: await sha256(keyOf('key-2')),
      fingerprint: await sha256(JSON.stringify([ORIGIN, 'USD', 89_000, null, null])),
      status: 'open',
      currency: 'USD',
      origin: ORIGIN,
      returnUrl: undefined,
      locale: undefined,
      leaseUntil: now + 30_000,
      createdAt: now,
      expiresAt: now + HOUR,
    });
    expect((await begin(request, 'key-2')).body.code).toBe('idempotency-in-flight');
    clock.advance(30_000);
    const { status, body } = await begin(request, 'key-2');
    expect([status, body.id, body.expiresAt]).toEqual([
      201,
      'prq_dead',
      isoTime(START + 30_000 + HOUR),
    ]);
  });
});

describe('refuses to begin', () => {
  test.each([
    [
      'with another body under the same key',
      { ...request, amount: 1 },
      422,
      'idempotency-key-reused',
    ],
    [
      'for another environment',
      { ...request, environment: 'production' },
      409,
      'environment-mismatch',
    ],
    ['with a cart', { ...request, items: [] }, 400, 'invalid-request'],
    [
      'with an address on another site',
      { ...request, returnUrl: 'https://elsewhere.example/' },
      400,
      'invalid-request',
    ],
  ])('%s', async (_, body, status, code) => {
    const { begin, service } = await setUp();
    await begin();
    const refused = await begin(body);
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(service.callsTo(SESSION)).toHaveLength(1);
  });

  test.each([
    ['without a key', { 'idempotency-key': '' }, 'idempotency-key-missing'],
    ['with a key that can be guessed', { 'idempotency-key': 'short' }, 'idempotency-key-missing'],
    ['from another origin', { origin: 'https://elsewhere.example' }, 'origin-not-allowed'],
    ['without the public key', { authorization: 'Bearer wrong' }, 'public-key-invalid'],
    ['with the private key', { 'x-key': PRIVATE_KEY }, 'private-key-exposed'],
    ['in another version', { 'financing-checkout-version': '9' }, 'version-unsupported'],
  ])('%s, before any call of the service', async (_, headers, code) => {
    const { companion, service } = await setUp();
    const all = { ...companion.headers({ 'idempotency-key': 'key-1' }), ...headers };
    const response = await companion.storefront.request('/prequalifications', {
      method: 'POST',
      headers: all,
      body: JSON.stringify(request),
    });
    expect(await response.json()).toMatchObject({ code });
    expect(service.calls).toEqual([]);
  });

  test('above the limit of the public key', async () => {
    const { begin } = await setUp({ keyLimit: 2 });
    const statuses = [];
    for (const key of ['key-1', 'key-2', 'key-3'])
      statuses.push((await begin(request, key)).status);
    expect(statuses).toEqual([201, 201, 429]);
  });
});

describe('when the service fails, the page gets the problem of a prime and may send the same key again', () => {
  test.each([
    ['cannot be reached', networkError('ECONNREFUSED'), 503, 'service-unavailable'],
    ['refuses', { status: 400, body: { requestId: 'svc-1' } }, 502, 'service-rejected'],
    ['answers 401', { status: 401, text: '' }, 503, 'service-key-rejected'],
    [
      'answers something else',
      { status: 200, body: { hello: 'world' } },
      502,
      'service-answer-invalid',
    ],
    ['names no application', { status: 200, body: { id: 'token' } }, 502, 'service-answer-invalid'],
    ['answers 500', { status: 500, text: '' }, 504, 'outcome-unknown'],
  ])('%s', async (_, answer, status, code) => {
    const { begin, companion } = await setUp();
    companion.service.on(SESSION, answer);
    const failed = await companion.patiently(begin());
    expect([failed.status, problemSchema.parse(failed.body).code]).toEqual([status, code]);
    companion.service.on(SESSION, { ...primed, status: 200 });
    companion.clock.advance(60_000);
    expect((await companion.patiently(begin())).status).toBe(201);
  });

  test('does not answer in time', async () => {
    const { begin, companion } = await setUp();
    companion.service.on(SESSION, () => new Promise(() => undefined));
    const failed = await companion.patiently(begin());
    expect([failed.status, failed.body.code]).toEqual([504, 'outcome-unknown']);
  });

  test.each([
    ['cannot be reached', networkError('ECONNREFUSED'), 503, 'service-unavailable'],
    ['refuses', { status: 400, body: { requestId: 'svc-1' } }, 502, 'service-rejected'],
    ['answers 401', { status: 401, text: '' }, 503, 'service-key-rejected'],
    [
      'answers something else',
      { status: 200, body: { hello: 'world' } },
      502,
      'service-answer-invalid',
    ],
  ])('also while it is read: %s', async (_, answer, status, code) => {
    const { begin, companion, read } = await setUp();
    const { id } = (await begin()).body;
    companion.service.on(STATUS, answer);
    const failed = await companion.patiently(read(id));
    expect([failed.status, failed.body.code]).toEqual([status, code]);
  });
});

describe('reads', () => {
  test.each([
    [null, 'open'],
    ['New', 'open'],
    ['CHECKOUT_IN_PROGRESS', 'open'],
    ['OfTomorrow', 'open'],
    ['PendingConsumer', 'pending'],
    ['PendingLender', 'pending'],
  ])('%s as %s, with a new token for any page of the shop', async (word, status) => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word));
    const answer = await read();
    expect(answer.status).toBe(status);
    expect(answer.presentation?.sessionToken).toBe('session-token-2');
    expect(answer.presentation?.hosted?.url).toContain('s=session-token-2&');
    expect(answer.applicationId).toBe('application-1');
  });

  test.each([
    ['Declined', 'declined'],
    ['Expired', 'expired'],
    ['Cancelled', 'expired'],
  ])('%s as %s, for good and without a way to continue', async (word, status) => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word), applied('Approved'));
    expect(await read()).toMatchObject({ status });
    const again = await read();
    expect(again.status).toBe(status);
    expect(again).not.toHaveProperty('presentation');
    expect(service.callsTo(STATUS)).toHaveLength(1);
    expect(service.callsTo(TOKEN)).toEqual([]);
  });

  test.each([
    [
      'Prequalified',
      { account: { creditInfo: { availableCredit: 1500, maxAmount: 2000 } } },
      150_000,
    ],
    ['Approved', offers(1499.99, '2500.50', 12), 250_050],
    ['Authorized', { ...offers(900), confirmedOffer: { amount: 1200 } }, 120_000],
    [
      'Prequalified',
      { account: { creditInfo: { availableCredit: 3000 } }, ...offers(900) },
      300_000,
    ],
    ['Prequalified', { account: { creditInfo: null }, offers: null }, undefined],
    ['Prequalified', offers(0), undefined],
    ['Prequalified', { account: 'changed', offers: { A: 1 } }, undefined],
    ['Prequalified', offers(1.234, 'much', null), undefined],
  ])('%s with %j as prequalified for %s', async (word, change, value) => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word, change));
    const answer = await read();
    expect(answer.status).toBe('prequalified');
    expect(answer.amount).toEqual(value === undefined ? undefined : { value, currency: 'USD' });
    expect(answer).not.toHaveProperty('presentation');
  });

  test('a session that ended before it reached a lender as not found', async () => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(null, { sessionStatus: 'COMPLETED' }));
    expect(await read()).toMatchObject({ status: 'not-found' });
  });

  test('a session whose token is gone without a way to continue', async () => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(TOKEN, { status: 200, body: { sessionToken: null } });
    expect(await read()).not.toHaveProperty('presentation');
    service.on(TOKEN, { status: 400, body: {} });
    expect(await read()).not.toHaveProperty('presentation');
  });

  test('with the token of the start while the service gives no new one', async () => {
    const { begin, companion, read } = await setUp();
    const { id } = (await begin()).body;
    companion.service.on(TOKEN, networkError('ECONNREFUSED'));
    const { body } = await companion.patiently(read(id));
    expect(prequalificationSchema.parse(body).presentation?.sessionToken).toBe('session-token-1');
  });
});

describe('is over an hour after it began', () => {
  test.each([
    [null, 'not-found'],
    ['New', 'expired'],
    ['PendingLender', 'expired'],
    ['Prequalified', 'expired'],
    ['Declined', 'declined'],
  ])('%s becomes %s', async (word, status) => {
    const { begun, clock, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word));
    clock.advance(HOUR - 1);
    expect((await read()).status).not.toBe('expired');
    clock.advance(1);
    const after = await read();
    expect(after.status).toBe(status);
    expect(after).not.toHaveProperty('presentation');
    expect(after).not.toHaveProperty('amount');
    const { length } = service.calls;
    expect(await read()).toEqual(after);
    expect(service.calls).toHaveLength(length);
  });

  test('an application that the service no longer knows is not found', async () => {
    const { begun, clock, service } = await setUp();
    const read = await begun();
    clock.advance(HOUR);
    service.on(STATUS, { status: 400, body: { requestId: 'svc-1', message: 'not found' } });
    expect(await read()).toMatchObject({ status: 'not-found' });
  });

  test('a repeated POST gets it without a way to continue', async () => {
    const { begin, clock } = await setUp();
    await begin();
    clock.advance(HOUR);
    const { body } = await begin();
    expect(body.status).toBe('expired');
    expect(body).not.toHaveProperty('presentation');
  });
});

test.each([
  ['with another secret', keyOf('key-2')],
  ['without a secret', ''],
])('answers %s as it answers an unknown id', async (_, secret) => {
  const { begin, read, service } = await setUp();
  const { id } = (await begin()).body;
  const unknown = await read('prq_unknown', secret);
  const refused = await read(id, secret);
  for (const answer of [unknown, refused]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'not-found']);
  }
  expect({ ...refused.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  expect(service.callsTo(STATUS)).toEqual([]);
});

test('an application of another environment in a shared store is not found', async () => {
  const { begin, companion, store } = await setUp();
  const { id } = (await begin()).body;
  const other = await createCompanion({ environment: 'uat', store });
  const path = `/prequalifications/${String(id)}`;
  const headers = { 'financing-checkout-secret': keyOf('key-1') };
  expect((await companion.get(path, headers)).status).toBe(200);
  expect((await other.get(path, headers)).status).toBe(404);
});

test('is removed 90 days after it began', async () => {
  const { begin, background, clock, read } = await setUp();
  const { id } = (await begin()).body;
  clock.advance(90 * 86_400_000);
  await background.runOnce();
  expect((await read(id)).status).toBe(200);
  clock.advance(86_400_000);
  await background.runOnce();
  expect((await read(id)).status).toBe(404);
});
