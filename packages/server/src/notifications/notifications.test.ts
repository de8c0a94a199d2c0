import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion, PRIVATE_KEY } from '../companion.fixture.ts';
import {
  application,
  CHARGE,
  charged,
  gatewayTimeout,
  networkError,
  primed,
  type Scripted,
  ScriptedService,
  START,
  STATUS,
} from '../scripted-service.fixture.ts';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { Secret } from '@financing-checkout/kit';
import { written } from '../secrecy.fixture.ts';
import { createServiceClient } from '../service/client.ts';

const AUTHORIZATION = 'Bearer agreed-in-advance-0123456789';
const PREVIOUS = 'Bearer agreed-before-that-987654321';
const SENT_AT = '2026-11-20T12:00:00.000Z';

const event = (name: string, more: object = {}) => ({
  eventType: `application.${name}`,
  applicationId: 'application-1',
  createdAt: SENT_AT,
  ...more,
});
const confirmed = event('checkout-confirmed', {
  lenderId: 'lender-1',
  amount: 274.99,
  token: 'confirmation-token-1',
});

async function setUp(
  change: Parameters<typeof createCompanion>[0] = {},
  setup: Parameters<typeof createCompanion>[1] = {},
) {
  const companion = await createCompanion(
    {
      notificationAuthorizations: [new Secret(AUTHORIZATION), new Secret(PREVIOUS)],
      ...change,
    },
    setup,
  );
  companion.service.on(CHARGE, charged).on(STATUS, application('Approved'));
  const notify = async (body: unknown, authorization: string = AUTHORIZATION) =>
    companion.read(
      await companion.storefront.request('/notifications', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  const settleDown = async () => {
    for (let round = 0; round < 8; round++) {
      while ((await companion.background.runOnce()) > 0);
      companion.clock.advance(5_000);
    }
  };
  return { companion, notify, settleDown };
}

async function forMinutes(
  { background, clock }: Awaited<ReturnType<typeof createCompanion>>,
  minutes: number,
): Promise<void> {
  for (let round = 0; round < minutes * 6; round++) {
    clock.advance(10_000);
    while ((await background.runOnce()) > 0);
  }
}

describe('a shopper who closed the browser after approval', () => {
  test('still has the order charged', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    expect((await notify(confirmed)).status).toBe(202);
    await settleDown();
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)[0]?.body).toMatchObject({
      confirmationToken: 'confirmation-token-1',
      merchantOrderId: 'order-1001',
    });
  });

  test('is charged once for any order of duplicated notifications', async () => {
    const sequence = [event('pending-lender'), event('approved'), confirmed];
    const twice = [...sequence, ...sequence];
    const orders = fc.shuffledSubarray(twice, { minLength: twice.length });
    await fc.assert(
      fc.asyncProperty(orders, fc.boolean(), async (order, isHandledInBetween) => {
        const { companion, notify, settleDown } = await setUp();
        const id = await companion.open();
        for (const notification of order) {
          // A notification contains a past status; a lookup returns the current one.
          const pending = notification.eventType.includes('pending');
          companion.service.on(STATUS, application(pending ? 'PendingLender' : 'Approved'));
          expect((await notify(notification)).status).toBe(202);
          if (isHandledInBetween) await settleDown();
        }
        await settleDown();
        expect((await companion.store.findCheckout(id))?.status).toBe('approved');
        expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
      }),
      { numRuns: 20 },
    );
  });

  test('is charged after ten seconds, so that the page, which knows whether the order changed, can confirm first', async () => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    await notify(confirmed);
    companion.clock.advance(9_999);
    await companion.background.runOnce();
    expect((await companion.store.findCheckout(id))?.status).toBe('open');
    companion.clock.advance(1);
    await companion.background.runOnce();
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });

  test('is charged once when the page confirms at the same time', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    await notify(confirmed);
    companion.clock.advance(10_000);
    await Promise.all([companion.confirm(id), companion.background.runOnce()]);
    await settleDown();
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is charged later when all slots for service calls are in use', async () => {
    const clock = new TestClock();
    const upstream = new ScriptedService();
    const service = createServiceClient({
      baseUrl: 'https://service.example/',
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport: upstream.transport,
      clock,
      concurrency: 1,
      queue: 0,
    });
    const { companion, notify } = await setUp({ clock, service });
    const held = Promise.withResolvers<Scripted>();
    upstream
      .on('POST /v1/checkout/prime', primed)
      .on(CHARGE, charged)
      .on('GET /v2/post-sale/charges/another', () => held.promise);
    const id = await companion.open();
    await notify(confirmed);
    clock.advance(10_000);
    const another = service.charge('another', { priority: 'charge' });
    await companion.background.runOnce();
    held.resolve(charged);
    await another;
    for (let round = 0; round < 4; round++) {
      clock.advance(5_000);
      await companion.background.runOnce();
    }
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
    expect(upstream.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is charged after the checkout expired, because it was approved in time', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    companion.service.on(STATUS, application('CheckoutInProgress'));
    companion.clock.advance(3_600_000);
    await companion.background.runOnce();
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('expired');
    await notify(confirmed);
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });

  test('is not charged after a cancellation, nor for an order that another checkout claimed', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    companion.service.on(STATUS, application('Cancelled'));
    await companion.post(`/checkout/${id}/cancellation`);
    await notify(confirmed);
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('cancelled');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
  });

  test('is not charged after the page reported a changed order', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    const changed = await companion.ticket({ shippingAmount: 600, totalAmount: 27_599 });
    await notify(confirmed);
    await companion.post(`/checkout/${id}/confirmation`, {
      confirmationToken: 'confirmation-token-1',
      order: changed,
    });
    await settleDown();
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
  });

  test('is charged when the companion that received the notification died', async () => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    await notify(confirmed);
    const other = await setUp({ store: companion.store });
    await other.settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
    expect(other.companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is charged when the service is unreachable at first', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    companion.service.on(CHARGE, { status: 401, text: '' }, { status: 401, text: '' }, charged);
    await notify(confirmed);
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });

  test('is charged when the companion died between claiming the order and sending the charge', async () => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    await notify(confirmed);
    companion.clock.advance(10_000);
    const { store } = companion;
    const dying = await setUp({
      clock: companion.clock,
      store: {
        ...store,
        async changeCheckout(change) {
          await store.changeCheckout(change);
          throw new Error('killed');
        },
      },
    });
    await expect(dying.companion.background.runOnce()).rejects.toThrow('killed');
    expect(dying.companion.service.callsTo(CHARGE)).toHaveLength(0);
    await forMinutes(companion, 10);
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is charged when the connection breaks before the service has the charge', async () => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    companion.service.on(CHARGE, networkError('ECONNRESET'), charged);
    await notify(confirmed);
    companion.clock.advance(10_000);
    const round = companion.background.runOnce();
    const calls = () => companion.service.callsTo(CHARGE).length;
    await expect.poll(calls).toBe(1);
    await expect
      .poll(() => {
        companion.clock.advance(1_000);
        return calls();
      })
      .toBe(2);
    await round;
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
    const sent = companion.service.callsTo(CHARGE).map(({ body }) => body);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  test('is not charged again after the page learned that the charge failed', async () => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    companion.service.on(CHARGE, gatewayTimeout, charged);
    await notify(confirmed);
    expect((await companion.confirm(id)).body).toMatchObject({ status: 'unavailable' });
    await forMinutes(companion, 10);
    expect((await companion.get(`/checkout/${id}`)).body).toMatchObject({
      status: 'unavailable',
      retrySafe: true,
    });
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is charged when the notification arrives before the prime response', async () => {
    const { companion, notify, settleDown } = await setUp();
    await notify(confirmed);
    companion.clock.advance(10_000);
    await companion.background.runOnce();
    const id = await companion.open();
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });
});

