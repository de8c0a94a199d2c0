import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  discard,
  publishedSession,
  refusedFields,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const session = (body: unknown) => test.call('POST', '/v3/session', { body });
const published = publishedSession();
const { consumerDetails, cartDetails, checkoutDetails } = published;
const withCart = (change: object) => ({
  ...published,
  cartDetails: { ...cartDetails, ...change },
});
const withItem = (change: object) =>
  withCart({ items: cartDetails.items.map((item) => ({ ...item, ...change })) });
const withConsumer = (change: object) => ({
  ...published,
  consumerDetails: { ...consumerDetails, ...change },
});

describe('POST /v3/session', () => {
  it('returns exactly the documented fields', async () => {
    const { status, body } = await session(published);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[\w-]{32}$/) as unknown,
      expirationDate: expect.stringMatching(/^2026-03-06T16:\d\d:\d\d\.\d{3}Z$/) as unknown,
      applicationId: expect.any(String) as unknown,
      isContinuation: false,
      deviceSessionId: null,
      merchantDetails: { storeId: 'store1' },
    });
  });

  it('returns null for merchantDetails if there is no store', async () => {
    const answer = await session({ cartDetails, checkoutDetails });
    expect(answer.body.merchantDetails).toBeNull();
  });

  it.each<[string, unknown]>([
    ['the smallest order', { cartDetails: { items: [{ price: 5, quantity: 1 }], totalAmount: 5 } }],
    ['an application without an order', { checkoutDetails: { flowType: 'Apply' } }],
    [
      'an application for an amount',
      { checkoutDetails: { flowType: 'Apply', channel: 'IN_STORE', requestedLoanAmount: 800 } },
    ],
    [
      'nulls where the contract permits them',
      {
        ...published,
        consumerDetails: null,
        merchantDetails: null,
        userId: null,
        linkId: null,
        cartDetails: {
          merchantOrderId: null,
          items: [
            {
              name: null,
              sku: null,
              price: 5,
              quantity: 1,
              leasable: null,
              productCategory: null,
              warranty: null,
              taxAmount: null,
              discounts: null,
            },
          ],
          discounts: null,
          shippingTaxAmount: null,
          shippingAmount: null,
          totalAmount: 5,
        },
        checkoutDetails: {
          currency: null,
          flowType: null,
          channel: null,
          source: null,
          tokens: null,
          promoCode: null,
          requestedLoanAmount: null,
          tags: null,
          correlationId: null,
          merchantPromoCode: null,
          intent: null,
        },
      },
    ],
    ['an order id of any length', withCart({ merchantOrderId: 'o'.repeat(3000) })],
    ['names of any length', withItem({ name: 'n'.repeat(3000), sku: 's'.repeat(3000) })],
    ['a warranty without a name', withItem({ warranty: { price: 15 } })],
    [
      'a quantity beyond a million',
      {
        checkoutDetails: {},
        cartDetails: { items: [{ price: 0.01, quantity: 2_000_000 }], totalAmount: 20_000 },
      },
    ],
    ['an e-mail of any form', withConsumer({ email: 'ada' })],
    ['a link', { ...published, linkId: 'lnk-1', userId: 'clerk-9' }],
  ])('accepts %s', async (_name, body) => {
    const answer = await session({ checkoutDetails: {}, ...(body as object) });
    expect([answer.status, refusedFields(answer)]).toEqual([200, []]);
  });

  it.each<[string, unknown]>([
    ['CheckoutDetails', { cartDetails }],
    ['CartDetails', { checkoutDetails }],
    ['CartDetails.Items', withCart({ items: undefined })],
    ['CartDetails.Items[0].Price', withItem({ price: undefined })],
    ['CartDetails.Items[0].Quantity', withItem({ quantity: 1.5 })],
    ['CartDetails.Items[0].Quantity', withItem({ quantity: 3_000_000_000 })],
    ['CartDetails.Items[0].Warranty.Price', withItem({ warranty: { name: 'Care' } })],
    ['CartDetails.Items[0].Discounts[0].Amount', withItem({ discounts: [{ name: 'Spring' }] })],
    ['CartDetails.TaxAmount', withCart({ taxAmount: null })],
    ['CartDetails.TotalAmount', withCart({ totalAmount: '129.50' })],
    ['CheckoutDetails.Channel', { ...published, checkoutDetails: { channel: 'ONLINE' } }],
    ['CheckoutDetails.Currency', { ...published, checkoutDetails: { currency: 'usd' } }],
    ['CheckoutDetails.FlowType', { ...published, checkoutDetails: { flowType: 'checkout' } }],
    ['CheckoutDetails.Source', { ...published, checkoutDetails: { source: 'Companion' } }],
    ['CheckoutDetails.Intent', { ...published, checkoutDetails: { intent: 'Buy' } }],
    ['CheckoutDetails.Tags.A', { ...published, checkoutDetails: { tags: { a: 1 } } }],
    ['MerchantDetails.PosType', { ...published, merchantDetails: { posType: 'Till' } }],
    ['ConsumerDetails.MobilePhoneNumber', withConsumer({ mobilePhoneNumber: '+15035550142' })],
    ['ConsumerDetails.SocialSecurityNumber', withConsumer({ socialSecurityNumber: '123-45-6789' })],
    ['ConsumerDetails.DateOfBirth', withConsumer({ dateOfBirth: '3 Feb 1990' })],
    [
      'ConsumerDetails.ShippingAddress.Country',
      withConsumer({
        shippingAddress: {
          state: 'OR',
          city: 'Fernhollow',
          line1: '12 Larch Lane',
          zipCode: '97999',
        },
      }),
    ],
    [
      'ConsumerDetails.BillingAddress.Line1',
      withConsumer({
        billingAddress: { ...consumerDetails.billingAddress, line1: '' },
      }),
    ],
    ...Object.keys({
      firstName: 0,
      lastName: 0,
      email: 0,
      shippingAddress: 0,
      billingAddress: 0,
      netMonthlyIncome: 0,
      dateOfBirth: 0,
    }).map((field): [string, unknown] => [
      `ConsumerDetails.${field.charAt(0).toUpperCase()}${field.slice(1)}`,
      withConsumer({ [field]: undefined }),
    ]),
  ])('rejects a wrong or missing %s with 422', async (field, body) => {
    const answer = await session(body);
    expect([answer.status, refusedFields(answer)]).toEqual([422, [field]]);
  });

  it.each<[unknown]>([
    [{ ...published, somethingNew: 1 }],
    [withCart({ somethingNew: 1 })],
    [withItem({ somethingNew: 1 })],
    [withItem({ warranty: { price: 15, somethingNew: 1 } })],
    [withConsumer({ somethingNew: 1 })],
    [{ ...published, checkoutDetails: { ...checkoutDetails, somethingNew: 1 } }],
    [{ ...published, merchantDetails: { somethingNew: 1 } }],
  ])('rejects an undocumented field', async (body) => {
    expect((await session(body)).status).toBe(422);
  });

  it('opens no session when it rejects a request', async () => {
    await session({ cartDetails });
    const { body } = await test.control('GET', '/calls');
    expect(body.calls).toMatchObject([{ operation: 'checkout.session', status: 422 }]);
  });
});

