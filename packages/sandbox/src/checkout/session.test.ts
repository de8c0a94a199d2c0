import { expect, it } from 'vitest';
import { publishedSession } from '../sandbox.fixture.ts';
import { checkedAmounts, linesOf, sumsOf, totalOf } from './cart.ts';
import { readSession, storedSession } from './session.ts';

it('keeps the values of the session', () => {
  const { checkoutDetails, ...rest } = publishedSession();
  const session = readSession({
    ...rest,
    linkId: 'lnk-1',
    checkoutDetails: {
      ...checkoutDetails,
      channel: 'IN_STORE',
      requestedLoanAmount: 800,
      merchantPromoCode: 'SPRING',
      intent: 'ExistingAccount',
    },
  });
  expect(session).toEqual({
    merchantOrderId: 'ORDER-1001',
    flowType: 'Checkout',
    currency: 'USD',
    cart: rest.cartDetails,
    total: 12_950,
    tax: 1000,
    shippingTax: 150,
    consumer: {
      firstName: 'Ada',
      lastName: 'Example',
      email: 'ada@shop.example',
      phone: '5035550142',
    },
    channel: 'IN_STORE',
    storeId: 'store1',
    posType: 'GenericConsumerDevice',
    source: 'Api',
    intent: 'ExistingAccount',
    promoCode: 'INST-12',
    merchantPromoCode: 'SPRING',
    requestedLoanAmount: 80_000,
    tags: { campaign: 'spring' },
    correlationId: 'corr-42',
    merchantConsumerId: 'shopper-77',
    linkId: 'lnk-1',
  });
});

it('reads a stored session of an earlier version, with the same lines and sums', () => {
  const consumer = { firstName: 'Ada', lastName: 'Example', email: '', phone: '' };
  const session = storedSession(
    JSON.stringify({
      merchantOrderId: 'ORDER-1',
      currency: 'USD',
      lines: [{ name: 'Walnut stool', quantity: 3, amount: 3750 }],
      discount: 250,
      tax: 100,
      shipping: 900,
      total: 4500,
      storeId: 'store1',
      consumer,
    }),
  );
  expect(session).toEqual({
    merchantOrderId: 'ORDER-1',
    flowType: 'Checkout',
    currency: 'USD',
    cart: {
      merchantOrderId: 'ORDER-1',
      items: [{ name: 'Walnut stool', price: 12.5, quantity: 3 }],
      discounts: [{ amount: 2.5 }],
      taxAmount: 1,
      shippingAmount: 9,
      totalAmount: 45,
    },
    tax: 100,
    shippingTax: 0,
    total: 4500,
    storeId: 'store1',
    consumer,
  });
  const minor = checkedAmounts('USD');
  const cart = session.cart ?? { items: [], totalAmount: 0 };
  expect(totalOf(linesOf(cart, minor), sumsOf(cart, minor))).toBe(4500n);
});
