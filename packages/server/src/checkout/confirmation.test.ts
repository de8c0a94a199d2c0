import { describe, expect, test } from 'vitest';
import { webhookSchema } from '@financing-checkout/contract/back-office';
import { Webhook } from 'standardwebhooks';
import { createCompanion, WEBHOOK_SECRET } from '../companion.fixture.ts';
import {
  application,
  CHARGE,
  charged,
  created,
  foundCharge,
  foundTransaction,
  gatewayTimeout,
  GET_CHARGE,
  LOOKUP,
  networkError,
  ORDER,
  type Scripted,
  START,
  STATUS,
} from '../scripted-service.fixture.ts';

describe('confirmation', () => {
  test('creates the charge with a transaction id and the order id, and ends approved', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged);
    const id = await companion.open();
    const { status, body } = await companion.confirm(id);
    expect([status, body.status]).toEqual([200, 'approved']);
    const [call] = companion.service.callsTo(CHARGE);
    expect(call?.query.get('settle')).toBe('true');
    const [attempt] = await companion.attempts(id, 'charge');
    expect(attempt).toMatchObject({ kind: 'charge', state: 'accepted' });
    expect(call?.body).toEqual({
      confirmationToken: 'confirmation-token-1',
      merchantOrderId: 'order-1001',
      merchantTransactionId: attempt?.merchantTransactionId,
    });
  });

  test('can defer the settle', async () => {
    const companion = await createCompanion({ settle: 'later' });
    companion.service.on(CHARGE, charged);
    await companion.confirm(await companion.open());
    expect(companion.service.callsTo(CHARGE)[0]?.query.get('settle')).toBe('false');
  });

  test('commits the attempt before sending it', async () => {
    const companion = await createCompanion();
    const id = await companion.open();
    let recorded: unknown;
    companion.service.on(CHARGE, async () => {
      recorded = (await companion.attempts(id, 'charge')).map(({ state }) => state);
      return charged;
    });
    await companion.confirm(id);
    expect(recorded).toEqual(['recorded']);
  });

  test('creates no second charge when it is repeated, concurrently or later', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged);
    const id = await companion.open();
    const both = await Promise.all([companion.confirm(id), companion.confirm(id)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await companion.confirm(id)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('refuses a different token afterward', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged);
    const id = await companion.open();
    await companion.confirm(id);
    const { status, body } = await companion.confirm(id, 'another-token');
    expect([status, body.code]).toEqual([409, 'checkout-not-open']);
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('creates one charge for two checkouts of one order', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged);
    const first = await companion.open('key-1');
    const second = await companion.open('key-2');
    const [a, b] = await Promise.all([
      companion.confirm(first, 'token-a'),
      companion.confirm(second, 'token-b'),
    ]);
    expect([a.status, b.status].sort()).toEqual([200, 409]);
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    expect((await companion.prime('key-3')).body.status).toBe('approved');
  });

  test.each([
    [400, '2002'],
    [400, '2004'],
    [404, '1002'],
  ])('ends as failed when the service responds with %i %s', async (status, code) => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, { status, body: { requestId: 'svc-2', errors: [{ code }] } });
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('failed');
    // A refused charge may still appear: it is looked up again after the grace period.
    expect((await companion.store.findCheckout(id))?.attentionAt).toBe(START + 180_000);
  });

  test('looks up a refused charge, because the service may have created it', async () => {
    const companion = await createCompanion();
    companion.service
      .on(CHARGE, { status: 422, body: { requestId: 'svc-2', errors: [{ code: 1005 }] } })
      .on(LOOKUP, foundTransaction())
      .on(GET_CHARGE, foundCharge());
    const id = await companion.open();
    const { body } = await companion.confirm(id);
    expect(body.status).toBe('approved');
    expect((await companion.store.findCheckout(id))?.chargeId).toBe('charge-1');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('stays unknown until a refusal can be checked', async () => {
    const companion = await createCompanion();
    companion.service
      .on(CHARGE, { status: 400, body: { requestId: 'svc-2', errors: [{ code: 1005 }] } })
      .on(LOOKUP, { status: 403, text: '' });
    const id = await companion.open();
    const { body } = await companion.confirm(id);
    expect([body.status, body.retrySafe]).toEqual(['unavailable', false]);
    companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    companion.clock.advance(10_000);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
  });

  test('can be repeated when it was not sent', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, { status: 401, text: '' }, charged);
    const id = await companion.open();
    const down = await companion.confirm(id);
    expect(down.body).toMatchObject({ code: 'service-key-rejected', retrySafe: true });
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('open');
    expect((await companion.confirm(id)).body.status).toBe('approved');
  });

  test('that was not sent leaves a pending checkout tracked as before', async () => {
    const companion = await createCompanion();
    companion.service
      .on(CHARGE, { status: 401, text: '' })
      .on(STATUS, application('PendingLender'));
    const id = await companion.open();
    await companion.post(`/checkout/${id}/cancellation`);
    const before = await companion.store.findCheckout(id);
    expect((await companion.confirm(id)).body.code).toBe('service-key-rejected');
    expect(await companion.store.findCheckout(id)).toEqual({ ...before, revision: 4 });
  });
});

