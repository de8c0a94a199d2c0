import type { Order } from '@financing-checkout/contract/storefront';
import { describe, expect, test } from 'vitest';
import { createCompanion, order, PRIVATE_KEY } from '../companion.fixture.ts';
import { PRIME, primed } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createServiceClient } from './client.ts';
import type { CheckoutOperation } from './prime.ts';

const SESSION = 'POST /v3/session';
const address = {
  line1: '12 Larch Lane',
  city: 'Fernhollow',
  zipCode: '97999',
  state: 'OR',
  country: 'US',
};
const wholeConsumer = {
  firstName: 'Ada',
  lastName: 'Quill',
  email: 'ada.quill@example.com',
  shippingAddress: address,
  billingAddress: address,
  netMonthlyIncome: 420_050,
  dateOfBirth: '1990-02-03',
};

async function companionFor(checkoutOperation: CheckoutOperation) {
  const companion = await createCompanion();
  companion.service.on(SESSION, { ...primed, status: 200 });
  const service = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: companion.service.transport,
    checkoutOperation,
  });
  return { companion, service };
}

describe.each<[CheckoutOperation, string]>([
  ['prime', PRIME],
  ['session', SESSION],
])('a session opened by %s', (operation, route) => {
  test('states every field of the order as published', async () => {
    const { companion, service } = await companionFor(operation);
    const whole: Order = {
      ...order,
      items: [
        {
          name: 'Oak chair',
          sku: 'CH-1',
          price: 12_999,
          quantity: 2,
          productCategory: 'chairs',
          leasable: true,
          taxAmount: 801,
          warranty: { name: 'Cover', sku: 'W-1', price: 1_550 },
          discounts: [{ name: 'Line offer', amount: 199 }],
        },
      ],
      shippingTaxAmount: 41,
      totalAmount: 29_090,
      merchant: { storeId: 'store1', posId: 'till-4', posType: 'Retail' },
      channel: 'IN_STORE',
      promoCode: 'INST-12',
      merchantPromoCode: 'SPRING',
      tags: { campaign: 'spring' },
      correlationId: 'corr-42',
      requestedLoanAmount: 80_001,
      consumer: wholeConsumer,
    };
    expect((await service.prime(whole, { priority: 'checkout' })).kind).toBe('accepted');
    expect(companion.service.callsTo(route).map(({ body }) => body)).toEqual([
      {
        cartDetails: {
          merchantOrderId: 'order-1001',
          items: [
            {
              name: 'Oak chair',
              sku: 'CH-1',
              price: 129.99,
              quantity: 2,
              productCategory: 'chairs',
              leasable: true,
              taxAmount: 8.01,
              warranty: { name: 'Cover', sku: 'W-1', price: 15.5 },
              discounts: [{ name: 'Line offer', amount: 1.99 }],
            },
          ],
          discounts: [{ name: 'Welcome', amount: 10 }],
          taxAmount: 20.01,
          shippingAmount: 5,
          shippingTaxAmount: 0.41,
          totalAmount: 290.9,
        },
        merchantDetails: { storeId: 'store1', posId: 'till-4', posType: 'Retail' },
        consumerDetails: {
          ...wholeConsumer,
          netMonthlyIncome: 4200.5,
          dateOfBirth: '1990-02-03T00:00:00Z',
        },
        checkoutDetails: {
          currency: 'USD',
          flowType: 'Checkout',
          channel: 'IN_STORE',
          source: 'Api',
          promoCode: 'INST-12',
          merchantPromoCode: 'SPRING',
          requestedLoanAmount: 800.01,
          tags: { campaign: 'spring' },
          correlationId: 'corr-42',
        },
      },
    ]);
  });
});

test.each(Object.keys(wholeConsumer))(
  'sends no consumer without %s, which the session schema requires',
  async (field) => {
    const { companion, service } = await companionFor('session');
    const consumer = { ...wholeConsumer, [field]: undefined };
    await service.prime({ ...order, consumer }, { priority: 'checkout' });
    expect(companion.service.callsTo(SESSION)[0]?.body).not.toHaveProperty('consumerDetails');
  },
);

describe("a refusal of the consumer's fields", () => {
  test.each([
    [422, 'ConsumerDetails.NetMonthlyIncome', 'Errors', 'Field'],
    [422, 'consumerDetails.netMonthlyIncome', 'errors', 'field'],
    [400, '$.consumerDetails.dateOfBirth', 'errors', 'field'],
    [422, 'DateOfBirth', 'Errors', 'Field'],
  ])(
    'with %i and %s leads to one request without the consumer',
    async (status, name, list, key) => {
      const companion = await createCompanion();
      const refused = { status, body: { requestId: 'svc-1', [list]: [{ [key]: name }] } };
      companion.service.on(PRIME, refused, primed);
      expect((await companion.prime()).status).toBe(201);
      const [first, second, ...more] = companion.service.callsTo(PRIME).map(({ body }) => body);
      expect(more).toEqual([]);
      const { consumerDetails, ...rest } = first as Record<string, unknown>;
      expect(consumerDetails).toEqual(order.consumer);
      expect(second).toEqual(rest);
      expect(companion.log.filter(({ event }) => event === 'consumer-refused')).toEqual([
        expect.objectContaining({ level: 'warn', status, fields: [name] }),
      ]);
      expect(companion.counters.read('consumer-refused')).toBe(1);
    },
  );

  test('is final when the service also refuses the request without the consumer', async () => {
    const companion = await createCompanion();
    const errors = [{ field: 'consumerDetails.email' }];
    companion.service.on(PRIME, { status: 422, body: { errors } });
    expect((await companion.prime()).status).toBeGreaterThanOrEqual(400);
    expect(companion.service.callsTo(PRIME)).toHaveLength(2);
  });

  test('differs from a refusal of the cart, which is not retried', async () => {
    const companion = await createCompanion();
    const errors = [{ field: 'cartDetails.totalAmount' }];
    companion.service.on(PRIME, { status: 422, body: { errors } });
    await companion.prime();
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
    expect(companion.counters.read('consumer-refused')).toBe(0);
  });
});

test("sends the attempt's id as correlation id when the order has none", async () => {
  const companion = await createCompanion();
  const id = await companion.open();
  const body = companion.service.callsTo(PRIME)[0]?.body as {
    checkoutDetails: { correlationId: string };
  };
  const attempts = await companion.attempts(id, 'prime');
  expect(body.checkoutDetails.correlationId).toBe(attempts[0]?.id);
});