test.each([
  ['no-checkout', 'within two minutes', 2],
  ['unreachable', 'after four hours', 300],
])(
  'drops a notification that cannot be handled, with an error and without its token: %s, %s',
  async (outcome, _, minutes) => {
    const { companion, notify } = await setUp();
    if (outcome === 'unreachable') {
      companion.service.on(CHARGE, { status: 401, text: '' });
      await companion.open();
    }
    await notify(confirmed);
    await forMinutes(companion, minutes);
    const lines = companion.log.filter(({ event }) => event === 'notification');
    expect(lines).toMatchObject([{ level: 'error', outcome }]);
    const isAlarm = outcome === 'unreachable';
    expect(companion.counters.read('confirmation-given-up')).toBe(isAlarm ? 1 : 0);
    const kept = await companion.store.claimNotifications('sandbox', Infinity, Infinity, 10);
    expect(kept).toEqual([]);
    expect(companion.service.callsTo(CHARGE).length > 0).toBe(isAlarm);
  },
);

test('drops a status notification that cannot be checked, without the alarm for a confirmation', async () => {
  const { companion, notify } = await setUp();
  const expirationDate = new Date(START + 86_400_000).toISOString();
  companion.service
    .on(STATUS, { status: 401, text: '' })
    .on('POST /v1/checkout/prime', { ...primed, body: { ...primed.body, expirationDate } });
  await companion.open();
  await notify(event('declined'));
  await forMinutes(companion, 300);
  const lines = companion.log.filter(({ event }) => event === 'notification');
  expect(lines).toMatchObject([{ level: 'error', outcome: 'unreachable' }]);
  expect(companion.counters.read('confirmation-given-up')).toBe(0);
});

