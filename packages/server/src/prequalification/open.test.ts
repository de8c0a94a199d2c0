import { prequalificationSchema, problemSchema } from '@financing-checkout/contract/storefront';
import { describe, expect, test, vi } from 'vitest';
import { keyOf, ORIGIN, PRIVATE_KEY, PUBLIC_KEY } from '../companion.fixture.ts';
import { networkError, primed, START } from '../scripted-service.fixture.ts';
import { isoTime } from '@financing-checkout/kit';
import { sha256 } from '../platform/id.ts';
import { HOUR, request, SESSION, setUp } from './prequalification.fixture.ts';

describe('starts', () => {
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

  test('without an amount, and with a return URL', async () => {
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

  test('a second prequalification with a different key', async () => {
    const { begin, service } = await setUp();
    const [first, second] = [await begin(), await begin(request, 'key-2')];
    expect(second.body.id).not.toBe(first.body.id);
    expect(service.callsTo(SESSION)).toHaveLength(2);
  });

  test('again with the key of a companion that died while opening the session', async () => {
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

describe('refuses to start', () => {
  test.each([
    [
      'for another environment',
      { ...request, environment: 'production' },
      409,
      'environment-mismatch',
    ],
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

  test('above the limit of the public key', async () => {
    const { begin } = await setUp({ keyLimit: 2 });
    const statuses = [];
    for (const key of ['key-1', 'key-2', 'key-3'])
      statuses.push((await begin(request, key)).status);
    expect(statuses).toEqual([201, 201, 429]);
  });
});

describe('when the service fails, the page gets the same problem as for a prime and may retry with the same key', () => {
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
});

describe('the budget of POST /prequalifications', () => {
  const from = (address: { is: string }, change: Parameters<typeof setUp>[0] = {}) =>
    setUp({ clientAddress: () => address.is, ...change });

  test('refuses the 21st request of an address in a minute before any work', async () => {
    const address = { is: '192.0.2.1' };
    const { begin, clock, service, store } = await from(address);
    for (let index = 0; index < 20; index++) {
      expect((await begin(request, `key-${index}`)).status).toBe(201);
    }
    const claim = vi.spyOn(store, 'claimPrequalification');
    const { body, headers, status } = await begin(request, 'key-20');
    expect([status, body.code, body.retrySafe]).toEqual([429, 'rate-limited', true]);
    expect(headers.get('retry-after')).toBe('3');
    expect(claim).not.toHaveBeenCalled();
    expect(service.callsTo(SESSION)).toHaveLength(20);
    address.is = '192.0.2.2';
    expect((await begin(request, 'key-20')).status).toBe(201);
    address.is = '192.0.2.1';
    clock.advance(3_000);
    expect((await begin(request, 'key-21')).status).toBe(201);
  });

  test('counts refused requests and repeated keys', async () => {
    const { begin } = await from(
      { is: '192.0.2.1' },
      { prequalificationBudget: { perAddress: 3 } },
    );
    expect((await begin({ ...request, environment: 'production' })).status).toBe(409);
    await begin();
    await begin();
    expect((await begin()).status).toBe(429);
  });

  test('refuses requests above the limit for all addresses together, and primes continue', async () => {
    const address = { is: '' };
    const { begin, companion } = await from(address, { prequalificationBudget: { total: 4 } });
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) {
      address.is = `192.0.2.${index}`;
      statuses.push((await begin(request, `key-${index}`)).status);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 429]);
    expect((await companion.prime('honest')).status).toBe(201);
  });

  test('does not limit reads of an application', async () => {
    const { begin, read } = await from(
      { is: '192.0.2.1' },
      { prequalificationBudget: { perAddress: 1 } },
    );
    const { id } = (await begin()).body;
    expect((await begin()).status).toBe(429);
    expect((await read(id)).status).toBe(200);
  });
});