describe('a charge whose outcome is unknown', () => {
  const failures = [
    ['a gateway timeout', gatewayTimeout],
    ['a redirect', { status: 307, headers: { location: 'https://elsewhere.example' }, text: '' }],
  ] as const;

  test.each(failures)('is not sent again after %s and is not safe to retry', async (_, failure) => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, failure);
    const id = await companion.open();
    for (let round = 0; round < 3; round++) {
      const { status, body } = await companion.confirm(id);
      expect([status, body.status, body.retrySafe]).toEqual([200, 'unavailable', false]);
    }
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
  });

  test('that exists at the service is found by the next lookup', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, gatewayTimeout);
    const id = await companion.open();
    await companion.confirm(id);
    companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    companion.clock.advance(2_000);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    const [attempt] = await companion.attempts(id, 'charge');
    expect(companion.service.callsTo(LOOKUP)[0]?.query.get('merchantTransactionId')).toBe(
      attempt?.merchantTransactionId,
    );
  });

  test('is neither adopted nor reversed when only the order id matches', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, gatewayTimeout);
    const id = await companion.open();
    await companion.confirm(id);
    companion.service.on(ORDER, { status: 200, body: 'charge-1' }).on(GET_CHARGE, foundCharge());
    for (let round = 0; round < 200; round++) {
      companion.clock.advance(30_000);
      while ((await companion.background.runOnce()) > 0);
    }
    expect(await companion.store.findCheckout(id)).toMatchObject({
      status: 'unavailable',
      retrySafe: false,
      chargeId: undefined,
      attentionAt: expect.any(Number) as number,
    });
    expect(companion.log.filter(({ event }) => event === 'charge-not-ours')).toMatchObject([
      { level: 'error', security: true, checkoutId: id },
    ]);
    expect(companion.counters.read('charge-not-ours')).toBe(1);
    expect(companion.service.calls.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
  });

  test('that is proved absent after the grace period may be sent again under the same id', async () => {
    const companion = await createCompanion();
    const id = await companion.open();
    let meanwhile: unknown;
    companion.service.on(CHARGE, gatewayTimeout, async () => {
      const { body } = await companion.get(`/checkout/${id}`);
      meanwhile = [body.status, body.retrySafe];
      return charged;
    });
    await companion.confirm(id);
    companion.clock.advance(120_000);
    expect((await companion.get(`/checkout/${id}`)).body.retrySafe).toBe(false);
    companion.clock.advance(61_000);
    const proved = await companion.get(`/checkout/${id}`);
    expect(proved.body).toMatchObject({ status: 'unavailable', retrySafe: true });
    expect((await companion.confirm(id)).body.status).toBe('approved');
    const ids = companion.service
      .callsTo(CHARGE)
      .map(({ body }) => (body as { merchantTransactionId: string }).merchantTransactionId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(meanwhile).toEqual(['confirming', undefined]);
  });

  test('that was proved absent, resent and provably not created may be sent once more', async () => {
    const companion = await createCompanion();
    const refused = { status: 401, text: '' };
    companion.service.on(CHARGE, gatewayTimeout, refused, charged);
    const id = await companion.open();
    await companion.confirm(id);
    companion.clock.advance(181_000);
    await companion.get(`/checkout/${id}`);
    expect((await companion.confirm(id)).body.code).toBe('service-key-rejected');
    expect((await companion.get(`/checkout/${id}`)).body).toMatchObject({
      status: 'unavailable',
      retrySafe: true,
    });
    expect((await companion.confirm(id)).body.status).toBe('approved');
  });

  test('that is resent and gets code 2002 is looked up, because the first request arrived', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, gatewayTimeout, {
      status: 400,
      body: { errors: [{ code: 2002 }] },
    });
    const id = await companion.open();
    await companion.confirm(id);
    companion.clock.advance(181_000);
    await companion.get(`/checkout/${id}`);
    companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    expect((await companion.confirm(id)).body.status).toBe('approved');
  });

  test('that is resent, gets code 2002 and is not visible yet is not safe to retry', async () => {
    const companion = await createCompanion();
    const used = { status: 400, body: { errors: [{ code: 2002 }] } };
    companion.service.on(CHARGE, gatewayTimeout, used);
    const id = await companion.open();
    await companion.confirm(id);
    companion.clock.advance(181_000);
    await companion.get(`/checkout/${id}`);
    const { body } = await companion.confirm(id);
    expect(body).toMatchObject({ status: 'unavailable', retrySafe: false });
  });

  test.each([
    [403, 403],
    [403, 404],
    [404, 403],
  ])('stays unknown when a lookup is refused (%i, %i)', async (first, second) => {
    const companion = await createCompanion();
    companion.service
      .on(CHARGE, gatewayTimeout)
      .on(LOOKUP, { status: first, text: '' })
      .on(ORDER, { status: second, text: '' });
    const id = await companion.open();
    await companion.confirm(id);
    companion.clock.advance(86_400_000);
    const { body } = await companion.get(`/checkout/${id}`);
    expect(body).toMatchObject({ status: 'unavailable', retrySafe: false });
  });

  test('of a killed companion is found by another companion after the lease', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, () => new Promise(() => undefined));
    const id = await companion.open();
    void companion.confirm(id);
    await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(1);
    const other = await createCompanion({ store: companion.store });
    other.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    await other.background.runOnce();
    expect((await other.store.findCheckout(id))?.status).toBe('confirming');
    other.clock.advance(90_000);
    await other.background.runOnce();
    expect((await other.store.findCheckout(id))?.status).toBe('approved');
    expect(other.service.callsTo(CHARGE)).toHaveLength(0);
  });

  test.each(['on-approval', 'later'] as const)(
    "uses the companion's setting for an attempt that does not state whether it settles: %s",
    async (settle) => {
      const companion = await createCompanion({ settle: 'later' });
      companion.service.on(CHARGE, gatewayTimeout);
      await companion.confirm(await companion.open());
      const { store } = companion;
      const other = await createCompanion({
        settle,
        store: {
          ...store,
          async findAttempts(id) {
            const attempts = await store.findAttempts(id);
            return attempts.map((attempt) => ({ ...attempt, settle: undefined }));
          },
        },
      });
      other.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
      other.clock.advance(30_000);
      await other.background.runOnce();
      const entries = (await other.office('/ledger')).body.entries as { type: string }[];
      expect(entries.some(({ type }) => type === 'Settle')).toBe(settle === 'on-approval');
    },
  );

  test('is looked up by only one of two companions', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, gatewayTimeout);
    await companion.confirm(await companion.open());
    const other = await createCompanion({ store: companion.store, clock: companion.clock });
    companion.clock.advance(2_000);
    await Promise.all([companion.background.runOnce(), other.background.runOnce()]);
    const asked = companion.service.callsTo(LOOKUP).length + other.service.callsTo(LOOKUP).length;
    expect(asked).toBe(1);
  });
});

