import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, sessionBody, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));

const address = {
  line1: '1 Main',
  city: 'Springfield',
  zipCode: '1',
  state: 'NY',
  country: 'US',
};
it.each<[string, object, number]>([
  ['consumerDetails', {}, 200],
  ['consumerDetails', { firstName: null, email: null, shippingAddress: null }, 200],
  ['consumerDetails', { shippingAddress: { ...address, line2: null } }, 200],
  ['consumerDetails', { billingAddress: { ...address, line1: '' } }, 422],
  ['consumerDetails', { mobilePhoneNumber: '1'.repeat(15) }, 200],
  ['consumerDetails', { mobilePhoneNumber: '1'.repeat(16) }, 422],
  ['consumerDetails', { mobilePhoneNumber: '+12025550123' }, 422],
  ['cartDetails', { merchantOrderId: 'o'.repeat(256) }, 200],
  ['cartDetails', { merchantOrderId: 'o'.repeat(257) }, 422],
  ['cartDetails', { items: [] }, 422],
  ['cartDetails', { totalAmount: 0 }, 422],
  ['cartDetails', { totalAmount: 0.01 }, 200],
  ['cartDetails', { totalAmount: '1015.11' }, 422],
  ['cartDetails', { totalAmount: 999_999_999_999.99 }, 200],
  ['cartDetails', { totalAmount: 1_000_000_000_000 }, 422],
  ['cartDetails', { totalAmount: 10.1 + 0.2 }, 422],
  ['cartDetails', { taxAmount: -0.01 }, 422],
  ['checkoutDetails', {}, 200],
  ['checkoutDetails', { currency: 'usd' }, 422],
  ['checkoutDetails', { flowType: 'Apply', channel: 'IN_HOME' }, 200],
  ['checkoutDetails', { flowType: 'Checkout', channel: 'E_COMMERCE' }, 200],
  ['checkoutDetails', { flowType: 'checkout' }, 422],
  ['checkoutDetails', { channel: 'ONLINE' }, 422],
  ['merchantDetails', { storeId: 'S-1', posId: null }, 200],
])('holds %s to what is documented: %.60j', async (part, change, status) => {
  const body: Record<string, unknown> = { ...sessionBody() };
  body[part] = part === 'cartDetails' ? { ...sessionBody().cartDetails, ...change } : change;
  const answer = await test.call('POST', '/v1/checkout/prime', { body });
  expect(answer.status).toBe(status);
  const name = `${part}.${Object.keys(change)[0]}`;
  const pascalCase = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
  const Field = expect.stringContaining(pascalCase) as unknown;
  if (status === 422) expect(answer.body.Errors).toMatchObject([{ Field }]);
  else
    expect(answer.body.merchantDetails).toEqual(
      part === 'merchantDetails' ? { storeId: 'S-1' } : undefined,
    );
});
