import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  charge,
  confirmOffer,
  details,
  discard,
  prime,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

describe('charges', () => {
  const url = (id: string, operation = '') => `/v2/post-sale/charges/${id}${operation}`;

  it('are made once of a confirmation token: 201, then 400 code 2002', async () => {
    const confirmationToken = await confirmOffer(test);
    const body = { confirmationToken };
    const first = await test.call('POST', '/v2/post-sale/charges', { body });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      state: 'Authorized',
      merchantOrderId: 'ORD-1',
      totalAmount: 1015.11,
      settledAmount: 0,
    });
    const second = await test.call('POST', '/v2/post-sale/charges', { body });
    expect(second.status).toBe(400);
    expect(second.body.errors).toMatchObject([{ code: 2002 }]);
  });

  it('answer 404 code 2004 to a confirmation nobody gave', async () => {
    const body = { confirmationToken: 'made up' };
    const answer = await test.call('POST', '/v2/post-sale/charges', { body });
    expect(answer.status).toBe(404);
    expect(answer.body.errors).toMatchObject([{ code: 2004 }]);
  });

  it('answer 202 when the settle that was asked for failed', async () => {
    const confirmationToken = await confirmOffer(test, { lastName: 'SettleFails' });
    const answer = await test.call('POST', '/v2/post-sale/charges?settle=true', {
      body: { confirmationToken },
    });
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ state: 'Authorized', settledAmount: 0 });
  });

  it('settle and refund in parts, exactly', async () => {
    const id = await charge(test);
    const amounts = async () => {
      const { state, settledAmount, refundedAmount } = (await test.call('GET', url(id))).body;
      return [state, settledAmount, refundedAmount];
    };
    await test.call('POST', url(id, '/settles'), { body: { amount: 15.11 } });
    expect(await amounts()).toEqual(['PartiallySettled', 15.11, 0]);
    await test.call('POST', url(id, '/refunds'), { body: { amount: 0.1 } });
    expect(await amounts()).toEqual(['PartiallySettledPartiallyRefunded', 15.11, 0.1]);
    await test.call('POST', url(id, '/settles'));
    expect(await amounts()).toEqual(['SettledPartiallyRefunded', 1015.11, 0.1]);
    await test.call('POST', url(id, '/refunds'), { body: { amount: 1015.01 } });
    expect(await amounts()).toEqual(['Refunded', 1015.11, 1015.11]);
  });

  it('answer 400 code 2006 to what is not permitted now, and change nothing', async () => {
    const id = await charge(test, { settle: true });
    const answer = await test.call('POST', url(id, '/voids'));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ code: 2006 }]);
    expect((await test.call('GET', url(id))).body.state).toBe('Settled');
  });

  it('void what is not settled', async () => {
    const id = await charge(test);
    expect((await test.call('POST', url(id, '/voids'))).body.chargeState).toBe('Voided');
    await test.control('POST', '/clock', { advance: '30d' });
    const report = '/v2/post-sale/fundings/report?showMissing=true';
    expect((await test.call('GET', report)).body).toEqual({ records: [] });
  });

  it.each([
    ['/settles', { amount: 0 }],
    ['/settles', { amount: -1 }],
    ['/settles', { amount: 1.001 }],
    ['/settles', { amount: '5' }],
    ['/settles', { amount: 99_999 }],
    ['/settles', { merchantTransactionId: 'x'.repeat(257) }],
    ['/refunds', {}],
  ])('answer 422 to %s %j', async (operation, body) => {
    const id = await charge(test);
    expect((await test.call('POST', url(id, operation), { body })).status).toBe(422);
  });

  it.each([
    [{}, 'is required'],
    [{ amount: '5' }, 'Invalid input: expected number, received string'],
    [{ amount: null }, 'Invalid input: expected number, received null'],
  ])('say of a refund of %j that its amount %s', async (body, error) => {
    const id = await charge(test, { settle: true });
    const answer = await test.call('POST', url(id, '/refunds'), { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ field: 'amount', error, validationState: 'Invalid' }]);
  });

  it('are found by order and by merchant transaction id, which is unique', async () => {
    const id = await charge(test, { settle: true, merchantTransactionId: 'mt-1' });
    const order = await test.call('GET', '/v2/post-sale/orders/ORD-1');
    expect(order.body).toMatchObject({ chargeId: id });
    const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=';
    expect((await test.call('GET', `${lookup}mt-1`)).body).toMatchObject({
      chargeId: id,
      type: 'Settle',
    });
    expect((await test.call('GET', `${lookup}mt-2`)).status).toBe(404);
    const body = { amount: 1, merchantTransactionId: 'mt-1' };
    expect((await test.call('POST', url(id, '/refunds'), { body })).status).toBe(422);
    expect((await test.call('GET', url(id))).body.refundedAmount).toBe(0);
  });

  it('are of the order they are made for, and keep ids of 256 characters, and tags', async () => {
    const [merchantOrderId, merchantTransactionId] = ['o'.repeat(256), 't'.repeat(256)];
    const tags = { register: '7' };
    const body = { merchantOrderId, merchantTransactionId, tags };
    const made = await test.call('POST', '/v2/post-sale/charges', {
      body: { ...body, confirmationToken: await confirmOffer(test) },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      merchantOrderId,
      tags,
      transactions: [{ type: 'Authorize', merchantTransactionId }],
    });
    const order = await test.call('GET', `/v2/post-sale/orders/${merchantOrderId}`);
    expect(order.body.chargeId).toBe(made.body.id);
    expect((await test.call('GET', '/v2/post-sale/orders/ORD-1')).status).toBe(404);
  });

  it.each([
    ['at one moment of a frozen clock', { frozen: true }],
    ['after the clock was put back', { now: '2026-01-01T00:00:00Z' }],
  ])('of one order: the last one made is found, %s', async (_, change) => {
    await test.control('POST', '/clock', { frozen: true });
    await charge(test);
    await test.control('POST', '/clock', change);
    const last = await charge(test);
    expect((await test.call('GET', '/v2/post-sale/orders/ORD-1')).body.chargeId).toBe(last);
    const dispute = { merchantOrderId: 'ORD-1', amount: 1, transactionType: 'Refund' };
    await test.control('POST', '/fundings', dispute);
    const { body } = await test.call('GET', '/v2/post-sale/fundings/report');
    expect(body.records).toMatchObject([{ chargeId: last }]);
  });

  it.each([
    ['confirmationToken', undefined],
    ['confirmationToken', ''],
    ['merchantOrderId', ''],
    ['merchantOrderId', 'o'.repeat(257)],
    ['merchantTransactionId', ''],
    ['merchantTransactionId', 't'.repeat(257)],
    ['merchantTransactionId', 7],
  ])('answer 422, and are not made, for %s %.9j', async (field, value) => {
    const body = { confirmationToken: await confirmOffer(test) };
    const wrong = { ...body, [field]: value };
    const answer = await test.call('POST', '/v2/post-sale/charges', { body: wrong });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ field, validationState: 'Invalid' }]);
    expect((await test.call('POST', '/v2/post-sale/charges', { body })).status).toBe(201);
  });

  it('leave an application Authorized', async () => {
    const { visit, applicationId } = await prime(test);
    const status = async () =>
      (await test.call('GET', `/v2/checkout/applications/${applicationId}/status`)).body
        .applicationStatus;
    expect(await status()).toBeNull();
    await test.hosted(visit);
    expect(await status()).toBeNull();
    await test.form('/checkout/details', { ...visit, ...details });
    expect(await status()).toBe('Prequalified');
    const offer = { offer: 'QUI-999-12', agree: 'yes' };
    const { outcome } = await test.form('/checkout/confirm', { ...visit, ...offer });
    expect(await status()).toBe('Approved');
    const body = { confirmationToken: outcome?.confirmationToken };
    await test.call('POST', '/v2/post-sale/charges', { body });
    expect(await status()).toBe('Authorized');
  });
});