test('is reported and not approved when it appears after its order was paid again', async () => {
  const companion = await createCompanion();
  const answer = Promise.withResolvers<typeof charged>();
  companion.service.on(CHARGE, () => answer.promise);
  const late = await companion.open();
  const confirmed = companion.confirm(late);
  await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(1);
  // Another companion, whose clock is far ahead, treats the charge as absent.
  const other = await createCompanion({ store: companion.store });
  other.clock.advance(300_000);
  await other.background.runOnce();
  other.service.on(CHARGE, created({ id: 'charge-2' }));
  expect((await other.confirm(await other.open('key-2'))).body.status).toBe('approved');

  answer.resolve(charged);
  expect((await confirmed).body.status).toBe('unavailable');
  expect(companion.counters.read('charge-doubled')).toBe(1);
  expect(companion.log).toContainEqual(
    expect.objectContaining({ event: 'charge-doubled', security: true, checkoutId: late }),
  );
});

test('records a refusal with its request when it arrives after the charge was proved absent', async () => {
  const companion = await createCompanion();
  const answer = Promise.withResolvers<Scripted>();
  companion.service.on(CHARGE, () => answer.promise);
  const id = await companion.open();
  const confirmed = companion.confirm(id);
  await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(1);
  // Another companion's clock is far ahead.
  const other = await createCompanion({ store: companion.store });
  other.clock.advance(300_000);
  await other.background.runOnce();
  answer.resolve({ status: 400, body: { requestId: 'svc-2', errors: [{ code: 2004 }] } });
  expect((await confirmed).body).toMatchObject({ status: 'unavailable', retrySafe: true });
  const refused = { state: 'rejected', reason: '400 2004', serviceRequestId: 'svc-2' };
  expect(await companion.attempts(id, 'charge')).toMatchObject([refused]);
});

