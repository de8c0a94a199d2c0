/*
 * Follows the money of an order from the shop to the service and back: nothing ships unpaid, nothing is
 * charged twice, every loan has its charge, and no order is blocked.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { Buyer } from './buyer.ts';
import { forgetCalls, moveClock } from './harness.ts';
import {
  chargeAtService,
  chargesOf,
  control,
  creations,
  expectedOf,
  fault,
  ledgerOf,
  ledgerTypes,
  office,
  runStackWithRelay,
  service,
  stack,
  webhookRecords,
  totalAtService,
  untilCharged,
  withoutNotifications,
} from './merchant.ts';

runStackWithRelay();
afterEach(async () => {
  for (const knob of ['/faults', '/outcomes', '/transaction-outcomes', '/lenders']) {
    await control(knob, undefined, 'DELETE');
  }
});

/** Pays an order whose settle the lender completes later. */
async function paidPending(outcome: 'pending-complete' | 'pending-fail') {
  await control('/transaction-outcomes', { outcome, type: 'Settle', after: '1h' });
  const buyer = await Buyer.order();
  await buyer.pay();
  const { chargeId } = await buyer.untilPaid();
  expect(await chargeAtService(chargeId)).toMatchObject({
    state: 'AUTHORIZED',
    settledAmount: 0,
  });
  expect(await chargesOf(buyer.number)).toMatchObject([
    { operations: [{ kind: 'settle', state: 'accepted', reason: 'pending' }] },
  ]);
  expect(await ledgerTypes(buyer.number)).toEqual(['Authorize']);
  await moveClock(stack, '1h');
  return { buyer, chargeId };
}

/** An order whose settle fails. It is paid first: a person may resolve the settle 12 seconds later. */
let toFail: Awaited<ReturnType<typeof paidPending>> | undefined;
test('a settle that is pending with its charge is not in the ledger', async () => {
  toFail = await paidPending('pending-fail');
});

const loseAnswer = () => fault({ kind: 'reset', when: 'after', operations: ['charges.create'] });

/** Checks that the order waits for a payment and that a new checkout pays it with one new charge. */
async function expectFree(buyer: Buyer, former: string): Promise<void> {
  await expect.poll(() => buyer.status()).toBe('pending-payment');
  await forgetCalls(stack);
  await buyer.pay();
  const { chargeId } = await buyer.untilPaid();
  expect(chargeId).not.toBe(former);
  expect(await creations()).toEqual([201]);
  expect(await totalAtService(chargeId)).toBe(buyer.stated.totalAmount);
}

describe('nothing is shipped unpaid', () => {
  test.each([
    { end: 'Voided', lastName: 'SettleFails', operation: 'voids', ledger: ['Authorize'] },
    { end: 'Refunded', lastName: 'Quayle', operation: 'refunds', ledger: ['Authorize', 'Settle'] },
  ])(
    'a charge with a lost answer that is found as $end is not approved, and the order can be paid again',
    async ({ end, lastName, operation, ledger }) => {
      const buyer = await Buyer.order();
      const endBlindness = await fault({
        kind: 'wrong-json',
        operations: ['transactions.lookup'],
        next: 1_000,
      });
      await loseAnswer();
      // After the faults: the service's notification creates the charge if the page is slow.
      const approved = await buyer.approve({ lastName });
      const confirmation = buyer.confirm(approved);
      const chargeId = await untilCharged(buyer.number);
      const { totalAmount } = await chargeAtService(chargeId);
      const body = operation === 'voids' ? {} : { amount: totalAmount };
      await service(`/v2/post-sale/charges/${chargeId}/${operation}`, body);
      await endBlindness();
      await confirmation;
      await expect
        .poll(() => webhookRecords(buyer.number).at(-1))
        .toMatchObject({ status: 'failed', chargeId, chargeState: end });
      expect(webhookRecords(buyer.number).map(({ status }) => status)).not.toContain('approved');
      expect(await ledgerTypes(buyer.number)).toEqual(ledger);
      await expectFree(buyer, chargeId);
    },
  );

  test('a charge whose settle failed has no settle in the ledger', async () => {
    const buyer = await Buyer.order();
    await buyer.pay({ lastName: 'SettleFails' });
    const { chargeId } = await buyer.untilPaid();
    expect(await chargeAtService(chargeId)).toMatchObject({ state: 'AUTHORIZED' });
    expect(await ledgerTypes(buyer.number)).toEqual(['Authorize']);
    expect(await expectedOf(buyer.number)).toBe(0);
  });

  test('a charge that is found authorized gets its settle in the ledger when its lender settles', async () => {
    const buyer = await Buyer.order();
    await loseAnswer();
    await buyer.pay({ lastName: 'SettleFails' });
    const { chargeId } = await buyer.untilPaid();
    expect(await ledgerTypes(buyer.number)).toEqual(['Authorize']);
    expect(await expectedOf(buyer.number)).toBe(0);
    const { state, totalAmount } = await chargeAtService(chargeId);
    expect(state).toBe('AUTHORIZED');
    await service(`/v2/post-sale/charges/${chargeId}/settles`, { amount: totalAmount });
    await expect
      .poll(() => ledgerTypes(buyer.number), { interval: 250 })
      .toEqual(['Authorize', 'Settle']);
    await expect.poll(() => expectedOf(buyer.number)).toBe(buyer.stated.totalAmount);
  });
});

