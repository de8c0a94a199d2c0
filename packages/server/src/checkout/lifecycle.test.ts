import { describe, expect, test } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import {
  application,
  CHARGE,
  charged,
  created,
  PRIME,
  primed,
  STATUS,
} from '../scripted-service.fixture.ts';

const token = { confirmationToken: 'confirmation-token-1' };

type Companion = Awaited<ReturnType<typeof createCompanion>>;

async function after(companion: Companion, seconds: number) {
  companion.clock.advance(seconds * 1_000);
  while ((await companion.background.runOnce()) > 0);
}

const leave = (companion: Companion, id: string) => companion.post(`/checkout/${id}/cancellation`);

describe('an application that the shopper left after confirming an offer', () => {
  test.each(['Approved', 'Authorized', 'PendingLender', null])(
    'with a token and the state %s is pending and then charged once',
    async (state) => {
      const companion = await createCompanion();
      companion.service.on(CHARGE, charged).on(STATUS, application(state, token));
      const id = await companion.open();
      expect((await leave(companion, id)).body.status).toBe('pending');
      expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
      await after(companion, 10);
      await after(companion, 60);
      expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
      expect(companion.service.callsTo(CHARGE)).toMatchObject([
        { body: { confirmationToken: 'confirmation-token-1', merchantOrderId: 'order-1001' } },
      ]);
    },
  );

  test('without a token is pending, and charged when the service shows the token', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('Approved'));
    const id = await companion.open();
    expect((await leave(companion, id)).body.status).toBe('pending');
    await after(companion, 60);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('pending');
    companion.service.on(STATUS, application('Approved', token));
    await after(companion, 300);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
  });

  test('is charged once when the page confirms first', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('Approved', token));
    const id = await companion.open();
    await leave(companion, id);
    expect((await companion.confirm(id)).body.status).toBe('approved');
    await after(companion, 3_600);
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is cancelled after the page reported a changed order', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('Approved', token));
    const id = await companion.open();
    const { store, clock } = companion;
    const set = { orderChanged: true };
    await store.changeCheckout({ id, revision: 1, now: clock.now(), set });
    expect((await leave(companion, id)).body.status).toBe('cancelled');
    await after(companion, 3_600);
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
  });

  test('is cancelled when another checkout paid the order', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('Approved', token));
    const id = await companion.open();
    const other = await companion.open('key-2');
    await leave(companion, id);
    expect((await companion.confirm(other, 'token-2')).body.status).toBe('approved');
    await after(companion, 60);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('cancelled');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is retried a bounded number of times while charges fail', async () => {
    const companion = await createCompanion();
    companion.service
      .on(CHARGE, { status: 429, text: '', headers: { 'retry-after': '3600' } })
      .on(STATUS, application('Approved', token));
    const id = await companion.open();
    await leave(companion, id);
    for (let hour = 0; hour < 48; hour++) await after(companion, 3_600);
    expect(companion.service.callsTo(CHARGE).length).toBeLessThan(20);
    expect(companion.counters.read('confirmation-given-up')).toBe(1);
    expect((await companion.store.findCheckout(id))?.status).toBe('pending');
  });
});

describe('an open checkout whose page never runs again', () => {
  const minute = async (companion: Companion) => {
    for (let second = 0; second < 60; second++) await after(companion, 1);
  };

  test('is charged within a minute of the confirmation, without a notification', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('CheckoutInProgress'));
    const id = await companion.open();
    await minute(companion);
    expect((await companion.store.findCheckout(id))?.status).toBe('open');
    companion.service.on(STATUS, application('Approved', token));
    await minute(companion);
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
    expect(companion.webhooks().map(({ status }) => status)).toEqual(['confirming', 'approved']);
  });

  test('is left to the page for the grace period, and not charged after an order change', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('Approved', token));
    const id = await companion.open();
    await after(companion, 40);
    expect((await companion.store.findCheckout(id))?.status).toBe('open');
    await after(companion, 9);
    const order = await companion.ticket({ totalAmount: 27_500, taxAmount: 2_002 });
    const refused = await companion.post(`/checkout/${id}/confirmation`, { ...token, order });
    expect(refused.body.code).toBe('order-changed');
    for (let tries = 0; tries < 5; tries++) await minute(companion);
    expect((await companion.store.findCheckout(id))?.status).toBe('open');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
  });

  test('is polled every 40 seconds for an hour, then less often', async () => {
    const companion = await createCompanion();
    const day = new Date(companion.clock.now() + 86_400_000).toISOString();
    companion.service
      .on(PRIME, { ...primed, body: { ...primed.body, expirationDate: day } })
      .on(STATUS, application('CheckoutInProgress'));
    await companion.open();
    for (let round = 0; round < 90; round++) await after(companion, 40);
    expect(companion.service.callsTo(STATUS)).toHaveLength(90);
    for (let round = 0; round < 2_000; round++) await after(companion, 40);
    expect(companion.service.callsTo(STATUS).length).toBeLessThan(110);
  });
});