describe('cancellation', () => {
  test.each([
    ['Declined', 'declined'],
    ['Expired', 'expired'],
    ['PendingLender', 'pending'],
    ['Approved', 'pending'],
    ['Cancelled', 'cancelled'],
    ['AStateOfTomorrow', 'cancelled'],
  ])('ends a checkout whose application is %s as %s', async (status, outcome) => {
    const companion = await createCompanion();
    companion.service.on(STATUS, application(status));
    const id = await companion.open();
    expect((await companion.post(`/checkout/${id}/cancellation`)).body.status).toBe(outcome);
  });

  test('cancels the checkout when the service is unreachable', async () => {
    const companion = await createCompanion();
    companion.service.on(STATUS, { status: 403, text: '' });
    const id = await companion.open();
    expect((await companion.post(`/checkout/${id}/cancellation`)).body.status).toBe('cancelled');
  });

  test('does not end a checkout during its confirmation', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, gatewayTimeout);
    const id = await companion.open();
    await companion.confirm(id);
    expect((await companion.post(`/checkout/${id}/cancellation`)).body.status).toBe('unavailable');
  });

  test('keeps a pending checkout, which ends without the browser or with a confirmation', async () => {
    const companion = await createCompanion();
    companion.service.on(STATUS, application('PendingLender'), application('Declined'));
    const id = await companion.open();
    await companion.post(`/checkout/${id}/cancellation`);
    companion.clock.advance(60_000);
    await companion.background.runOnce();
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('declined');
  });

  /** Sets up a pending checkout whose application then has the given state. */
  async function afterPending(state: string) {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged);
    companion.service.on(STATUS, application('PendingLender'), application(state));
    const id = await companion.open();
    await companion.post(`/checkout/${id}/cancellation`);
    companion.clock.advance(3_600_000);
    await companion.background.runOnce();
    return { companion, id };
  }

  test.each([
    ['Declined', 'declined'],
    ['Expired', 'expired'],
    ['Cancelled', 'cancelled'],
  ])('ends a pending checkout whose application is then %s', async (state, outcome) => {
    const { companion, id } = await afterPending(state);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe(outcome);
  });

  test.each(['New', 'CheckoutInProgress'])(
    'reopens a pending checkout that is %s',
    async (state) => {
      const { companion, id } = await afterPending(state);
      expect((await companion.get(`/checkout/${id}`)).body.status).toBe('open');
    },
  );

  test('yields to a confirmation that arrives first', async () => {
    const companion = await createCompanion();
    const id = await companion.open();
    companion.service.on(CHARGE, charged).on(STATUS, async () => {
      await companion.confirm(id);
      return application('Cancelled');
    });
    expect((await companion.post(`/checkout/${id}/cancellation`)).body.status).toBe('approved');
  });

  test('reopens a pending checkout with offers, because the shopper did not leave it', async () => {
    const { companion, id } = await afterPending('Prequalified');
    expect((await companion.get(`/checkout/${id}`)).body).toMatchObject({
      status: 'open',
      presentation: { sessionToken: expect.any(String) as string },
    });
    companion.clock.advance(3_000_000);
    expect((await companion.confirm(id)).body.status).toBe('approved');
  });

  test('lets a pending checkout with unused offers expire', async () => {
    const { companion, id } = await afterPending('Prequalified');
    companion.clock.advance(3_600_000);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('expired');
  });

  test('keeps a checkout pending while its state is unknown to the companion', async () => {
    const { companion, id } = await afterPending('AStateOfTomorrow');
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('pending');
  });
});

