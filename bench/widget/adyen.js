import { AdyenCheckout, Card, Dropin } from '@adyen/adyen-web';
import '@adyen/adyen-web/styles/adyen.css';
import { told } from './told.js';

/** Drop-in with cards, as the advanced flow sets it up: the payment methods come with the page. */
globalThis.mount = async (place) => {
  const checkout = await AdyenCheckout({
    environment: 'test',
    clientKey: 'test_BENCHBENCHBENCHBENCHBENCHBENCHBE',
    locale: 'en-US',
    countryCode: 'US',
    amount: { value: 129_900, currency: 'USD' },
    analytics: { enabled: false },
    paymentMethodsResponse: {
      paymentMethods: [
        { name: 'Cards', type: 'scheme', brands: ['visa', 'mc', 'amex', 'discover'] },
      ],
    },
    onSubmit: () => undefined,
    onAdditionalDetails: () => undefined,
  });
  const inside = place.appendChild(document.createElement('div'));
  const ready = Promise.withResolvers();
  const dropin = new Dropin(checkout, {
    paymentMethodComponents: [Card],
    onReady: ready.resolve,
  }).mount(inside);
  await ready.promise;
  return () => {
    dropin.remove();
    inside.remove();
  };
};
await globalThis.mount(document.querySelector('#place'));
told();