describe('no order is blocked', () => {
  test('by a charge of another amount: it is refunded, and both orders can be paid again', async () => {
    const [cheap, dear] = [await Buyer.order(), await Buyer.order({ slug: 'tarn-table' })];
    const chargeId = await withoutNotifications(async () => {
      const approved = await dear.approve();
      const { confirmationToken } = await cheap.approve();
      await dear.confirm({ ...approved, confirmationToken });
      return untilCharged(dear.number);
    });
    await expect
      .poll(() => webhookRecords(dear.number).at(-1))
      .toMatchObject({ status: 'failed', chargeId, chargeState: 'Refunded' });
    expect(webhookRecords(dear.number).map(({ status }) => status)).not.toContain('approved');
    expect((await chargeAtService(chargeId)).state).toBe('REFUNDED');
    expect(await totalAtService(chargeId)).toBe(cheap.stated.totalAmount);
    await expectFree(dear, chargeId);
    await expectFree(cheap, chargeId);
  });

  test('by a refused confirmation while the order has another charge: the checkout fails', async () => {
    const buyer = await Buyer.order();
    await control('/lenders', { lenderId: 'tamberley', taxLeftOut: 'tax' });
    await buyer.pay();
    await expect.poll(() => webhookRecords(buyer.number).at(-1)?.chargeState).toBe('Refunded');
    await control('/lenders', undefined, 'DELETE');
    const former = await untilCharged(buyer.number);

    const refusal = { kind: 'status', status: 422, when: 'before', operations: ['charges.create'] };
    await fault(refusal);
    const { body } = await buyer.pay();
    expect(body.status).toBe('failed');
    expect(await chargesOf(buyer.number)).toMatchObject([{ id: former, state: 'Refunded' }]);
    await expectFree(buyer, former);
  });
});

describe('nothing is paid twice', () => {
  test('a refund of a charged-back charge is refused, and nothing moves at the service', async () => {
    const buyer = await Buyer.order();
    await buyer.pay();
    const { chargeId } = await buyer.untilPaid();
    await control('/chargebacks', { merchantOrderId: buyer.number });
    const before = await chargeAtService(chargeId);
    expect(before.state).toBe('CHARGEDBACK');
    const { status, body } = await office(`/charges/${chargeId}/refunds`, { amount: 100 });
    expect([status, body.code]).toEqual([409, 'charge-not-permitted']);
    expect(await chargeAtService(chargeId)).toEqual(before);
    expect(await chargesOf(buyer.number)).toMatchObject([
      { state: 'ChargedBack', left: { toRefund: { value: 0 }, toSettle: { value: 0 } } },
    ]);
    expect(await ledgerTypes(buyer.number)).toEqual(['Authorize', 'Settle']);
  });

  test('a charge request that never reached the service is repeated, and makes one charge', async () => {
    await fault({ kind: 'reset', when: 'before', operations: ['charges.create'] });
    const buyer = await Buyer.order();
    // Before the approval: the service's notification creates the charge if the page is slow.
    await forgetCalls(stack);
    await buyer.confirm(await buyer.approve());
    const { chargeId } = await buyer.untilPaid();
    expect(await creations()).toEqual([0, 201]);
    expect(await chargesOf(buyer.number)).toMatchObject([{ id: chargeId, state: 'Settled' }]);
    expect(await ledgerTypes(buyer.number)).toEqual(['Authorize', 'Settle']);
  });

  test('a charge with a lost answer is found and not repeated', async () => {
    const buyer = await Buyer.order();
    await forgetCalls(stack);
    await loseAnswer();
    await buyer.pay();
    const { chargeId } = await buyer.untilPaid();
    expect(await creations()).toEqual([0]);
    expect(await chargesOf(buyer.number)).toMatchObject([{ id: chargeId, state: 'Settled' }]);
  });
});

