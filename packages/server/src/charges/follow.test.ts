import { describe, expect, test } from 'vitest';
import { chargeOperationSchema, ledgerSchema } from '@financing-checkout/contract';
import { createCompanion, networkError, START } from '../companion.fixture.ts';
import { ChargeAtService } from './charge.fixture.ts';

const LOOKUP = 'GET /v2/post-sale/transactions/lookup';
const REFUNDS = 'POST /v2/post-sale/charges/charge-1/refunds';
const HOUR = 3_600_000;

/** A refund of 5.00 that the service takes, and is not through with. */
async function withPending({ state = 'Pending', lost = false, silent = false } = {}) {
  const companion = await createCompanion();
  const atService = new ChargeAtService(companion.service, { settled: 27_499 });
  const transaction = { id: 't-1', chargeId: 'charge-1', type: 'Refund', state };
  companion.service.on(REFUNDS, ({ body }) => {
    const { merchantTransactionId } = body as { merchantTransactionId: string };
    atService.transactions.push(Object.assign(transaction, { merchantTransactionId }));
    if (lost) return networkError('ECONNRESET');
    return { status: 201, body: silent ? {} : { ...transaction } };
  });
  const refund = (key: string, amount = 500) =>
    companion.officePost('/charges/charge-1/refunds', { amount }, { 'idempotency-key': key });
  const answer = await refund('key-1');
  const operation = async () => companion.store.findChargeOperation('key-1');
  const ledger = async () =>
    ledgerSchema.parse((await companion.office('/ledger')).body).entries.map(({ state }) => state);
  const pass = async (hours: number, at = 1) => {
    for (let hour = 0; hour < hours; hour += at) {
      companion.clock.advance(at * HOUR);
      while ((await companion.background.runOnce()) > 0);
    }
  };
  const looked = () => companion.service.callsTo(LOOKUP).length;
  return { companion, atService, transaction, refund, answer, operation, ledger, pass, looked };
}

