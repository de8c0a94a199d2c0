import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  charge,
  confirmOffer,
  discard,
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
const post = (id: string, operation: string, body: object = {}) =>
  test.call('POST', url(id, operation), { body });
const advance = (by: string) => test.control('POST', '/clock', { advance: by });
const set = async (body: object) => {
  const answer = await test.control('POST', '/transaction-outcomes', body);
  expect(answer.status).toBe(201);
};
const stateOf = async (id: string) => {
  const { state, settledAmount, refundedAmount } = (await test.call('GET', url(id))).body;
  return [state, settledAmount, refundedAmount];
};
const lookUp = async (merchantTransactionId: string) => {
  const path = `/v2/post-sale/transactions/lookup?merchantTransactionId=${merchantTransactionId}`;
  return (await test.call('GET', path)).body.state as string;
};
const funded = async () => {
  const { records } = (await test.call('GET', '/v2/post-sale/fundings/report')).body;
  return (records as { transactionType: string }[]).map((record) => record.transactionType);
};

describe('a pending settle', () => {
  it('is completed later, and only then becomes due for funding', async () => {
    const id = await charge(test);
    await set({ outcome: 'pending-complete', type: 'Settle', after: '3d' });
    const made = await post(id, '/settles', { merchantTransactionId: 'm-1' });
    expect([made.status, made.body.transactionState]).toEqual([201, 'Pending']);
    await advance('2d');
    expect([await lookUp('m-1'), await funded()]).toEqual(['Pending', []]);
    await advance('25h');
    expect(await lookUp('m-1')).toBe('Completed');
    expect(await funded()).toEqual([]);
    await advance('1d');
    expect(await funded()).toEqual(['Settle']);
    expect(await stateOf(id)).toEqual(['SETTLED', 1015.11, 0]);
  });

  it('is completed and funded without an intervening request', async () => {
    const id = await charge(test);
    await set({ outcome: 'pending-complete', type: 'Settle' });
    await post(id, '/settles');
    await advance('3d');
    expect(await funded()).toEqual(['Settle']);
  });

  it('leaves the charge unchanged when it fails, and is never funded', async () => {
    const id = await charge(test);
    await post(id, '/settles', { amount: 15.11 });
    await set({ outcome: 'pending-fail', type: 'Settle', after: '10m' });
    await post(id, '/settles', { merchantTransactionId: 'm-2' });
    expect(await stateOf(id)).toEqual(['SETTLED', 1015.11, 0]);
    await advance('11m');
    expect(await stateOf(id)).toEqual(['PARTIALLY_SETTLED', 15.11, 0]);
    expect(await lookUp('m-2')).toBe('Failed');
    await advance('3d');
    expect(await funded()).toEqual(['Settle']);
    expect((await post(id, '/settles')).body).toMatchObject({
      transactionState: 'Completed',
      status: 'Settled',
      amount: 1000,
    });
  });

  it.each([
    ['pending-complete', ['SETTLED', 1015.11, 0], ['Settle']],
    ['pending-fail', ['AUTHORIZED', 0, 0], []],
  ])(
    'leaves a charge that is made with it authorized until it ends: %s',
    async (outcome, ended, fundings) => {
      await set({ outcome, type: 'Settle', after: '1m' });
      const body = { confirmationToken: await confirmOffer(test) };
      const made = await test.call('POST', '/v2/post-sale/charges?settle=true', { body });
      expect([made.status, made.body.state, made.body.settleTransactionState]).toEqual([
        201,
        'Authorized',
        'Pending',
      ]);
      const id = String(made.body.id);
      expect(await stateOf(id)).toEqual(['AUTHORIZED', 0, 0]);
      expect((await post(id, '/voids')).body.errors).toMatchObject([{ code: '2006' }]);
      await advance('1m');
      expect(await stateOf(id)).toEqual(ended);
      await advance('3d');
      expect(await funded()).toEqual(fundings);
    },
  );

  it('fails after the creation of its charge, which can be settled again', async () => {
    await set({ outcome: 'pending-fail', type: 'Settle', after: '1m' });
    const body = { confirmationToken: await confirmOffer(test) };
    const made = await test.call('POST', '/v2/post-sale/charges?settle=true', { body });
    await advance('1m');
    expect((await post(String(made.body.id), '/settles')).body).toMatchObject({
      status: 'Settled',
      transactionState: 'Completed',
    });
  });
});

describe('a pending refund', () => {
  it('blocks other transactions of the charge, and restores the amount when it fails', async () => {
    const id = await charge(test);
    await post(id, '/settles');
    await set({ outcome: 'pending-fail', type: 'Refund' });
    const { body } = await post(id, '/refunds', { amount: 15.11 });
    for (const [operation, more] of [
      ['/refunds', { amount: 1 }],
      ['/settles', {}],
      ['/voids', {}],
    ] as const) {
      const refused = await post(id, operation, more);
      expect([refused.status, refused.body.errors]).toMatchObject([400, [{ code: '2006' }]]);
    }
    expect(await stateOf(id)).toEqual(['SETTLED_PARTIALLY_REFUNDED', 1015.11, 15.11]);
    const end = { transactionId: body.id, end: 'failed' };
    const ended = await test.control('POST', '/transaction-outcomes/resolve', end);
    expect(ended.body).toEqual({ transactionId: body.id, type: 'Refund', state: 'Failed' });
    expect(await stateOf(id)).toEqual(['SETTLED', 1015.11, 0]);
    expect((await test.control('POST', '/transaction-outcomes/resolve', end)).status).toBe(409);
    expect((await post(id, '/refunds', { amount: 15.11 })).body.transactionState).toBe('Completed');
  });
});

