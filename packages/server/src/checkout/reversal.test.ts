import { describe, expect, test } from 'vitest';
import { ledgerSchema } from '@financing-checkout/contract/back-office';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import {
  authorized,
  CHARGE,
  created,
  foundCharge,
  foundTransaction,
  gatewayTimeout,
  GET_CHARGE,
  LOOKUP,
  notFound,
} from '../scripted-service.fixture.ts';

const REFUND = 'POST /v2/post-sale/charges/charge-1/refunds';
const VOID = 'POST /v2/post-sale/charges/charge-1/voids';

/** Creates a companion whose service charges one cent less than the primed amount. */
async function withMismatch(settled: number) {
  const companion = await createCompanion({ settle: settled > 0 ? 'on-approval' : 'later' });
  const charge = new ChargeAtService(companion.service, { total: 27_498, settled });
  companion.service.on(CHARGE, () => ({ status: 201, body: charge.wire() }));
  return { companion, charge };
}

async function rounds(companion: Awaited<ReturnType<typeof withMismatch>>['companion']) {
  for (let round = 0; round < 12; round++) {
    companion.clock.advance(30_000);
    while ((await companion.background.runOnce()) > 0);
  }
}

describe('a charge that does not match the primed order', () => {
  test('fails the checkout, is logged, and is voided while it is unsettled', async () => {
    const { companion, charge } = await withMismatch(0);
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('failed');
    expect(charge.voided).toBe(true);
    expect(companion.counters.read('charge-mismatch')).toBe(1);
    expect(companion.log).toContainEqual(
      expect.objectContaining({ event: 'charge-mismatch', security: true, reason: 'amount' }),
    );
    expect((await companion.store.findCheckout(id))?.chargeState).toBe('Voided');
    // The order is free again.
    expect((await companion.prime('key-2')).status).toBe(201);
  });

  test('raises the alarm even when the companion dies after recording it', async () => {
    const { companion: calm, charge } = await withMismatch(0);
    const { store } = calm;
    const dying = await createCompanion({
      settle: 'later',
      store: {
        ...store,
        async changeCheckout(change) {
          const result = await store.changeCheckout(change);
          if (change.set.status === 'failed') throw new Error('killed');
          return result;
        },
      },
    });
    dying.service.on(CHARGE, created({ totalAmount: 0.01 }));
    const id = await dying.open();
    expect((await dying.confirm(id)).status).toBe(500);
    expect((await store.findCheckout(id))?.status).toBe('failed');
    await rounds(calm);
    const alarms = [dying, calm].map(({ counters }) => counters.read('charge-mismatch'));
    expect(alarms).toEqual([1, 0]);
    // The next lookup reverses it.
    expect(charge.voided).toBe(true);
  });

  test('is refunded once it is settled, and the shop gets a webhook', async () => {
    const { companion, charge } = await withMismatch(27_498);
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('failed');
    expect(charge.refunded).toBe(27_498);
    expect(companion.service.callsTo(VOID)).toHaveLength(0);
    while ((await companion.background.runOnce()) > 0);
    expect(companion.webhooks().at(-1)).toMatchObject({
      status: 'failed',
      chargeState: 'Refunded',
    });
    expect((await companion.prime('key-2')).status).toBe(201);
    const { entries } = ledgerSchema.parse((await companion.office('/ledger')).body);
    expect(entries.map(({ type, amount }) => [type, amount?.value])).toEqual([
      ['Authorize', 27_498],
      ['Settle', 27_498],
      ['Refund', 27_498],
    ]);
  });

  test.each(['lost-before', 'lost-after'] as const)(
    'is refunded once when the refund is %s, and its order stays blocked until then',
    async (fault) => {
      const { companion, charge } = await withMismatch(27_498);
      charge.faults = [fault];
      await companion.confirm(await companion.open());
      expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
      await rounds(companion);
      expect(charge.refunded).toBe(27_498);
      expect(charge.transactions).toHaveLength(1);
      expect((await companion.prime('key-3')).status).toBe(201);
    },
  );

  test('is not reversed twice when the back office reverses it at the same time', async () => {
    const { companion, charge } = await withMismatch(27_498);
    charge.faults = ['lost-before'];
    await companion.confirm(await companion.open());
    const refund = () =>
      companion.officePost(
        '/charges/charge-1/refunds',
        { amount: 27_498 },
        {
          'idempotency-key': 'key-1',
        },
      );
    expect((await refund()).body.code).toBe('charge-busy');
    await rounds(companion);
    expect((await refund()).body.code).toBe('charge-not-permitted');
    expect(charge.refunded).toBe(27_498);
  });

  test('refunds the rest when another party refunds a part between two attempts', async () => {
    const { companion, charge } = await withMismatch(27_498);
    charge.faults = ['unauthorized'];
    await companion.confirm(await companion.open());
    expect(companion.service.callsTo(REFUND)).toHaveLength(1);
    charge.refunded = 498;
    await rounds(companion);
    expect([charge.refunded, charge.transactions.length]).toEqual([27_498, 1]);
    expect((await companion.prime('key-2')).status).toBe(201);
  });

  test.each([
    [400, 2006],
    [404, 2001],
    [400, 1005],
  ])(
    'that the service does not reverse (%i %i) is left for manual resolution, with its order blocked',
    async (status, code) => {
      const { companion } = await withMismatch(27_498);
      companion.service.on(REFUND, { status, body: { errors: [{ code }] } });
      await companion.confirm(await companion.open());
      await rounds(companion);
      expect(companion.service.callsTo(REFUND)).toHaveLength(1);
      expect(companion.log).toContainEqual(
        expect.objectContaining({
          event: 'charge-not-reversed',
          level: 'error',
          outcome: 'given-up',
          security: true,
        }),
      );
      expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
    },
  );

  test.each([
    ['order', { merchantOrderId: 'order-9' }],
    ['precision', { totalAmount: '274.9900001' }],
  ])('because of its %s', async (_, difference) => {
    const companion = await createCompanion({ settle: 'later' });
    const found = foundCharge({ ...authorized, ...difference });
    companion.service
      .on(CHARGE, created({ settleTransactionState: null, ...difference }))
      .on(GET_CHARGE, found, found, foundCharge({ ...difference, ...authorized, state: 'VOIDED' }))
      .on(VOID, { status: 201, body: { id: 'transaction-2', status: 'Voided' } });
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('failed');
    expect(companion.service.callsTo(VOID)).toHaveLength(1);
    expect((await companion.store.findCheckout(id))?.chargeState).toBe('Voided');
  });
});

