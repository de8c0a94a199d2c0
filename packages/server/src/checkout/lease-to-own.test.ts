import { describe, expect, test } from 'vitest';
import { ledgerSchema, webhookSchema } from '@financing-checkout/contract/back-office';
import { createCompanion } from '../companion.fixture.ts';
import {
  application,
  authorized,
  CHARGE,
  created,
  foundCharge,
  GET_CHARGE,
  offer,
  STATUS,
} from '../scripted-service.fixture.ts';

const VOID = 'POST /v2/post-sale/charges/charge-1/voids';

/** The order total is 274.99, of which 20.01 is sales tax. */
const WITHOUT_TAX = 254.98;

async function chargedWith(
  totalAmount: number,
  status: ReturnType<typeof application> | { status: number; text: string },
  shippingTaxAmount = 0,
) {
  const companion = await createCompanion({ settle: 'later' });
  const { store } = companion;
  const found = foundCharge({ ...authorized, totalAmount });
  companion.service
    .on(CHARGE, created({ totalAmount, settleTransactionState: null }))
    .on(GET_CHARGE, found)
    .on(STATUS, status);
  const shop = await createCompanion({
    settle: 'later',
    service: companion.options.service,
    clock: companion.clock,
    store: {
      ...store,
      async findCheckout(id) {
        const checkout = await store.findCheckout(id);
        return checkout && { ...checkout, shippingTaxAmount };
      },
    },
  });
  const id = await shop.open();
  const { body } = await shop.confirm(id);
  return { companion: shop, service: companion.service, clock: companion.clock, id, body };
}

const lease = application('Approved', offer('LeaseToOwn'));

describe('a charge that is lower than the order total by exactly the sales tax', () => {
  test.each([
    ['its sales tax', WITHOUT_TAX, 0, 25_498],
    ['its sales tax, that of shipping included', 253.08, 190, 25_308],
    ['its sales tax without that of shipping', WITHOUT_TAX, 190, 25_498],
  ])('is accepted for a lease-to-own lender: %s', async (_, total, shippingTax, value) => {
    const { companion, id, body } = await chargedWith(total, lease, shippingTax);
    expect(body.status).toBe('approved');
    const amount = { value, currency: 'USD' };
    const charged = { amount, reason: 'lease-to-own-sales-tax' };
    expect((await companion.store.findCheckout(id))?.charged).toEqual(charged);
    while ((await companion.background.runOnce()) > 0);
    const message = webhookSchema.parse(companion.shop.calls.at(-1)?.body);
    expect(message.data).toMatchObject({
      status: 'approved',
      amount: { value: 27_499, currency: 'USD' },
      charged,
    });
    const { entries } = ledgerSchema.parse((await companion.office('/ledger')).body);
    expect(entries).toMatchObject([
      {
        type: 'Authorize',
        amount,
        ordered: {
          amount: { value: 27_499, currency: 'USD' },
          reason: 'lease-to-own-sales-tax',
        },
      },
    ]);
    expect(companion.counters.read('charge-mismatch')).toBe(0);
  });

  test.each([
    ['another product', WITHOUT_TAX, application('Approved', offer('Installments'))],
    ['a cent less', 254.97, lease],
    ['a cent more', 254.99, lease],
    ['more than the order', 295, lease],
  ])('is reversed in any other case: %s', async (_, total, status) => {
    const { companion, service, body } = await chargedWith(total, status);
    expect(body.status).toBe('failed');
    expect(service.callsTo(VOID)).toHaveLength(1);
    expect(companion.counters.read('charge-mismatch')).toBe(1);
  });

  test.each([
    ['the service does not answer', { status: 302, text: '' }],
    ['the service does not know the application', { status: 404, text: '' }],
    ['no offer is confirmed yet', application('Approved')],
  ])('stays pending and keeps its order claimed while %s', async (_, status) => {
    const { companion, service, clock, id, body } = await chargedWith(WITHOUT_TAX, status);
    expect(body.status).toBe('pending');
    expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
    for (let round = 0; round < 20; round++) {
      clock.advance(300_000);
      while ((await companion.background.runOnce()) > 0);
    }
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('pending');
    expect((await companion.post(`/checkout/${id}/cancellation`)).body.status).toBe('pending');
    expect(service.callsTo(VOID)).toHaveLength(0);
    service.on(STATUS, lease);
    clock.advance(300_000);
    while ((await companion.background.runOnce()) > 0);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect(service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('is reversed when the offer turns out to be another product', async () => {
    const { companion, service, clock, id } = await chargedWith(WITHOUT_TAX, application(null));
    service.on(STATUS, application('Approved', offer('Installments')));
    clock.advance(60_000);
    while ((await companion.background.runOnce()) > 0);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('failed');
    expect(service.callsTo(VOID)).toHaveLength(1);
  });
});
