import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  charge,
  confirmOffer,
  details,
  discard,
  prime,
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

const charges = '/v2/post-sale/charges';
const url = (id: string, operation = '') => `${charges}/${id}${operation}`;
const create = (body: object, settle = false) =>
  test.call('POST', `${charges}?settle=${String(settle)}`, { body });

const some = expect.any(String) as unknown;
const objectId = expect.stringMatching(/^[0-9a-f]{24}$/) as unknown;
const reference = expect.stringMatching(/^[0-9A-F]{16}$/) as unknown;
const date = expect.stringMatching(/^2026-03-06T15:.*Z$/) as unknown;
const codes = (code: string, description: string) => ({
  requestId: some,
  errors: [{ code, description }],
});

/** A session for a merchant with several stores. */
const storeSession = (total = 129.5) => {
  const { checkoutDetails, ...session } = sessionBody(total, 'ORDER-1001');
  return {
    ...session,
    checkoutDetails: { ...checkoutDetails, channel: 'IN_STORE' },
    merchantDetails: { storeId: 'store1' },
  };
};

describe('creation', () => {
  it('returns the documented body: an authorized charge without settled amounts', async () => {
    const { status, headers, body } = await create({
      confirmationToken: await confirmOffer(test, { body: storeSession() }),
      merchantOrderId: 'ORDER-1001',
      merchantTransactionId: 'txn-1001-auth',
      tags: { till: '3' },
    });
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json']);
    expect(body).toEqual({
      id: some,
      orderReferenceId: expect.stringMatching(/^\d{10}$/) as unknown,
      totalAmount: 129.5,
      merchantOrderId: 'ORDER-1001',
      offer: {
        lender: { id: 'quillmoor', name: 'Quillmoor Finance' },
        paymentPlan: { creditAmount: 129.5 },
      },
      transactionsData: { lenderAuthorizeReferenceId: reference },
      state: 'Authorized',
      storeId: 'store1',
      consumerId: objectId,
      createdAt: date,
      updatedAt: date,
      channel: 'IN_STORE',
      approvalCode: expect.stringMatching(/^\d{6}$/) as unknown,
      applicationId: some,
      metadata: null,
      transactionState: 'Completed',
      settleTransactionState: null,
    });
  });

  it('returns the settle of settle=true', async () => {
    const { status, body } = await create({ confirmationToken: await confirmOffer(test) }, true);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      state: 'Settled',
      transactionState: 'Completed',
      settleTransactionState: 'Completed',
      transactionsData: {
        lenderAuthorizeReferenceId: reference,
        lenderSettleReferenceId: reference,
      },
      channel: 'E_COMMERCE',
    });
    expect(body).not.toHaveProperty('storeId');
  });

  it('returns 202 when the settle of settle=true fails', async () => {
    const confirmationToken = await confirmOffer(test, { lastName: 'SettleFails' });
    const { status, body } = await create({ confirmationToken }, true);
    expect(status).toBe(202);
    expect(body).toMatchObject({ state: 'Authorized', settleTransactionState: 'Failed' });
    expect(body.transactionsData).toEqual({ lenderAuthorizeReferenceId: reference });
    const { body: found } = await test.call('GET', url(String(body.id)));
    expect([found.state, found.settledAmount]).toEqual(['AUTHORIZED', 0]);
  });

  it('rejects a used token with 400 code 2002', async () => {
    const confirmationToken = await confirmOffer(test);
    await create({ confirmationToken, merchantTransactionId: 'txn-1' });
    for (const more of [{}, { merchantTransactionId: 'txn-2' }]) {
      const answer = await create({ confirmationToken, ...more });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(codes('2002', 'charge already has assigned confirmation'));
    }
  });

  it('returns 404 without a body for an unknown confirmation', async () => {
    const answer = await create({ confirmationToken: 'unknown' });
    expect([answer.status, answer.text]).toEqual([404, '']);
  });

  it('takes the order id from the request, or from the session', async () => {
    const named = await create({
      confirmationToken: await confirmOffer(test),
      merchantOrderId: 'o'.repeat(256),
    });
    expect(named.body.merchantOrderId).toBe('o'.repeat(256));
    for (const merchantOrderId of [null, '']) {
      const confirmationToken = await confirmOffer(test);
      const { body } = await create({ confirmationToken, merchantOrderId });
      expect(body.merchantOrderId).toBe('ORD-1');
    }
  });

  it.each([
    [{ confirmationToken: undefined }, 'ConfirmationToken', 'is required'],
    [{ confirmationToken: '' }, 'ConfirmationToken', 'must not be empty'],
    [{ merchantOrderId: 'o'.repeat(257) }, 'MerchantOrderId', 'should be up to 256 characters'],
    [
      { merchantTransactionId: 't'.repeat(257) },
      'MerchantTransactionId',
      'should be up to 256 characters',
    ],
    [{ merchantTransactionId: 7 }, 'MerchantTransactionId', 'Invalid input: expected string'],
    [{ tags: { till: 3 } }, 'Tags.Till', 'Invalid input: expected string'],
    [{ merchantOrderID: 'ORDER-1001' }, 'MerchantOrderID', 'is not a field of this request'],
  ])('returns 422 and creates no charge for %.40j', async (change, field, error) => {
    const right = { confirmationToken: await confirmOffer(test) };
    const answer = await create({ ...right, ...change });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      RequestId: some,
      Message: 'Input Validation Failure',
      Errors: [
        {
          Field: field,
          ValidationState: 'Invalid',
          Error: expect.stringContaining(`${field} ${error}`) as unknown,
        },
      ],
    });
    expect((await create(right)).status).toBe(201);
  });

  it('makes the application Authorized, so that no offer can be confirmed again', async () => {
    const { visit } = await prime(test);
    await test.form('/checkout/details', { ...visit, ...details });
    const offer = { offer: 'QUI-999-12', agree: 'yes' };
    const { outcome } = await test.form('/checkout/confirm', { ...visit, ...offer });
    await create({ confirmationToken: outcome?.confirmationToken });
    const again = await test.form('/checkout/confirm', { ...visit, ...offer });
    expect(again.outcome?.confirmationToken).toBe(outcome?.confirmationToken);
    expect((await create({ confirmationToken: outcome?.confirmationToken })).status).toBe(400);
  });
});

