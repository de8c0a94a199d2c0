import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  charge,
  confirmOffer,
  discard,
  records,
  sessionBody,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const url = (id: string, operation = '') => `/v2/post-sale/charges/${id}${operation}`;
const post = (id: string, operation: string, body?: object) =>
  test.call('POST', url(id, operation), { body });
const get = (path: string) => test.call('GET', path);
const stateOf = async (id: string) => {
  const { state, settledAmount, refundedAmount } = (await get(url(id))).body;
  return [state, settledAmount, refundedAmount];
};

const some = expect.any(String) as unknown;
const objectId = expect.stringMatching(/^[0-9a-f]{24}$/) as unknown;
const reference = expect.stringMatching(/^[0-9A-F]{16}$/) as unknown;
const date = expect.stringMatching(/^2026-03-06T15:.*Z$/) as unknown;
const refused = (code: string) => ({
  status: 400,
  body: { requestId: some, errors: [{ code, description: some }] },
});

/** The documented body of a settle, void or synthetic transaction for an order of 129.50. */
const action = (chargeId: string, type: string, status: string, amount = 129.5) => ({
  type,
  status,
  id: some,
  chargeId,
  merchantOrderId: 'ORDER-1001',
  storeId: 'store1',
  lenderId: 'quillmoor',
  amount,
  merchantId: objectId,
  createdAt: date,
  updatedAt: date,
  lenderReferenceId: reference,
  transactionState: 'Completed',
  metadata: null,
});
const order = (options: { settle?: boolean; offer?: string } = {}) =>
  charge(test, {
    body: { ...sessionBody(129.5, 'ORDER-1001'), merchantDetails: { storeId: 'store1' } },
    ...options,
  });

describe('settles', () => {
  it('return the documented body, with or without a request body', async () => {
    const id = await order();
    const part = await post(id, '/settles', { amount: 60, merchantTransactionId: 'txn-1001-s1' });
    expect(part.status).toBe(201);
    expect(part.body).toEqual(action(id, 'SETTLE', 'PartiallySettled', 60));
    const rest = await post(id, '/settles');
    expect(rest.body).toEqual(action(id, 'SETTLE', 'Settled', 69.5));
    expect(await stateOf(id)).toEqual(['SETTLED', 129.5, 0]);
  });

  it('and partial refunds are exact', async () => {
    const id = await charge(test);
    await post(id, '/settles', { amount: 15.11 });
    expect(await stateOf(id)).toEqual(['PARTIALLY_SETTLED', 15.11, 0]);
    await post(id, '/refunds', { amount: 0.1 });
    expect(await stateOf(id)).toEqual(['PARTIALLY_SETTLED_PARTIALLY_REFUNDED', 15.11, 0.1]);
    await post(id, '/settles', {});
    expect(await stateOf(id)).toEqual(['SETTLED_PARTIALLY_REFUNDED', 1015.11, 0.1]);
    await post(id, '/refunds', { amount: 1015.01 });
    expect(await stateOf(id)).toEqual(['REFUNDED', 1015.11, 1015.11]);
  });
});

describe('refunds', () => {
  it('return the documented body, with an approval code', async () => {
    const id = await order({ settle: true });
    const part = await post(id, '/refunds', { amount: 20, merchantTransactionId: 'txn-1001-r1' });
    expect(part.status).toBe(201);
    const approvalCode = expect.stringMatching(/^\d{6}$/) as unknown;
    expect(part.body).toEqual({
      ...action(id, 'REFUND', 'SettledPartiallyRefunded', 20),
      approvalCode,
    });
    const rest = await post(id, '/refunds');
    expect(rest.body).toEqual({ ...action(id, 'REFUND', 'Refunded', 109.5), approvalCode });
  });

  it('have no approval code while they are pending', async () => {
    const id = await order({ settle: true });
    const forced = { outcome: 'pending-complete', type: 'Refund' };
    await test.control('POST', '/transaction-outcomes', forced);
    const { body } = await post(id, '/refunds', { amount: 20 });
    expect(body).toEqual({
      ...action(id, 'REFUND', 'SettledPartiallyRefunded', 20),
      transactionState: 'Pending',
      approvalCode: null,
    });
  });
});