test('applies a notification to the active or charged one of two checkouts with one application', async () => {
  const { companion, notify, settleDown } = await setUp();
  const id = await companion.open('key-1');
  companion.clock.advance(1_000);
  const left = await companion.open('key-2');
  companion.service.on(STATUS, application('Cancelled'));
  await companion.post(`/checkout/${left}/cancellation`);
  await notify(confirmed);
  await settleDown();
  await notify(event('approved'));
  await settleDown();
  const about = { level: 'info', checkoutId: id, outcome: 'approved' };
  const lines = companion.log.filter(({ event }) => event === 'notification');
  expect(lines).toMatchObject([about, about]);
});

describe('a notification is verified at the service', () => {
  test.each([
    ['declined', 'Approved', 'open'],
    ['declined', 'Declined', 'declined'],
    ['approved', 'Declined', 'declined'],
    ['cancelled', 'Cancelled', 'cancelled'],
    ['pending-merchant', 'PendingMerchant', 'pending'],
    ['pending-consumer', 'AStateOfTomorrow', 'open'],
  ])('%s, while the service answers %s: %s', async (name, state, status) => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    companion.service.on(STATUS, application(state));
    await notify(event(name));
    await companion.background.runOnce();
    expect((await companion.store.findCheckout(id))?.status).toBe(status);
  });

  test('sends one webhook for a pending checkout and ends it when the service does', async () => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    for (const [name, state, expected] of [
      ['pending-lender', 'PendingLender', ['pending', 2]],
      ['pending-merchant', 'PendingMerchant', ['pending', 2]],
      ['declined', 'Declined', ['declined', 3]],
    ] as const) {
      companion.service.on(STATUS, application(state));
      await notify(event(name));
      await companion.background.runOnce();
      const checkout = await companion.store.findCheckout(id);
      expect([checkout?.status, checkout?.revision]).toEqual(expected);
    }
  });

  test('retries while the service is unreachable', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    companion.service.on(STATUS, { status: 401, text: '' }, application('Declined'));
    await notify(event('declined'));
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('declined');
  });

  test('fails a charge whose amount differs from the primed amount', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    companion.service.on(CHARGE, { status: 201, body: { ...charged.body, totalAmount: 1 } });
    await notify({ ...confirmed, amount: 1 });
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('failed');
  });
});

describe('authorization of notifications', () => {
  test('accepts the previous value during a rotation', async () => {
    const { notify } = await setUp();
    expect((await notify(confirmed, PREVIOUS)).status).toBe(202);
  });

  test('refuses every value when none is configured', async () => {
    const { notify } = await setUp({ notificationAuthorizations: [] });
    expect((await notify(confirmed, '')).status).toBe(404);
  });
});