describe('the merchantTransactionId of an earlier authorization', () => {
  const merchantTransactionId = 'txn-1001-auth';

  it('returns the original charge with 201 for any token', async () => {
    const confirmationToken = await confirmOffer(test);
    const first = await create({ confirmationToken, merchantTransactionId }, true);
    const unused = await confirmOffer(test);
    for (const token of [confirmationToken, unused, 'unknown']) {
      const again = await create({ confirmationToken: token, merchantTransactionId }, true);
      expect(again.status).toBe(201);
      expect(again.body).toEqual(first.body);
    }
    expect((await create({ confirmationToken: unused })).body.id).not.toBe(first.body.id);
    await test.control('POST', '/clock', { advance: '1d' });
    expect(await records(test)).toHaveLength(1);
  });

  it('returns the current charge, with 201 even for a failed settle', async () => {
    const confirmationToken = await confirmOffer(test, { lastName: 'SettleFails' });
    const first = await create({ confirmationToken, merchantTransactionId }, true);
    const again = await create({ confirmationToken, merchantTransactionId }, true);
    expect([first.status, again.status]).toEqual([202, 201]);
    expect(again.body).toEqual(first.body);
    await test.call('POST', url(String(first.body.id), '/voids'));
    const voided = await create({ confirmationToken, merchantTransactionId }, true);
    expect([voided.status, voided.body.state]).toEqual([201, 'Voided']);
  });

  it('belongs to the authorization, so that its settle has no merchant transaction id', async () => {
    const confirmationToken = await confirmOffer(test);
    const { body } = await create({ confirmationToken, merchantTransactionId }, true);
    const lookup = `/v2/post-sale/transactions/lookup?merchantTransactionId=${merchantTransactionId}`;
    expect((await test.call('GET', lookup)).body).toMatchObject({
      chargeId: body.id,
      type: 'Authorize',
    });
    await test.control('POST', '/clock', { advance: '1d' });
    const [funding] = await records(test);
    expect(funding).not.toHaveProperty('merchantTransactionId');
    const { lenderSettleReferenceId } = body.transactionsData as Record<string, string>;
    expect(funding?.lenderReferenceId).toBe(lenderSettleReferenceId);
    const path = `/v2/post-sale/transactions/${String(funding?.transactionId)}`;
    expect((await test.call('GET', path)).body).toMatchObject({
      type: 'Settle',
      merchantTransactionId: null,
      reconciliationId: lenderSettleReferenceId,
    });
  });

  it('returns 422 for the id of another type of transaction', async () => {
    await charge(test, { settle: true, merchantTransactionId });
    const confirmationToken = await confirmOffer(test);
    const answer = await create({ confirmationToken, merchantTransactionId });
    expect(answer.status).toBe(422);
    expect(answer.body.Errors).toMatchObject([{ Field: 'MerchantTransactionId' }]);
  });
});