describe('every loan has its charge', () => {
  test('a notification pays the order when the page dies with its confirmation token', async () => {
    const buyer = await Buyer.order();
    await forgetCalls(stack);
    await buyer.approve();
    const { chargeId } = await buyer.untilPaid();
    expect(await creations()).toEqual([201]);
    expect(await untilCharged(buyer.number)).toBe(chargeId);
  });

  test('a poll pays the order when the page dies with its token and no notification comes', async () => {
    const buyer = await Buyer.order();
    await withoutNotifications(async () => {
      await forgetCalls(stack);
      await buyer.approve();
      const { chargeId } = await buyer.untilPaid();
      expect(await creations()).toEqual([201]);
      expect(await untilCharged(buyer.number)).toBe(chargeId);
    });
  });

  test.each([
    { title: 'approved', outcome: undefined },
    { title: 'pending at its lender', outcome: { outcome: 'pending-approve', after: '1h' } },
  ])(
    'the application’s token pays the order when the shopper leaves while it is $title',
    async ({ outcome }) => {
      const buyer = await Buyer.order();
      await withoutNotifications(async () => {
        if (outcome) await control('/outcomes', outcome);
        await forgetCalls(stack);
        const approved = await buyer.approve();
        expect((await buyer.leave(approved)).body.status).toBe('pending');
        if (outcome) await moveClock(stack, '1h');
        const { chargeId } = await buyer.untilPaid();
        expect(webhookRecords(buyer.number).map(({ status }) => status)).not.toContain('cancelled');
        expect(await creations()).toEqual([201]);
        expect(await chargesOf(buyer.number)).toMatchObject([{ id: chargeId, state: 'Settled' }]);
      });
    },
  );
});

test('a void that fails at the lender is not in the ledger and can be repeated', async () => {
  const buyer = await Buyer.order();
  await buyer.pay({ lastName: 'SettleFails' });
  const { chargeId } = await buyer.untilPaid();
  await control('/transaction-outcomes', { outcome: 'fail', type: 'Void' });
  const failed = await office(`/charges/${chargeId}/voids`, {});
  expect(failed.body.code).toBe('service-rejected');
  expect(await chargeAtService(chargeId)).toMatchObject({ state: 'AUTHORIZED' });
  expect(await ledgerTypes(buyer.number)).toEqual(['Authorize']);
  expect(await chargesOf(buyer.number)).toMatchObject([
    { state: 'Authorized', operations: [{ kind: 'void', state: 'rejected' }] },
  ]);

  expect((await office(`/charges/${chargeId}/voids`, {})).status).toBe(201);
  expect(await chargeAtService(chargeId)).toMatchObject({ state: 'VOIDED' });
  expect(await ledgerTypes(buyer.number)).toEqual(['Authorize', 'Void']);
});

test('another device learns of a partial refund after the approval, without a new charge', async () => {
  const buyer = await Buyer.order();
  await buyer.pay();
  const { chargeId } = await buyer.untilPaid();
  const [charge] = await chargesOf(buyer.number);
  const value = Math.round((charge?.settled.value ?? 0) / 2);
  expect((await office(`/charges/${chargeId}/refunds`, { amount: value })).status).toBeLessThan(
    300,
  );
  await expect
    .poll(async () => (await buyer.begin()).body)
    .toMatchObject({
      status: 'approved',
      merchantOrderId: buyer.number,
      reversal: { kind: 'reduced', amount: { value, currency: 'USD' } },
    });
  await expect
    .poll(() => webhookRecords(buyer.number).at(-1)?.chargeState)
    .toMatch(/PartiallyRefunded$/);
});