describe('a pending void', () => {
  it('leaves the charge authorized when it fails, and can be found by its id', async () => {
    const id = await charge(test);
    await set({ outcome: 'pending-fail', type: 'Void', after: '5m' });
    const made = await post(id, '/voids', { merchantTransactionId: 'v-1' });
    expect(made.body).toMatchObject({ status: 'Voided', transactionState: 'Pending' });
    await advance('5m');
    expect([await lookUp('v-1'), await stateOf(id)]).toEqual(['Failed', ['AUTHORIZED', 0, 0]]);
    const again = await post(id, '/voids', { merchantTransactionId: 'v-2' });
    expect(again.body).toMatchObject({ status: 'Voided', transactionState: 'Completed' });
  });
});

describe('a transaction that fails immediately', () => {
  it.each([
    ['Settle', '/settles', 'Authorized', false],
    ['Refund', '/refunds', 'Settled', true],
    ['Void', '/voids', 'Authorized', false],
  ])(
    '%s: answers 201 with the unchanged charge, no reference and no funding',
    async (type, path, status, settle) => {
      const id = await charge(test, { settle });
      await advance('1d');
      const before = await funded();
      await set({ outcome: 'fail', type });
      const { status: code, body } = await post(id, path, { merchantTransactionId: 'm-1' });
      expect(code).toBe(201);
      expect(body).toMatchObject({ status, transactionState: 'Failed', amount: 1015.11 });
      expect(body).not.toHaveProperty('lenderReferenceId');
      expect(await lookUp('m-1')).toBe('Failed');
      await advance('3d');
      expect(await funded()).toEqual(before);
      expect((await post(id, path)).body.transactionState).toBe('Completed');
    },
  );

  it('can be the settle of settle=true, which returns 202', async () => {
    await set({ outcome: 'fail', type: 'Settle' });
    const body = { confirmationToken: await confirmOffer(test) };
    const made = await test.call('POST', '/v2/post-sale/charges?settle=true', { body });
    expect([made.status, made.body.state, made.body.settleTransactionState]).toEqual([
      202,
      'Authorized',
      'Failed',
    ]);
  });
});

describe('a forced outcome', () => {
  it('applies to the next n transactions of a type and environment, is listed, and is cleared', async () => {
    await set({ outcome: 'pending-fail', type: 'Settle', environment: 'uat' });
    await set({ outcome: 'pending-complete', type: 'Refund', next: 2, after: '5m' });
    const id = await charge(test);
    expect((await post(id, '/settles')).body.transactionState).toBe('Completed');
    expect((await post(id, '/refunds', { amount: 1 })).body.transactionState).toBe('Pending');
    expect((await test.control('GET', '/transaction-outcomes')).body.outcomes).toMatchObject([
      { outcome: 'pending-fail', type: 'Settle', next: 1, environment: 'uat' },
      { outcome: 'pending-complete', type: 'Refund', next: 1, endsAfterMs: 300_000 },
    ]);
    expect((await test.control('DELETE', '/transaction-outcomes')).body).toEqual({ cleared: 2 });
    await advance('5m');
    expect((await post(id, '/refunds', { amount: 1 })).body.transactionState).toBe('Completed');
  });

  it.each([
    ['', { outcome: 'pending', type: 'Settle' }, 400, /outcome/],
    ['', { outcome: 'pending-fail', type: 'Chargeback' }, 400, /type/],
    ['', { outcome: 'fail', type: 'Void', after: '1m' }, 400, /after/],
    ['', { outcome: 'pending-fail', type: 'Void', after: '0s' }, 400, /more than 0/],
    ['', { outcome: 'pending-fail', type: 'Settle', after: 'later' }, 400, /duration/],
    ['', { outcome: 'pending-fail', type: 'Settle', next: 0 }, 400, /next/],
    ['/resolve', { transactionId: 'nobody', end: 'failed' }, 404, /No transaction has this id/],
    ['/resolve', { transactionId: 'nobody', end: 'perhaps' }, 400, /end/],
  ])('%s%j is rejected', async (path, body, status, message) => {
    const answer = await test.control('POST', `/transaction-outcomes${path}`, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(message);
  });

  it('is part of the state, like pending transactions', async () => {
    const other = await startTestSandbox();
    const id = await charge(other);
    const forced = { outcome: 'pending-fail', type: 'Settle', next: 2 };
    await other.control('POST', '/transaction-outcomes', forced);
    await other.call('POST', url(id, '/settles'), { body: {} });
    await other.stop();
    const again = await startTestSandbox(other.dataDir);
    expect((await again.control('GET', '/transaction-outcomes')).body.outcomes).toHaveLength(1);
    expect((await again.call('GET', url(id))).body.state).toBe('SETTLED');
    await again.control('POST', '/clock', { advance: '61m' });
    expect((await again.call('GET', url(id))).body.state).toBe('AUTHORIZED');
    await discard(again);
  });
});