describe('the total of an order', () => {
  /** The documented example: warranty counted once, with shipping tax, without line tax. */
  const example = {
    items: [
      {
        name: 'Awesome Product',
        price: 1999,
        sku: 'AWSMPRDCT',
        quantity: 2,
        warranty: { name: 'Awesome Warranty', sku: 'AWSMWRNTY', price: 100 },
        taxAmount: 199,
      },
    ],
    discounts: [{ name: 'Birthday discount', amount: 20 }],
    taxAmount: 199,
    shippingTaxAmount: 1.9,
    shippingAmount: 19,
    totalAmount: 4297.9,
  };
  const total = async (cart: object) => {
    const answer = await session({ checkoutDetails: {}, cartDetails: cart });
    return [answer.status, refusedFields(answer)];
  };
  const refused = [422, ['CartDetails.TotalAmount']];

  it('matches the documented example', async () => {
    expect(await total(example)).toEqual([200, []]);
  });

  it.each([
    ['a warranty for each piece', 4397.9],
    ['the tax of the line', 4496.9],
    ['no tax on shipping', 4296],
    ['no discount', 4317.9],
    ['a cent more', 4297.91],
    ['nothing', 0],
  ])('is rejected with %s', async (_name, totalAmount) => {
    expect(await total({ ...example, totalAmount })).toEqual(refused);
  });

  it('is not reduced by line discounts', async () => {
    const items = example.items.map((item) => ({ ...item, discounts: [{ amount: 7 }] }));
    expect(await total({ ...example, items })).toEqual([200, []]);
    expect(await total({ ...example, items, totalAmount: 4290.9 })).toEqual(refused);
  });

  it('is exact where binary fractions are not, up to the largest amount', async () => {
    const items = [
      { price: 0.1, quantity: 3 },
      { price: 0.2, quantity: 1 },
    ];
    expect(await total({ items, totalAmount: 0.5 })).toEqual([200, []]);
    const large = 999_999_999_999.99;
    expect(await total({ items: [{ price: large, quantity: 1 }], totalAmount: large })).toEqual([
      200,
      [],
    ]);
    expect(await total({ items: [{ price: large, quantity: 2 }], totalAmount: large })).toEqual(
      refused,
    );
  });
});