describe('voids', () => {
  it('return the documented body, and leave nothing to fund', async () => {
    const id = await order();
    const made = await post(id, '/voids', { merchantTransactionId: 'txn-1001-v1' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual(action(id, 'VOID', 'Voided'));
    const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=txn-1001-v1';
    expect((await get(lookup)).body).toMatchObject({ id: made.body.id, type: 'Void' });
    expect(await stateOf(id)).toEqual(['VOIDED', 0, 0]);
    await test.control('POST', '/clock', { advance: '30d' });
    expect(await records(test, '/v2/post-sale/fundings/report?showMissing=true')).toEqual([]);
  });

  it('of a part leave the remainder authorized, if the lender accepts them', async () => {
    const id = await order();
    const part = await post(id, '/voids', { amount: 29.5, merchantTransactionId: null });
    expect(part.body).toEqual(action(id, 'VOID', 'Authorized', 29.5));
    expect((await post(id, '/settles', { amount: 100.01 })).status).toBe(422);
    expect((await post(id, '/settles')).body).toEqual(action(id, 'SETTLE', 'Settled', 100));
    expect(await stateOf(id)).toEqual(['SETTLED', 100, 0]);
  });

  it('of a part return 400 code 2006 for other lenders', async () => {
    const id = await order({ offer: 'TAM-0-6' });
    expect(await post(id, '/voids', { amount: 29.5 })).toMatchObject(refused('2006'));
    expect((await post(id, '/voids', { amount: 129.5 })).body.status).toBe('Voided');
  });

  it('of a confirmation void its charge, or report that it cannot be canceled', async () => {
    const path = '/v2/post-sale/charges/voids/async';
    const voidOf = (confirmationToken: string) =>
      test.call('POST', path, { body: { confirmationToken } });
    for (const settle of [false, true]) {
      const confirmationToken = await confirmOffer(test);
      expect(await voidOf(confirmationToken)).toMatchObject(refused('2001'));
      const made = await test.call('POST', `/v2/post-sale/charges?settle=${String(settle)}`, {
        body: { confirmationToken },
      });
      const { status, body } = await voidOf(confirmationToken);
      expect(status).toBe(201);
      expect(body).toEqual(
        settle
          ? { message: 'Charge for confirmation cannot be cancelled', success: false }
          : { message: 'Charge for confirmation will be cancelled', success: true },
      );
      const state = settle ? 'SETTLED' : 'VOIDED';
      expect((await stateOf(String(made.body.id)))[0]).toBe(state);
    }
    expect(await voidOf('unknown')).toMatchObject(refused('2001'));
    expect((await test.call('POST', path, { body: {} })).status).toBe(422);
  });
});

describe('a settle, refund or void', () => {
  it('that the charge does not permit returns 400 code 2006 and changes nothing', async () => {
    const id = await order({ settle: true });
    expect(await post(id, '/voids')).toMatchObject(refused('2006'));
    expect(await post(id, '/settles')).toMatchObject(refused('2006'));
    expect(await stateOf(id)).toEqual(['SETTLED', 129.5, 0]);
    const other = await order();
    expect(await post(other, '/refunds')).toMatchObject(refused('2006'));
  });

  it.each([
    ['/settles', { amount: 0 }, 'Amount must be more than zero'],
    ['/settles', { amount: -1 }, 'Amount must be more than zero'],
    ['/settles', { amount: 1.001 }, 'Amount has more decimals than USD has (2)'],
    ['/settles', { amount: '5' }, 'Amount Invalid input: expected number, received string'],
    ['/settles', { amount: null }, 'Amount Invalid input: expected number, received null'],
    ['/settles', { amount: 99_999 }, 'Amount is more than what is authorized and not settled'],
    [
      '/settles',
      { merchantTransactionId: 'x'.repeat(257) },
      'MerchantTransactionId should be up to 256 characters',
    ],
    ['/settles', { ammount: 5 }, 'Ammount is not a field of this request'],
    ['/refunds', { amount: null }, 'Amount Invalid input: expected number, received null'],
    ['/refunds', { currency: 'USD' }, 'Currency is not a field of this request'],
    ['/voids', { amount: 0 }, 'Amount must be more than zero'],
    ['/voids', { reason: 'late' }, 'Reason is not a field of this request'],
  ])('%s %.40j returns 422', async (operation, body, error) => {
    const { status, body: answer } = await post(await order(), operation, body);
    expect(status).toBe(422);
    expect(answer).toEqual({
      RequestId: some,
      Message: 'Input Validation Failure',
      Errors: [{ Field: error.split(' ')[0], ValidationState: 'Invalid', Error: error }],
    });
  });

  it('returns 422 for the merchantTransactionId of another transaction', async () => {
    const id = await charge(test, { settle: true, merchantTransactionId: 'mt-1' });
    const body = { amount: 1, merchantTransactionId: 'mt-1' };
    expect((await post(id, '/refunds', body)).status).toBe(422);
    expect((await get(url(id))).body.refundedAmount).toBe(0);
  });

  it('is funded under the reference in the response', async () => {
    const id = await order();
    const answers = [
      await post(id, '/settles', { amount: 100 }),
      await post(id, '/refunds', { amount: 20 }),
      await post(id, '/settles'),
    ];
    const answered = answers.map(({ body }) => [body.id, body.lenderReferenceId]);
    await test.control('POST', '/clock', { advance: '1d' });
    const paid = (await records(test)).map((row) => [row.transactionId, row.lenderReferenceId]);
    expect(paid.toSorted()).toEqual(answered.toSorted());
  });
});

describe('synthetic transactions', () => {
  it('return the documented body and are not funded', async () => {
    const id = await order({ settle: true });
    const made = await post(id, '/transactions/synthetic', {
      transactionType: 'Chargeback',
      amount: 129.5,
      merchantTransactionId: 'txn-1001-cb',
      reconciliationId: 'L-77_09',
      createdAt: '2026-02-01T00:00:00Z',
      reason: 'dispute lost',
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...action(id, 'CHARGEBACK', 'ChargedBack'),
      createdAt: '2026-02-01T00:00:00.000Z',
      updatedAt: '2026-02-01T00:00:00.000Z',
      lenderReferenceId: 'L-77_09',
    });
    expect((await stateOf(id))[0]).toBe('CHARGEDBACK');
    await test.control('POST', '/clock', { advance: '30d' });
    expect(await records(test)).toMatchObject([{ transactionType: 'Settle' }]);
  });

  it.each([
    ['Settle', 'SETTLE', 'Settled', []],
    ['Void', 'VOID', 'Voided', []],
    ['Refund', 'REFUND', 'Refunded', ['Settle']],
    ['Reversal', 'REVERSAL', 'Settled', ['Settle', 'Chargeback']],
  ])('%s without an amount takes the remainder', async (transactionType, type, status, before) => {
    const id = await order({ offer: 'TAM-0-6' });
    for (const earlier of before) {
      await post(id, '/transactions/synthetic', { transactionType: earlier });
    }
    const { body } = await post(id, '/transactions/synthetic', { transactionType });
    expect(body).toEqual({ ...action(id, type, status), lenderId: 'tamberley' });
  });

  it.each([
    { transactionType: 'Authorize' },
    { transactionType: 'SETTLE' },
    {},
    { transactionType: 'Settle', amount: 0 },
    { transactionType: 'Settle', createdAt: 'yesterday' },
    { transactionType: 'Settle', type: 'Settle' },
  ])('%j returns 422', async (body) => {
    expect((await post(await order(), '/transactions/synthetic', body)).status).toBe(422);
  });

  it('that the charge does not permit return 400 code 2006', async () => {
    const body = { transactionType: 'Reversal' };
    expect(await post(await order(), '/transactions/synthetic', body)).toMatchObject(
      refused('2006'),
    );
  });
});

describe('delivery dates', () => {
  const items = [{ sku: 'DESK-W', quantity: 2, deliveryDate: '2026-03-20T00:00:00Z' }];

  it('are one record per charge; a later request replaces it', async () => {
    const id = await order();
    const first = await post(id, '/items/delivery', { items });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({ id: some, chargeId: id, items, createdAt: date, updatedAt: date });
    const other = [{ sku: 'DESK-W', quantity: 1 }];
    const second = await post(id, '/items/delivery', { items: other });
    expect(second.body).toEqual({ ...first.body, items: other, updatedAt: date });
    expect(second.body.updatedAt).not.toBe(first.body.updatedAt);
  });

  it('of an unknown charge return 400 with a message', async () => {
    const answer = await post('unknown', '/items/delivery', { items });
    expect([answer.status, answer.body]).toEqual([
      400,
      { requestId: some, message: 'charge not found' },
    ]);
  });

  it.each([
    {},
    { items: [] },
    { items: [{ sku: '', quantity: 1 }] },
    { items: [{ sku: 'DESK-W', quantity: 0 }] },
    { items: [{ sku: 'DESK-W', quantity: 1, deliveryDate: 'soon' }] },
    { items: [{ sku: 'DESK-W', quantity: 1, name: 'Desk' }] },
  ])('%j returns 422', async (body) => {
    expect((await post(await order(), '/items/delivery', body)).status).toBe(422);
  });
});

describe('transactions', () => {
  it('have the same documented body for either id', async () => {
    const id = await order();
    const { body } = await post(id, '/settles', { merchantTransactionId: 'txn-1001-settle' });
    const expected = {
      lenderId: 'quillmoor',
      merchantId: body.merchantId,
      storeId: 'store1',
      id: body.id,
      chargeId: id,
      type: 'Settle',
      state: 'Completed',
      createdAt: body.createdAt,
      amount: 129.5,
      merchantTransactionId: 'txn-1001-settle',
      reconciliationId: body.lenderReferenceId,
      approvalCode: expect.stringMatching(/^\d{6}$/) as unknown,
      scheduledExecutionTimestamp: null,
      metadata: null,
    };
    for (const path of ['lookup?merchantTransactionId=txn-1001-settle', String(body.id)]) {
      const found = await get(`/v2/post-sale/transactions/${path}`);
      expect([found.status, found.body]).toEqual([200, expected]);
    }
  });

  it('that are unknown return 404 without a body; a lookup without an id returns 400', async () => {
    for (const path of ['lookup?merchantTransactionId=unknown', 'unknown']) {
      const found = await get(`/v2/post-sale/transactions/${path}`);
      expect([found.status, found.text]).toEqual([404, '']);
    }
    const none = await get('/v2/post-sale/transactions/lookup');
    expect([none.status, none.body]).toEqual([
      400,
      { requestId: some, message: 'The parameter merchantTransactionId is required.' },
    ]);
  });
});