describe('the content of notifications', () => {
  test.each([
    ['an event of a later version', event('teleported')],
    ['an event without an application', { eventType: 'application.approved' }],
    ['an invalid event', { eventType: 7, applicationId: 'application-1' }],
    ['neither event nor application', { linkId: 'link-1' }],
    ['a confirmation without a token', event('checkout-confirmed')],
    ['an invalid token', event('checkout-confirmed', { token: 7 })],
    ['text that is not JSON', '{"eventType":'],
    ['nothing', ''],
    ['a list', [1]],
    ['null', 'null'],
    [
      'a body that is nested too deep to be compared',
      JSON.stringify(confirmed).replace('{', `{"more":${'['.repeat(15_000)}${']'.repeat(15_000)},`),
    ],
  ])('%s is accepted, counted and ignored', async (_, body) => {
    const { companion, notify } = await setUp();
    await companion.open();
    const before = companion.service.calls.length;
    expect((await notify(body)).status).toBe(202);
    await companion.background.runOnce();
    expect(companion.counters.read('notification')).toBe(1);
    expect(companion.counters.read('notification-unknown')).toBe(1);
    expect(companion.service.calls).toHaveLength(before);
  });

  test.each([
    'application.created',
    'application.prequalified',
    'account.prequalified',
    'links.checkout-data-update',
  ])('%s needs no action', async (eventType) => {
    const { companion, notify } = await setUp();
    const { body } = await notify({ eventType, applicationId: 'application-1' });
    expect(body).toEqual({ received: 'noted' });
    expect(companion.counters.read('notification-unknown')).toBe(0);
  });

  test.each([
    ['account.declined', 'Declined', 'declined'],
    ['account.pending-lender', 'PendingLender', 'pending'],
    ['account.pending-consumer', 'PendingConsumer', 'pending'],
    ['account.approved', 'Approved', 'open'],
  ])('%s, an old event name, is handled as the new one', async (eventType, state, end) => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    companion.service.on(STATUS, application(state));
    const about = { applicationId: 'application-1', consumerId: 'consumer-1', amount: 274.99 };
    expect((await notify({ eventType, ...about })).body).toEqual({ received: 'kept' });
    await companion.background.runOnce();
    expect((await companion.store.findCheckout(id))?.status).toBe(end);
    expect(companion.counters.read('notification-unknown')).toBe(0);
  });

  test('apply-confirmed is looked up, and its account token creates no charge', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    const body = event('apply-confirmed', { amount: 274.99, token: 'account-token-1' });
    expect((await notify(body)).body).toEqual({ received: 'kept' });
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('open');
    expect(companion.service.callsTo(CHARGE)).toEqual([]);
    expect(companion.service.callsTo(STATUS).length).toBeGreaterThan(0);
  });

  test('the oldest format of a confirmation, without an event name, causes a charge', async () => {
    const { companion, notify, settleDown } = await setUp();
    const id = await companion.open();
    const body = {
      applicationId: 'application-1',
      confirmationToken: 'confirmation-token-1',
      accountToken: 'account-token-1',
      consumerId: 'consumer-1',
    };
    expect((await notify(body)).body).toEqual({ received: 'kept' });
    await settleDown();
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)[0]?.body).toMatchObject({
      confirmationToken: 'confirmation-token-1',
    });
  });

  test.each([
    ['Consumer Declined', { applicationId: 'application-1' }],
    [
      'Link Application Status Update',
      { linkId: 'link-1', applicationId: 'application-1', applicationStatus: 'Started' },
    ],
    [
      'Consumer Confirmation with an account token alone',
      { applicationId: 'application-1', accountToken: 'account-token-1' },
    ],
  ])('the oldest format of "%s" causes a lookup', async (_, body) => {
    const { companion, notify } = await setUp();
    const id = await companion.open();
    companion.service.on(STATUS, application('Declined'));
    expect((await notify(body)).body).toEqual({ received: 'kept' });
    await companion.background.runOnce();
    expect((await companion.store.findCheckout(id))?.status).toBe('declined');
    expect(companion.service.callsTo(CHARGE)).toEqual([]);
  });

  describe('a post-sale event', () => {
    const events = ['authorize', 'settle', 'refund'].flatMap((kind) => [
      `postsale.${kind}`,
      `postsale.${kind}.accepted`,
    ]);
    const about = [{ applicationId: 'application-1' }, { chargeId: 'charge-1' }];

    test.each(events.flatMap((eventType) => about.map((named) => [eventType, named] as const)))(
      '%s %j causes a lookup of the charge, and the shop is notified of a manual refund',
      async (eventType, named) => {
        const { companion, notify, settleDown } = await setUp();
        await companion.confirm(await companion.open());
        const atService = new ChargeAtService(companion.service, { settled: 27_499 });
        await settleDown();
        atService.refunded = 500;
        expect((await notify({ eventType, ...named })).body).toEqual({ received: 'kept' });
        await settleDown();
        expect(companion.webhooks().at(-1)).toMatchObject({
          status: 'approved',
          chargeState: 'SettledPartiallyRefunded',
        });
        expect(companion.counters.read('notification-unknown')).toBe(0);
      },
    );

    test.each([{}, { chargeId: 'charge-of-another-shop' }])(
      'about %j needs no action and raises no alert',
      async (named) => {
        const { companion, notify } = await setUp();
        const body = { eventType: 'postsale.refund.accepted', ...named };
        expect((await notify(body)).body).toEqual({ received: 'noted' });
        expect(companion.counters.read('notification-unknown')).toBe(0);
      },
    );
  });

  test('detects a duplicate whose fields are in a different order', async () => {
    const { notify } = await setUp();
    const { eventType, ...rest } = event('approved');
    expect((await notify({ eventType, ...rest })).body).toEqual({ received: 'kept' });
    expect((await notify({ ...rest, eventType })).body).toEqual({ received: 'repeated' });
  });

  test('treats the same content in another environment as a different notification', async () => {
    const { companion, notify } = await setUp();
    const other = await setUp({ store: companion.store, environment: 'production' });
    expect((await notify(confirmed)).body).toEqual({ received: 'kept' });
    expect((await other.notify(confirmed)).body).toEqual({ received: 'kept' });
  });

  test('finds the fields inside an envelope', async () => {
    const { notify } = await setUp();
    const data = { applicationId: 'application-1' };
    expect((await notify({ type: 'application.approved', data })).body.received).toBe('kept');
    expect((await notify({ eventType: 'declined', ...data })).body.received).toBe('kept');
  });

  test('refuses a notification that is too large', async () => {
    const { notify } = await setUp();
    expect((await notify({ ...confirmed, padding: 'x'.repeat(70_000) })).status).toBe(413);
  });

  test('responds without waiting for the service', async () => {
    const { companion, notify } = await setUp();
    await companion.open();
    companion.service.on(STATUS, networkError('ECONNRESET'));
    const before = companion.service.calls.length;
    expect((await notify(event('declined'))).status).toBe(202);
    expect(companion.service.calls).toHaveLength(before);
  });

  test('keeps the token out of logs and responses and erases it after use', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'companion-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'companion.db');
    const { companion, notify, settleDown } = await setUp({}, { file });
    await companion.open();
    await notify(confirmed);
    // No token is stored for a notification that does not need one.
    await notify(event('approved', { token: 'confirmation-token-1' }));
    const kept = () => {
      const database = new DatabaseSync(file, { readOnly: true });
      const rows = database
        .prepare('select confirmation_token from notifications order by event desc')
        .all();
      database.close();
      return rows.map((row) => row.confirmation_token);
    };
    expect(kept()).toEqual(['confirmation-token-1', null]);
    await settleDown();
    expect(kept()).toEqual([null, null]);
    expect(JSON.stringify(written.map(({ log }) => log))).not.toContain('confirmation-token-1');
    expect(companion.answers.join()).not.toContain('confirmation-token-1');
  });
});

describe('notifications of an application without a cart', () => {
  async function withPrequalification() {
    const context = await setUp();
    const { companion } = context;
    companion.service.on('POST /v3/session', { ...primed, status: 200 });
    const body = { environment: 'sandbox', currency: 'USD' };
    await companion.post('/prequalifications', body, { 'idempotency-key': 'key-1' });
    return context;
  }

  test('are finished immediately, because the page queries the service itself', async () => {
    const { companion, notify } = await withPrequalification();
    expect((await notify(event('approved', { lenderId: 'lender-1', amount: 900 }))).status).toBe(
      202,
    );
    await companion.background.runOnce();
    expect(companion.log).toContainEqual(
      expect.objectContaining({
        level: 'info',
        event: 'notification',
        outcome: 'prequalification',
        tries: 1,
      }),
    );
    expect(companion.service.callsTo(STATUS)).toEqual([]);
  });

  test('report a confirmation without a checkout, because it can be charged', async () => {
    const { companion, notify } = await withPrequalification();
    await notify(confirmed);
    await forMinutes(companion, 2);
    expect(companion.log).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'notification', outcome: 'no-checkout' }),
    );
  });
});