test('an open checkout past its expiry cannot be confirmed', async () => {
  const companion = await createCompanion();
  companion.service.on(CHARGE, charged);
  const id = await companion.open();
  companion.clock.advance(3_600_000);
  expect((await companion.get(`/checkout/${id}`)).body.status).toBe('expired');
  expect((await companion.confirm(id)).status).toBe(409);
  expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
});

describe('a confirmation after the expiry of its checkout', () => {
  const late = async (state: string, seenExpired: boolean) => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application(state));
    const id = await companion.open();
    companion.clock.advance(3_600_000);
    if (seenExpired) await companion.get(`/checkout/${id}`);
    const { status, body } = await companion.confirm(id);
    return { status, body, charges: companion.service.callsTo(CHARGE).length };
  };

  test.each([
    ['Approved', true],
    ['Approved', false],
    ['Authorized', false],
  ])('is charged when the application is %s, as after a notification', async (...of) => {
    const { body, charges } = await late(...of);
    expect([body.status, charges]).toEqual(['approved', 1]);
  });

  test.each(['CheckoutInProgress', 'Expired', 'Cancelled', 'AStateOfTomorrow'])(
    'is refused when the application is %s',
    async (state) => {
      const { status, body, charges } = await late(state, false);
      expect([status, body.code, charges]).toEqual([409, 'checkout-not-open', 0]);
    },
  );
});

test('a late confirmation is not refused while the service is unreachable', async () => {
  const companion = await createCompanion();
  companion.service
    .on(CHARGE, charged)
    .on(STATUS, { status: 302, text: '' }, application('Approved'));
  const id = await companion.open();
  companion.clock.advance(3_600_000);
  const { status, body, headers } = await companion.confirm(id);
  expect([status, body.code, body.retrySafe]).toEqual([503, 'service-unavailable', true]);
  expect(headers.get('retry-after')).toBe('2');
  expect((await companion.confirm(id)).body.status).toBe('approved');
});

test('a hundred confirmations of an expired checkout share one call to the service', async () => {
  const companion = await createCompanion();
  companion.service.on(STATUS, application('PendingLender'));
  const id = await companion.open();
  companion.clock.advance(3_600_000);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => companion.confirm(id, `garbage-${index}`)),
  );
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['checkout-not-open']));
  expect(companion.service.callsTo(STATUS)).toHaveLength(1);
});

test('every route answers 404 for a checkout that does not exist', async () => {
  const companion = await createCompanion();
  const answers = await Promise.all([
    companion.get('/checkout/chk_none'),
    companion.confirm('chk_none'),
    companion.post('/checkout/chk_none/cancellation'),
  ]);
  expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill('checkout-not-found'));
});

describe('webhooks to the shop', () => {
  test('report each change, signed per Standard Webhooks, without personal data', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged);
    const id = await companion.open();
    await companion.confirm(id);
    await companion.background.runOnce();
    expect(companion.webhooks().map(({ revision, status }) => [revision, status])).toEqual(
      expect.arrayContaining([
        [2, 'confirming'],
        [3, 'approved'],
      ]),
    );
    for (const { headers, body } of companion.shop.calls) {
      const message = webhookSchema.parse(body);
      expect(message.data).toMatchObject({ checkoutId: id, merchantOrderId: 'order-1001' });
      // A random id may contain a name.
      expect(JSON.stringify(body).replaceAll(id, '')).not.toMatch(/ada|quill|token/i);
      expect(headers['webhook-timestamp']).toBe(String(START / 1000));
      const signature = new Webhook(WEBHOOK_SECRET).sign(
        headers['webhook-id'] ?? '',
        new Date(START),
        JSON.stringify(body),
      );
      expect(headers['webhook-signature']).toBe(signature);
      expect(headers).not.toHaveProperty('authorization');
    }
  });

  test('are retried under the same message id until the shop accepts them', async () => {
    const companion = await createCompanion();
    companion.shop.on(
      'POST /webhooks',
      { status: 503, text: '' },
      networkError('ECONNREFUSED'),
      { status: 302, headers: { location: 'https://elsewhere.example' }, text: '' },
      { status: 204, text: '' },
    );
    const id = await companion.open();
    companion.clock.advance(3_600_000);
    await companion.get(`/checkout/${id}`);
    for (let round = 0; round < 8; round++) {
      await companion.background.runOnce();
      companion.clock.advance(60_000);
    }
    const ids = companion.shop.calls.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(1);
  });
});