test('a charge that is found voided needs no alarm and no reversal', async () => {
  const companion = await createCompanion();
  companion.service.on(CHARGE, created({ state: 'Voided' }));
  const id = await companion.open();
  expect((await companion.confirm(id)).body.status).toBe('failed');
  expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
  expect(companion.counters.read('charge-mismatch')).toBe(0);
  expect((await companion.prime('key-2')).status).toBe(201);
});

describe('a charge of another checkout', () => {
  test('is not reversed when the service answers with it, because it pays the other order', async () => {
    const companion = await createCompanion();
    const charge = new ChargeAtService(companion.service, { settled: 27_499 });
    companion.service.on(CHARGE, () => ({ status: 201, body: charge.wire() }));
    const paid = await companion.open();
    expect((await companion.confirm(paid)).body.status).toBe('approved');
    const other = await companion.open('key-2', { merchantOrderId: 'order-2002' });
    expect((await companion.confirm(other)).body).toMatchObject({
      status: 'unavailable',
      retrySafe: false,
    });
    await rounds(companion);
    expect(charge.refunded).toBe(0);
    expect(await companion.store.findCheckout(other)).toMatchObject({
      status: 'unavailable',
      retrySafe: true,
      chargeId: undefined,
    });
    expect((await companion.store.findCheckout(paid))?.status).toBe('approved');
    expect(companion.log).toContainEqual(
      expect.objectContaining({ event: 'charge-mismatch', reason: 'foreign-charge' }),
    );
  });

  test.each([
    ['while it is looked up', 2_000, false],
    ['after it was proved absent', 190_000, true],
  ])(
    'is not reversed when it is found under the id of this checkout %s',
    async (_, ms, retrySafe) => {
      const companion = await createCompanion();
      const charge = new ChargeAtService(companion.service, { settled: 27_499 });
      companion.service.on(CHARGE, () => ({ status: 201, body: charge.wire() }));
      expect((await companion.confirm(await companion.open())).body.status).toBe('approved');
      companion.service.on(CHARGE, gatewayTimeout);
      const other = await companion.open('key-2', { merchantOrderId: 'order-2002' });
      await companion.confirm(other, 'token-2');
      companion.clock.advance(ms);
      await companion.background.runOnce();
      companion.service.on(LOOKUP, foundTransaction({ chargeId: charge.id }));
      await rounds(companion);
      expect(charge.refunded).toBe(0);
      expect(await companion.store.findCheckout(other)).toMatchObject({
        status: 'unavailable',
        retrySafe,
        chargeId: undefined,
      });
    },
  );

  test('that was reversed is not adopted for its order', async () => {
    const companion = await createCompanion();
    const charge = new ChargeAtService(companion.service, { settled: 20_000, total: 20_000 });
    companion.service.on(CHARGE, () => ({ status: 201, body: charge.wire() }));
    expect((await companion.confirm(await companion.open())).body.status).toBe('failed');
    expect(charge.state).toBe('Refunded');
    // The same order, corrected to the amount of that charge; its own charge is never created.
    const corrected = {
      items: [{ name: 'Oak chair', sku: 'CH-1', price: 10_000, quantity: 2 }],
      discounts: [],
      taxAmount: 0,
      shippingAmount: 0,
      totalAmount: 20_000,
    };
    companion.service.on(CHARGE, gatewayTimeout);
    const second = await companion.open('key-2', corrected);
    expect((await companion.confirm(second)).body.status).toBe('unavailable');
    await rounds(companion);
    expect(await companion.store.findCheckout(second)).toMatchObject({
      status: 'unavailable',
      retrySafe: true,
      chargeId: undefined,
    });
  });
});

