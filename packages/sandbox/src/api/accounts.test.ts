import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  confirmOffer,
  discard,
  prime,
  startTestSandbox,
  statusOf,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
let accountToken: string;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(async () => {
  await test.control('POST', '/reset');
  accountToken = await openAccount();
});

/** Charges 1015.11 on a new line of credit, whose limit is 1500. @returns the account token */
async function openAccount(lastName = 'Quayle'): Promise<string> {
  const confirmationToken = await confirmOffer(test, { offer: 'HAL-1499-24', lastName });
  const { body } = await test.call('POST', '/v2/post-sale/charges', {
    body: { confirmationToken },
  });
  return String((await statusOf(test, String(body.applicationId))).accountToken);
}

const order = (total: number) => ({
  channel: 'IN_STORE',
  cartDetails: { items: [{ price: total, quantity: 1 }], totalAmount: total },
});
const charge = (total = 100, more: object = {}) =>
  test.call('POST', '/v2/accounts/charge', {
    body: { accountToken, checkoutDetails: order(total), ...more },
  });
const credit = async () => (await test.call('GET', `/v2/accounts/${accountToken}/credit`)).body;

describe('POST /v2/accounts/charge', () => {
  it('accepts several charges, each for its own order', async () => {
    const first = await charge(100, { merchantDetails: { merchantOrderId: 'M-1', storeId: 's1' } });
    const second = await charge(200, { settle: true });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body).toMatchObject({
      totalAmount: 100,
      merchantOrderId: 'M-1',
      storeId: 's1',
      channel: 'IN_STORE',
      state: 'Authorized',
      offer: { lender: { id: 'halden-wren' } },
    });
    expect(second.body).toMatchObject({ totalAmount: 200, state: 'Settled' });
    expect(second.body.id).not.toBe(first.body.id);
    const status = await statusOf(test, String(first.body.applicationId));
    expect(status).toMatchObject({ accountToken, applicationStatus: 'Authorized' });
  });

  it('returns the original charge for a repeated merchantTransactionId', async () => {
    const named = { merchantDetails: { merchantTransactionId: 'T-1' } };
    const first = await charge(100, named);
    const second = await charge(100, named);
    expect([second.status, second.body.id]).toEqual([201, first.body.id]);
    expect(await credit()).toMatchObject({ availableAmount: 384.89 });
  });

  it('returns 202 when the lender rejects the settle', async () => {
    accountToken = await openAccount('SettleFails');
    const { status, body } = await charge(100, { settle: true });
    expect([status, body.state]).toEqual([202, 'Authorized']);
  });

  it('rejects a total above the available credit with code 1110', async () => {
    const { status, body } = await charge(484.9);
    expect([status, body.errors]).toMatchObject([400, [{ code: '1110' }]]);
    expect((await charge(484.89)).status).toBe(201);
  });

  it('returns 404 without a body for an unknown account', async () => {
    const { status, text } = await charge(100, { accountToken: 'unknown' });
    expect([status, text]).toEqual([404, '']);
  });

  it.each([
    ['an unpublished field', { tip: 1 }],
    ['an order id of 257 characters', { merchantDetails: { merchantOrderId: 'A'.repeat(257) } }],
    ['another total', { checkoutDetails: { ...order(10), cartDetails: badCart() } }],
    ['no channel', { checkoutDetails: { cartDetails: order(10).cartDetails } }],
  ])('rejects %s with 422', async (_what, more) => {
    expect((await charge(100, more)).status).toBe(422);
  });

  function badCart() {
    return { items: [{ price: 10, quantity: 1 }], totalAmount: 11 };
  }
});

describe('POST /v2/accounts/confirmation', () => {
  it('returns a token for one charge', async () => {
    const body = { accountToken, ...order(100), storeId: 's1', autoConfirmation: true };
    const { status, body: confirmed } = await test.call('POST', '/v2/accounts/confirmation', {
      body,
    });
    expect(status).toBe(200);
    const create = () => test.call('POST', '/v2/post-sale/charges', { body: confirmed });
    expect((await create()).body).toMatchObject({ totalAmount: 100, storeId: 's1' });
    expect((await create()).body).toMatchObject({ errors: [{ code: '2002' }] });
  });
});

describe('GET /v2/accounts/{accountToken}', () => {
  it('returns the lender and the consumer', async () => {
    const { status, body } = await test.call('GET', `/v2/accounts/${accountToken}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      consumerId: expect.any(String) as unknown,
      lender: { id: 'halden-wren', name: 'Halden & Wren' },
      applicationId: expect.any(String) as unknown,
    });
  });

  it('subtracts charges from the credit, and adds voids back', async () => {
    expect(await credit()).toEqual({ availableAmount: 484.89, originalAmount: 1500 });
    const { body } = await charge(100);
    expect(await credit()).toEqual({ availableAmount: 384.89, originalAmount: 1500 });
    await test.call('POST', `/v2/post-sale/charges/${String(body.id)}/voids`);
    expect(await credit()).toEqual({ availableAmount: 484.89, originalAmount: 1500 });
  });

  it('finds no account for an installment loan, another environment or an open application', async () => {
    await prime(test);
    const uat = test.environment('uat');
    for (const answer of [
      await test.call('GET', '/v2/accounts/null'),
      await test.call('GET', `/v2/accounts/${accountToken}/credit`, {
        baseUrl: uat.baseUrl,
        authorization: `Bearer ${uat.privateKey}`,
      }),
    ]) {
      expect([answer.status, answer.text]).toEqual([404, '']);
    }
  });
});
