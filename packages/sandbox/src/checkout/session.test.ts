import { expect, it } from 'vitest';
import { publishedSession } from '../sandbox.fixture.ts';
import { readSession } from './session.ts';

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