describe('a lease to own, whose charge excludes the sales tax', () => {
  const reason = 'lease-to-own-sales-tax';
  const usd = (value: number) => ({ value, currency: 'USD' });

  test('pays the order without the sales tax', async () => {
    await control('/lenders', { lenderId: 'pennowick', taxLeftOut: 'tax' });
    const buyer = await Buyer.order();
    buyer.splitTax(100);
    const { taxAmount, totalAmount } = buyer.stated;
    const charged = usd(totalAmount - taxAmount);
    expect(charged.value).toBeLessThan(totalAmount);

    await buyer.pay({ offer: 'PEN-LTO-18' });
    const record = await buyer.untilPaid();
    expect(record).toMatchObject({
      amount: usd(totalAmount),
      charged: { amount: charged, reason },
    });
    expect(await totalAtService(record.chargeId)).toBe(charged.value);
    const ordered = { amount: usd(totalAmount), reason };
    expect(await chargesOf(buyer.number)).toMatchObject([
      { id: record.chargeId, state: 'Settled', authorized: charged, ordered },
    ]);
    expect(await ledgerOf(buyer.number)).toMatchObject([
      { type: 'Authorize', amount: charged, ordered },
      { type: 'Settle', amount: charged, ordered },
    ]);
    await expect.poll(() => expectedOf(buyer.number)).toBe(charged.value);
  });

  test('a loan without the sales tax is refunded, and the order can be paid again', async () => {
    await control('/lenders', { lenderId: 'tamberley', taxLeftOut: 'tax' });
    const buyer = await Buyer.order();
    await buyer.pay({ offer: 'TAM-0-6' });
    await expect
      .poll(() => webhookRecords(buyer.number).at(-1))
      .toMatchObject({ status: 'failed', chargeState: 'Refunded' });
    expect(webhookRecords(buyer.number).map(({ status }) => status)).not.toContain('approved');
    const former = webhookRecords(buyer.number).at(-1)?.chargeId;
    await expect.poll(() => buyer.status()).toBe('pending-payment');

    await control('/lenders', undefined, 'DELETE');
    await forgetCalls(stack);
    await buyer.pay({ offer: 'TAM-0-6' });
    const record = await buyer.untilPaid();
    expect(record.charged).toBeUndefined();
    expect(record.chargeId).not.toBe(former);
    expect(await creations()).toEqual([201]);
    expect(await totalAtService(record.chargeId)).toBe(record.amount.value);
  });
});

describe('a settle that is pending with its charge', () => {
  const within = { interval: 500 };

  test('is not in the ledger when it fails', async () => {
    const { buyer, chargeId } = (toFail ??= await paidPending('pending-fail'));
    const [charge] = await chargesOf(buyer.number);
    const { id } = charge?.operations[0] ?? { id: '' };
    // The service does not report the failure, so a person resolves it after reading the portal.
    const resolution = { outcome: 'not-done', note: 'portal: the settle failed' };
    await expect
      .poll(
        async () => (await office(`/charge-operations/${id}/resolution`, resolution)).status,
        within,
      )
      .toBe(200);
    expect(await chargesOf(buyer.number)).toMatchObject([
      { state: 'Authorized', operations: [{ kind: 'settle', state: 'rejected' }] },
    ]);
    expect(await ledgerTypes(buyer.number)).toEqual(['Authorize']);
    expect(await expectedOf(buyer.number)).toBe(0);
    expect(webhookRecords(buyer.number).map(({ chargeState }) => chargeState)).not.toContain(
      'Settled',
    );

    expect((await office(`/charges/${chargeId}/settles`, {})).status).toBe(201);
    expect(await ledgerTypes(buyer.number)).toEqual(['Authorize', 'Settle']);
    expect(await totalAtService(chargeId)).toBe(buyer.stated.totalAmount);
    expect(await chargeAtService(chargeId)).toMatchObject({ state: 'SETTLED' });
  });

  test('is in the ledger once when it succeeds', async () => {
    const { buyer, chargeId } = await paidPending('pending-complete');
    await expect.poll(() => ledgerTypes(buyer.number), within).toEqual(['Authorize', 'Settle']);
    expect(await chargeAtService(chargeId)).toMatchObject({ state: 'SETTLED' });
    const operations = async () => (await chargesOf(buyer.number))[0]?.operations;
    await expect.poll(async () => (await operations())?.[0]?.reason, within).toBeUndefined();
    expect(await operations()).toMatchObject([{ kind: 'settle', state: 'accepted' }]);
    expect(await ledgerTypes(buyer.number)).toEqual(['Authorize', 'Settle']);
    const [charge] = await chargesOf(buyer.number);
    expect(charge?.left.toSettle.value).toBe(0);
    await expect.poll(() => expectedOf(buyer.number)).toBe(buyer.stated.totalAmount);
    await expect.poll(() => webhookRecords(buyer.number).at(-1)?.chargeState).toBe('Settled');
  });
});