describe('an expired checkout', () => {
  test('is charged when the shopper confirmed an offer and closed the browser', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('Approved', token));
    const id = await companion.open();
    await after(companion, 3_600);
    expect((await companion.store.findCheckout(id))?.status).toBe('pending');
    await after(companion, 10);
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test("is charged when the shopper confirms at the last moment, after the companion's expiry", async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, application('CheckoutInProgress'));
    const id = await companion.open();
    await after(companion, 3_600);
    expect((await companion.store.findCheckout(id))?.status).toBe('expired');
    companion.service.on(STATUS, application('Approved', token));
    await after(companion, 300);
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });

  test('is looked up a bounded number of times', async () => {
    const companion = await createCompanion();
    companion.service.on(STATUS, application('CheckoutInProgress'));
    const id = await companion.open();
    for (let hour = 1; hour < 10; hour++) await after(companion, 3_600);
    expect(companion.service.callsTo(STATUS).length).toBeLessThan(6);
    expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
  });

  test('is not looked up again when no lender was chosen', async () => {
    const companion = await createCompanion();
    companion.service.on(STATUS, application(null));
    const id = await companion.open();
    await after(companion, 3_600);
    expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
  });

  test('is looked up again when the service did not answer', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged).on(STATUS, { status: 302, text: '' });
    const id = await companion.open();
    await after(companion, 3_600);
    expect((await companion.store.findCheckout(id))?.status).toBe('expired');
    companion.service.on(STATUS, application('Approved', token));
    await after(companion, 300);
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });
});

describe('a settle requested with the charge', () => {
  async function settledWith(change: object, status = 201) {
    const companion = await createCompanion();
    companion.service.on(CHARGE, created(change, status));
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('approved');
    const { entries } = (await companion.office('/ledger')).body as {
      entries: { type: string; state: string }[];
    };
    const checkout = await companion.store.findCheckout(id);
    return { companion, ledger: entries.map(({ type }) => type), checkout };
  }

  test('is in the ledger once completed, and the webhook says Settled', async () => {
    const { ledger, checkout } = await settledWith({});
    expect(ledger).toEqual(['Authorize', 'Settle']);
    expect(checkout?.chargeState).toBe('Settled');
  });

  test.each([
    ['a 202', 202, { settleTransactionState: null }],
    ['a 202 with any state', 202, { settleTransactionState: 'Pending' }],
    ['settleTransactionState Failed', 201, { settleTransactionState: 'Failed' }],
  ])(
    'is not in the ledger after %s, and the webhook says Authorized',
    async (_, status, change) => {
      const { ledger, checkout } = await settledWith(change, status);
      expect(ledger).toEqual(['Authorize']);
      expect(checkout).toMatchObject({ chargeState: 'Authorized', attentionAt: undefined });
    },
  );

  test.each(['Pending', 'PendingConsumer', 'Accepted', 'SCHEDULED'])(
    'is looked up again while its state is %s, and stays out of the ledger',
    async (settleTransactionState) => {
      const { companion, ledger } = await settledWith({ settleTransactionState });
      expect(ledger).toEqual(['Authorize']);
      const [attempt] = await companion.store.findAttempts(
        (await companion.store.findCheckoutOfCharge('sandbox', 'charge-1'))?.id ?? '',
      );
      expect(attempt).toBeDefined();
      const due = await companion.store.dueChargeOperations(
        'sandbox',
        companion.clock.now() + 60_000,
        10,
      );
      expect(due).toMatchObject([{ kind: 'settle', chargeId: 'charge-1', state: 'accepted' }]);
    },
  );
});