describe('a transaction that the service takes and is not through with', () => {
  test.each(['Scheduled', 'Pending', 'PendingConsumer', 'PendingMerchant', 'Accepted'])(
    'is accepted as %s, and leaves the ledger when it fails',
    async (state) => {
      const { companion, answer, transaction, refund, operation, ledger, pass } = await withPending(
        { state },
      );
      expect(answer.status).toBe(201);
      const accepted = { state: 'accepted', reason: 'pending', transactionId: 't-1' };
      expect(chargeOperationSchema.parse(answer.body)).toMatchObject(accepted);
      await pass(3);
      expect(await operation()).toMatchObject(accepted);
      transaction.state = 'Failed';
      await pass(12);
      expect(await operation()).toMatchObject({
        state: 'rejected',
        reason: 'transaction-failed',
        transactionId: 't-1',
        attentionAt: undefined,
      });
      expect(await ledger()).toEqual(['accepted', 'absent']);
      expect(companion.counters.read('charge-operation-failed-since')).toBe(1);
      const told = companion.log.filter(({ event }) => event === 'charge-operation-failed-since');
      expect(told).toMatchObject([{ level: 'error', reason: 'transaction-failed' }]);
      // Who asks again hears of it; what it held is there again.
      const again = await refund('key-1');
      expect([again.status, again.body.code]).toEqual([502, 'service-rejected']);
      const charge = (await companion.office('/charges/charge-1')).body;
      expect(charge.operations).toMatchObject([{ state: 'rejected' }]);
    },
  );

  test('is accepted without a word once it is done', async () => {
    const { companion, transaction, operation, ledger, pass, looked } = await withPending();
    transaction.state = 'Completed';
    await pass(3);
    expect(await operation()).toMatchObject({
      state: 'accepted',
      reason: undefined,
      transactionId: 't-1',
      attentionAt: undefined,
    });
    const before = looked();
    transaction.state = 'Failed';
    await pass(48);
    expect(looked()).toBe(before);
    expect(await ledger()).toEqual(['accepted']);
    expect(companion.counters.read('charge-operation-failed-since')).toBe(0);
  });

  test('is followed when its answer was lost, too', async () => {
    const { answer, transaction, operation, ledger, pass } = await withPending({ lost: true });
    expect(answer.body.code).toBe('outcome-unknown');
    await pass(1);
    expect(await operation()).toMatchObject({ state: 'accepted', reason: 'pending' });
    transaction.state = 'Failed';
    await pass(12);
    expect(await operation()).toMatchObject({ state: 'rejected', reason: 'transaction-failed' });
    expect(await ledger()).toEqual(['unknown', 'accepted', 'absent']);
  });

  test.each([
    ['Failed', { state: 'rejected', reason: 'transaction-failed' }],
    ['Completed', { state: 'accepted', reason: undefined, transactionId: 't-1' }],
  ])('is followed where the answer does not say how it stands: %s', async (state, end) => {
    const { answer, transaction, operation, pass } = await withPending({ silent: true });
    expect([answer.status, answer.body.reason]).toEqual([201, 'pending']);
    transaction.state = state;
    await pass(1);
    expect(await operation()).toMatchObject({ ...end, attentionAt: undefined });
  });

  test.each([
    ['Failed', 'rejected', 'absent'],
    // The second time with its id at the service.
    ['Completed', 'accepted', 'accepted'],
  ])(
    'is followed where the charge counts it, and nothing has its name yet: %s',
    async (state, end, last) => {
      const { atService, transaction, operation, ledger, pass } = await withPending({
        lost: true,
      });
      const unnamed = atService.transactions.splice(0);
      atService.refunded = 500;
      await pass(1);
      expect(await operation()).toMatchObject({ state: 'accepted', reason: 'pending' });
      atService.transactions.push(...unnamed);
      transaction.state = state;
      await pass(12);
      expect(await operation()).toMatchObject({ state: end, attentionAt: undefined });
      expect(await ledger()).toEqual(['unknown', 'accepted', last]);
    },
  );

  test('is asked after soon again when a look was not answered', async () => {
    const { companion, transaction, operation } = await withPending();
    const after = async (ms: number) => {
      companion.clock.advance(ms);
      while ((await companion.background.runOnce()) > 0);
      return operation();
    };
    await after(HOUR);
    companion.service.on(LOOKUP, { status: 403, text: '' }, { status: 403, text: '' }, () => ({
      status: 200,
      body: [transaction],
    }));
    expect(await after(2 * HOUR)).toMatchObject({ reason: 'pending', attentionTries: 1 });
    expect(await after(2_000)).toMatchObject({ reason: 'pending', attentionTries: 2 });
    expect(await after(7_999)).toMatchObject({ attentionTries: 2 });
    // Answered, and pending yet: rarely again.
    const answered = await after(1);
    expect(answered).toMatchObject({ reason: 'pending', attentionTries: 0 });
    expect(answered?.attentionAt).toBeGreaterThan(companion.clock.now() + 3 * HOUR);
  });

  test('is asked after at growing intervals, for 35 days', async () => {
    const { companion, operation, ledger, pass, looked } = await withPending();
    companion.service.on(LOOKUP, { status: 404, body: {} }, { status: 403, text: '' });
    await pass(24 * 80, 8);
    expect(looked()).toBeGreaterThan(5);
    expect(looked()).toBeLessThan(20);
    expect(await operation()).toMatchObject({
      state: 'accepted',
      reason: 'pending',
      attentionAt: undefined,
    });
    expect(await ledger()).toEqual(['accepted']);
  });

  test('is not followed when it is done at once', async () => {
    const { companion, answer, operation, pass, looked } = await withPending({
      state: 'Completed',
    });
    expect(answer.body.reason).toBeUndefined();
    expect(await operation()).toMatchObject({ state: 'accepted', attentionAt: undefined });
    await pass(24);
    expect(looked()).toBe(0);
    expect(companion.service.callsTo(REFUNDS)).toHaveLength(1);
  });
});