describe('GET and PATCH', () => {
  it('return the documented body with the state in upper case', async () => {
    const confirmationToken = await confirmOffer(test, { body: storeSession() });
    const { body: made } = await create({ confirmationToken }, true);
    const expected = {
      id: made.id,
      merchantOrderId: 'ORDER-1001',
      totalAmount: 129.5,
      refundedAmount: 0,
      settledAmount: 129.5,
      lender: { id: 'quillmoor', name: 'Quillmoor Finance' },
      paymentPlan: { creditAmount: 129.5 },
      state: 'SETTLED',
      storeId: 'store1',
      consumerId: made.consumerId,
      createdAt: made.createdAt,
      updatedAt: made.updatedAt,
      channel: 'IN_STORE',
      applicationId: made.applicationId,
    };
    const found = await test.call('GET', url(String(made.id)));
    expect([found.status, found.body]).toEqual([200, expected]);
    const change = { merchantOrderId: 'ORDER-1001-B', tags: { till: '4' } };
    const patched = await test.call('PATCH', url(String(made.id)), { body: change });
    expect(patched.status).toBe(200);
    expect(patched.body).toEqual({
      ...expected,
      merchantOrderId: 'ORDER-1001-B',
      updatedAt: date,
    });
    expect(Date.parse(String(patched.body.updatedAt))).toBeGreaterThan(
      Date.parse(String(made.updatedAt)),
    );
    const order = await test.call('GET', '/v2/post-sale/orders/ORDER-1001-B');
    expect(order.body).toBe(made.id);
    expect((await test.call('GET', '/v2/post-sale/orders/ORDER-1001')).status).toBe(404);
  });

  it('keep the fields that a PATCH does not include', async () => {
    const id = await charge(test);
    for (const change of [{ tags: null }, {}, { merchantOrderId: '' }]) {
      const { status, body } = await test.call('PATCH', url(id), { body: change });
      expect([status, body.merchantOrderId]).toEqual([200, 'ORD-1']);
    }
    for (const change of [{ merchantOrderId: null }, { state: 'VOIDED' }]) {
      expect((await test.call('PATCH', url(id), { body: change })).status).toBe(422);
    }
  });

  it.each([
    ['GET', '', undefined],
    ['PATCH', '', {}],
    ['POST', '/settles', {}],
    ['POST', '/refunds', {}],
    ['POST', '/voids', {}],
    ['POST', '/transactions/synthetic', { transactionType: 'Void' }],
  ])('%s%s of an unknown charge returns 400 code 2001', async (method, operation, body) => {
    const answer = await test.call(method, url('unknown', operation), { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(codes('2001', 'charge not found'));
  });
});

describe('orders', () => {
  it('return the charge id as a bare JSON string, or 404 without a body', async () => {
    const id = await charge(test);
    const order = await test.call('GET', '/v2/post-sale/orders/ORD-1');
    expect([order.status, order.text]).toEqual([200, JSON.stringify(id)]);
    const unknown = await test.call('GET', '/v2/post-sale/orders/ORD-2');
    expect([unknown.status, unknown.text]).toEqual([404, '']);
  });

  it.each([
    ['at one moment of a frozen clock', { frozen: true }],
    ['after the clock was put back', { now: '2026-01-01T00:00:00Z' }],
  ])('with several charges return the newest, %s', async (_, change) => {
    await test.control('POST', '/clock', { frozen: true });
    await charge(test);
    await test.control('POST', '/clock', change);
    const last = await charge(test);
    expect((await test.call('GET', '/v2/post-sale/orders/ORD-1')).body).toBe(last);
    const dispute = { merchantOrderId: 'ORD-1', amount: 1, transactionType: 'Refund' };
    await test.control('POST', '/fundings', dispute);
    expect(await records(test)).toMatchObject([{ chargeId: last }]);
  });
});
