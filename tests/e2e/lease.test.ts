/* A lease to own, whose charge leaves out the sales tax: the order is paid, and both amounts are stated. */
import { afterEach, expect, test } from 'vitest';
import { Buyer } from './buyer.ts';
import { forgetCalls } from './harness.ts';
import {
  chargesOf,
  control,
  creations,
  expectedOf,
  ledgerOf,
  runStackWithRelay,
  stack,
  told,
  totalAtService,
} from './merchant.ts';

runStackWithRelay();
afterEach(async () => {
  await control('/lenders', undefined, 'DELETE');
});

const reason = 'lease-to-own-sales-tax';
const usd = (value: number) => ({ value, currency: 'USD' });

test.each([
  { taxLeftOut: 'tax', shippingTax: 0 },
  { taxLeftOut: 'tax', shippingTax: 100 },
  { taxLeftOut: 'tax-and-shipping-tax', shippingTax: 100 },
])(
  'a lease without the sales tax pays the order ($taxLeftOut, $shippingTax of it on shipping)',
  async ({ taxLeftOut, shippingTax }) => {
    await control('/lenders', { lenderId: 'pennowick', taxLeftOut });
    const buyer = await Buyer.order();
    if (shippingTax > 0) buyer.splitTax(shippingTax);
    const { taxAmount, totalAmount } = buyer.stated;
    const isWhole = taxLeftOut === 'tax-and-shipping-tax';
    const charged = usd(totalAmount - taxAmount - (isWhole ? shippingTax : 0));
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
  },
);

test('a loan that leaves out the sales tax is no lease: it is given back, and the order is free again', async () => {
  await control('/lenders', { lenderId: 'tamberley', taxLeftOut: 'tax' });
  const buyer = await Buyer.order();
  await buyer.pay({ offer: 'TAM-0-6' });
  await expect
    .poll(() => told(buyer.number).at(-1))
    .toMatchObject({ status: 'failed', chargeState: 'Refunded' });
  expect(told(buyer.number).map(({ status }) => status)).not.toContain('approved');
  const former = told(buyer.number).at(-1)?.chargeId;
  expect(await buyer.status()).toBe('pending-payment');

  await control('/lenders', undefined, 'DELETE');
  await forgetCalls(stack);
  await buyer.pay({ offer: 'TAM-0-6' });
  const record = await buyer.untilPaid();
  expect(record.charged).toBeUndefined();
  expect(record.chargeId).not.toBe(former);
  expect(await creations()).toEqual([201]);
  expect(await totalAtService(record.chargeId)).toBe(record.amount.value);
});