describe('a stray charge', () => {
  async function stray() {
    const companion = await createCompanion({ settle: 'later' });
    companion.service
      .on(CHARGE, created({ totalAmount: 0.01, settleTransactionState: null }))
      .on(GET_CHARGE, foundCharge({ ...authorized, totalAmount: 0.01 }))
      .on(VOID, { status: 401, text: '' });
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('failed');
    return { companion, id };
  }
  /** The response for a charge that the service does not have. */
  const unknown = { status: 400, body: { requestId: 'svc-1', errors: [{ code: '2001' }] } };

  test('that is found voided frees its order at once', async () => {
    const { companion, id } = await stray();
    companion.service.on(GET_CHARGE, foundCharge({ ...authorized, state: 'VOIDED' }));
    companion.clock.advance(30_000);
    while ((await companion.background.runOnce()) > 0);
    expect(await companion.store.findCheckout(id)).toMatchObject({
      chargeState: 'Voided',
      attentionAt: undefined,
    });
    expect((await companion.prime('key-2')).status).toBe(201);
  });

  test('is reported and frees its order after the grace period if the service does not know it', async () => {
    const { companion, id } = await stray();
    companion.service.on(GET_CHARGE, unknown).on(LOOKUP, notFound);
    companion.clock.advance(100_000);
    while ((await companion.background.runOnce()) > 0);
    expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
    await rounds(companion);
    expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
    expect((await companion.prime('key-3')).status).toBe(201);
    expect(companion.log).toContainEqual(
      expect.objectContaining({ event: 'charge-not-reversed', code: 'charge-not-found' }),
    );
  });

  test('that the service does not know, although it has the transaction, is looked up a bounded number of times', async () => {
    const { companion, id } = await stray();
    companion.service.on(GET_CHARGE, unknown).on(LOOKUP, foundTransaction());
    for (let round = 0; round < 40; round++) {
      companion.clock.advance(600_000);
      while ((await companion.background.runOnce()) > 0);
    }
    expect(companion.service.callsTo(GET_CHARGE).length).toBeLessThan(20);
    expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
    expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
  });
});