/** A charge whose settle was asked for with it, as the service lists it in the answer. */
async function withCharge(settle: {
  state: string;
  lost?: boolean;
  chargeState?: string;
  asked?: boolean;
  more?: { type?: string; merchantTransactionId?: string };
}) {
  const { state, lost = false, chargeState = 'Settled', asked = true, more } = settle;
  const companion = await createCompanion({ settle: asked ? 'on-approval' : 'later' });
  const atService = new ChargeAtService(companion.service, { settled: 27_499 });
  const transaction = { id: 't-1', chargeId: 'charge-1', type: 'Settle', state, ...more };
  const authorize = { id: 't-0', chargeId: 'charge-1', type: 'Authorize', state: 'Completed' };
  const transactions = () => [authorize, { ...transaction }];
  const charge = (shown = atService.state) => ({
    ...atService.wire(),
    state: shown,
    transactions: transactions(),
  });
  companion.service
    .on('POST /v2/post-sale/charges', () =>
      lost ? networkError('ECONNRESET') : { status: 201, body: charge(chargeState) },
    )
    .on('GET /v2/post-sale/charges/charge-1', () => ({ status: 200, body: charge() }))
    .on(LOOKUP, () => ({ status: 200, body: transactions() }));
  const id = await companion.open();
  await companion.confirm(id);
  const pass = async (hours: number) => {
    for (let minute = 0; minute < hours * 60; minute += 10) {
      companion.clock.advance(600_000);
      while ((await companion.background.runOnce()) > 0);
    }
  };
  const ledger = async () =>
    ledgerSchema
      .parse((await companion.office('/ledger')).body)
      .entries.map((entry) => `${entry.type} ${entry.state}`);
  const operations = async () => (await companion.office('/charges/charge-1')).body.operations;
  const looked = () => companion.service.callsTo(LOOKUP).length;
  return { companion, atService, transaction, id, pass, ledger, operations, looked };
}

describe('a settle that is made with its charge and is pending', () => {
  test.each([
    ['shown as settled', { state: 'Pending' }],
    ['shown as authorized', { state: 'Scheduled', chargeState: 'Authorized' }],
    ['of a charge that was looked up', { state: 'Pending', lost: true }],
  ])('%s is in the ledger, and leaves it when it fails: the shop hears so', async (_, settle) => {
    const { companion, atService, transaction, id, pass, ledger, operations } =
      await withCharge(settle);
    await pass(3);
    expect(await companion.store.findCheckout(id)).toMatchObject({ status: 'approved' });
    expect((await ledger()).slice(-2)).toEqual(['Authorize accepted', 'Settle accepted']);
    expect(await operations()).toMatchObject([
      { kind: 'settle', state: 'accepted', reason: 'pending', amount: { value: 27_499 } },
    ]);
    transaction.state = 'Failed';
    atService.settled = 0;
    await pass(12);
    expect((await ledger()).at(-1)).toBe('Settle absent');
    const { entries } = ledgerSchema.parse((await companion.office('/ledger')).body);
    // Each of when it was asked for, however late it was found.
    expect(new Set(entries.map(({ occurredAt }) => Date.parse(occurredAt)))).toEqual(
      new Set([START]),
    );
    expect(companion.counters.read('charge-operation-failed-since')).toBe(1);
    expect(companion.told().at(-1)).toMatchObject({
      status: 'approved',
      chargeState: 'Authorized',
    });
    // It is all there to be settled again.
    const headers = { 'idempotency-key': 'key-1' };
    const again = await companion.officePost('/charges/charge-1/settles', {}, headers);
    expect(again.body).toMatchObject({ state: 'accepted', amount: { value: 27_499 } });
  });

  test('is settled once while it is pending, and no more asked after when it is done', async () => {
    const { companion, atService, transaction, pass, ledger, operations, looked } =
      await withCharge({ state: 'Pending', chargeState: 'Authorized' });
    atService.settled = 0;
    const headers = { 'idempotency-key': 'key-1' };
    const second = await companion.officePost('/charges/charge-1/settles', {}, headers);
    expect(second.body.code).toBe('charge-not-permitted');
    transaction.state = 'Completed';
    atService.settled = 27_499;
    await pass(3);
    expect(await operations()).toMatchObject([{ state: 'accepted', transactionId: 't-1' }]);
    const before = looked();
    await pass(24);
    expect(looked()).toBe(before);
    // The books find its funding by the service's id.
    expect(await ledger()).toEqual(['Authorize accepted', 'Settle accepted', 'Settle accepted']);
  });

  test.each(['Completed', 'AStateOfTomorrow'])('one that is %s is not followed', async (state) => {
    const { pass, ledger, operations, looked } = await withCharge({ state });
    await pass(3);
    expect([await operations(), looked()]).toEqual([[], 0]);
    expect(await ledger()).toEqual(['Authorize accepted', 'Settle accepted']);
  });

  test.each([
    ['that the companion has not asked for', { asked: false }],
    ['of another id', { more: { merchantTransactionId: 'txn_of_somebody' } }],
    ['that is no settle', { more: { type: 'Authorize' } }],
  ])('one %s is not followed', async (_, change) => {
    const { operations } = await withCharge({ state: 'Pending', ...change });
    expect(await operations()).toEqual([]);
  });
});
