import { describe, expect, test } from 'vitest';
import { chargeOperationSchema, ledgerSchema } from '@financing-checkout/contract/back-office';
import { createCompanion } from '../companion.fixture.ts';
import { LOOKUP, networkError, REFUNDS, START } from '../scripted-service.fixture.ts';
import {
  ChargeAtService,
  madeAnswer,
  notFound,
  setUpCharge,
  transactionOf,
  knowOrders,
} from './charge.fixture.ts';

const HOUR = 3_600_000;

/** Sets up a refund of 5.00 that is pending at the service. */
async function withPending({ state = 'Pending', lost = false, silent = false } = {}) {
  const companion = await createCompanion();
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service, { settled: 27_499 });
  const transaction = transactionOf({ id: 't-1', type: 'Refund', state });
  companion.service.on(REFUNDS, ({ body }) => {
    const { merchantTransactionId } = body as { merchantTransactionId: string };
    atService.transactions.push(Object.assign(transaction, { merchantTransactionId }));
    if (lost) return networkError('ECONNRESET');
    const made = madeAnswer(transaction, 'Settled');
    return { status: 201, body: silent ? { ...made, transactionState: undefined } : made };
  });
  const refund = (key: string, amount = 500) =>
    companion.officePost('/charges/charge-1/refunds', { amount }, { 'idempotency-key': key });
  const answer = await refund('key-1');
  const operation = async () => companion.store.findChargeOperation('key-1');
  const ledger = async () =>
    ledgerSchema.parse((await companion.office('/ledger')).body).entries.map(({ state }) => state);
  const pass = (hours: number) => companion.pass(hours * HOUR);
  const looked = () => companion.service.callsTo(LOOKUP).length;
  return { companion, atService, transaction, refund, answer, operation, ledger, pass, looked };
}

describe('a transaction that is pending at the service', () => {
  test.each(['Scheduled', 'Pending', 'PendingConsumer', 'PendingMerchant', 'Accepted'])(
    'is accepted as %s and canceled in the ledger when it fails',
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
      const lines = companion.log.filter(({ event }) => event === 'charge-operation-failed-since');
      expect(lines).toMatchObject([{ level: 'error', reason: 'transaction-failed' }]);
      // A repeated request gets the failure, and the held amount is available again.
      const again = await refund('key-1');
      expect([again.status, again.body.code]).toEqual([502, 'service-rejected']);
      const charge = (await companion.office('/charges/charge-1')).body;
      expect(charge.operations).toMatchObject([{ state: 'rejected' }]);
    },
  );

  test('is accepted without a webhook once it completes', async () => {
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

  test('is tracked when its response was lost', async () => {
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
  ])('is tracked when its response has no known state: %s', async (state, end) => {
    const { answer, transaction, operation, pass } = await withPending({ silent: true });
    expect([answer.status, answer.body.reason]).toEqual([201, 'pending']);
    transaction.state = state;
    await pass(1);
    expect(await operation()).toMatchObject({ ...end, attentionAt: undefined });
  });

  test.each([
    ['Failed', 'rejected', 'absent'],
    // The second lookup uses the service's id.
    ['Completed', 'accepted', 'accepted'],
  ])(
    'is tracked when the charge includes it but no transaction has its id yet: %s',
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

  test('is looked up again soon after an unanswered lookup', async () => {
    const { companion, transaction, operation } = await withPending();
    const after = async (ms: number) => {
      companion.clock.advance(ms);
      while ((await companion.background.runOnce()) > 0);
      return operation();
    };
    await after(HOUR);
    companion.service.on(LOOKUP, { status: 403, text: '' }, { status: 403, text: '' }, () => ({
      status: 200,
      body: transaction,
    }));
    expect(await after(2 * HOUR)).toMatchObject({ reason: 'pending', attentionTries: 1 });
    expect(await after(2_000)).toMatchObject({ reason: 'pending', attentionTries: 2 });
    expect(await after(7_999)).toMatchObject({ attentionTries: 2 });
    // After a response, lookups of a pending transaction become rare again.
    const answered = await after(1);
    expect(answered).toMatchObject({ reason: 'pending', attentionTries: 0 });
    expect(answered?.attentionAt).toBeGreaterThan(companion.clock.now() + 3 * HOUR);
  });

  test('is looked up at growing intervals for 35 days', async () => {
    const { companion, operation, ledger, pass, looked } = await withPending();
    companion.service.on(LOOKUP, notFound, { status: 403, text: '' });
    await pass(24 * 80);
    expect(looked()).toBeGreaterThan(5);
    expect(looked()).toBeLessThan(25);
    expect(await operation()).toMatchObject({
      state: 'accepted',
      reason: 'pending',
      attentionAt: undefined,
    });
    expect(await ledger()).toEqual(['accepted']);
  });

  test('is not tracked when it completes immediately', async () => {
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

describe('a void', () => {
  const VOIDS = 'POST /v2/post-sale/charges/charge-1/voids';

  /** Sets up a void that is pending at the service. */
  async function withPendingVoid() {
    const all = await setUpCharge();
    const { companion, operate } = all;
    const transaction = transactionOf({ id: 't-1', type: 'Void', state: 'Pending' });
    companion.service.on(VOIDS, ({ body }) => {
      const { merchantTransactionId } = body as { merchantTransactionId: string };
      transaction.merchantTransactionId = merchantTransactionId;
      all.atService.transactions.push(transaction);
      return { status: 201, body: madeAnswer(transaction, 'Authorized') };
    });
    const answer = await operate('voids', {}, 'key-1');
    const operation = () => companion.store.findChargeOperation('key-1');
    const pass = (hours: number) => companion.pass(hours * HOUR);
    return { ...all, transaction, answer, operation, pass };
  }

  test('that is pending is tracked, and canceled in the ledger when it fails', async () => {
    const { companion, answer, ledger, operation, pass, transaction } = await withPendingVoid();
    expect([answer.status, answer.body.reason]).toEqual([201, 'pending']);
    await pass(3);
    expect(await operation()).toMatchObject({ state: 'accepted', reason: 'pending' });
    transaction.state = 'Failed';
    await pass(12);
    expect(await operation()).toMatchObject({
      state: 'rejected',
      reason: 'transaction-failed',
      lenderReferenceId: 'lender-ref-t-1',
      attentionAt: undefined,
    });
    expect((await ledger()).map(({ state }) => state)).toEqual(['accepted', 'absent']);
    expect(companion.counters.read('charge-operation-failed-since')).toBe(1);
  });

  test.each([
    ['its transaction', 'Completed', false],
    ['the state of its charge', 'Pending', true],
  ])('that is pending completes as soon as %s shows it', async (_, state, isFound) => {
    const { companion, atService, ledger, operation, pass, transaction } = await withPendingVoid();
    transaction.state = state;
    atService.voided = true;
    if (isFound) companion.service.on(LOOKUP, notFound);
    await pass(3);
    expect(await operation()).toMatchObject({
      state: 'accepted',
      reason: undefined,
      attentionAt: undefined,
    });
    expect((await ledger()).map(({ state }) => state)).toEqual(['accepted']);
  });

  test.each([
    ['by its id', undefined],
    ['by the state of its charge, where the look-up finds nothing', notFound],
    ['by the state of its charge, where the look-up is not answered', { status: 403, text: '' }],
  ])('whose response was lost is found %s', async (_, lookup) => {
    const { companion, atService, operate, ledger } = await setUpCharge();
    atService.faults = ['lost-after'];
    expect((await operate('voids', {}, 'key-1')).body.code).toBe('outcome-unknown');
    if (lookup !== undefined) companion.service.on(LOOKUP, lookup);
    companion.clock.advance(30_000);
    await companion.background.runOnce();
    const known = await operate('voids', {}, 'key-1');
    expect([known.status, known.body.state]).toEqual([201, 'accepted']);
    expect(companion.service.callsTo(VOIDS)).toHaveLength(1);
    expect((await ledger()).map(({ state }) => state)).toEqual(['unknown', 'accepted']);
  });

  test('that was manually resolved as not done stays that way when a later void completes', async () => {
    const { companion, atService, operate } = await setUpCharge();
    atService.faults = ['lost-before'];
    await operate('voids', {}, 'key-1');
    companion.service.on(LOOKUP, { status: 403, text: '' });
    companion.clock.advance(180_000);
    const row = await companion.store.findChargeOperation('key-1');
    const said = { outcome: 'not-done', by: 'Ines Quill', note: 'portal' };
    const path = `/charge-operations/${row?.id ?? ''}/resolution`;
    expect((await companion.officePost(path, said)).status).toBe(200);
    companion.service.on(LOOKUP, ({ query }) =>
      atService.lookUp(query.get('merchantTransactionId')),
    );
    expect((await operate('voids', {}, 'key-2')).status).toBe(201);
    companion.clock.advance(HOUR);
    while ((await companion.background.runOnce()) > 0);
    expect((await companion.store.findChargeOperation('key-1'))?.state).toBe('rejected');
    expect(companion.counters.read('charge-operation-contradicted')).toBe(0);
  });
});

/**
 * Sets up a charge whose settle was requested with it. The request id identifies only the
 * authorization, so only the charge itself shows the settle.
 */
async function withCharge(
  settleTransactionState: string,
  { lost = false, asked = true, status = 201 } = {},
) {
  const companion = await createCompanion({ settle: asked ? 'on-approval' : 'later' });
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service);
  companion.service.on('POST /v2/post-sale/charges', ({ body }) => {
    const { merchantTransactionId } = body as { merchantTransactionId: string };
    const created = atService.created({ settleTransactionState }, merchantTransactionId);
    return lost ? networkError('ECONNRESET') : { status, body: created };
  });
  const id = await companion.open();
  await companion.confirm(id);
  const pass = (hours: number) => companion.pass(hours * HOUR);
  const ledger = async () =>
    ledgerSchema
      .parse((await companion.office('/ledger')).body)
      .entries.map((entry) => `${entry.type} ${entry.state}`);
  const operations = async () => (await companion.office('/charges/charge-1')).body.operations;
  const settle = (key: string) =>
    companion.officePost('/charges/charge-1/settles', {}, { 'idempotency-key': key });
  const looked = () => companion.service.callsTo('GET /v2/post-sale/charges/charge-1').length;
  return { companion, atService, id, pass, ledger, operations, settle, looked };
}

describe('a pending settle that was requested with its charge', () => {
  test('is not in the ledger, and fails with a webhook when the charge is voided', async () => {
    const { companion, atService, id, pass, ledger, operations } = await withCharge('Scheduled');
    await pass(3);
    expect(await companion.store.findCheckout(id)).toMatchObject({ status: 'approved' });
    expect(await ledger()).toEqual(['Authorize accepted']);
    expect(await operations()).toMatchObject([
      { kind: 'settle', state: 'accepted', reason: 'pending', amount: { value: 27_499 } },
    ]);
    atService.voided = true;
    await pass(12);
    expect((await ledger()).at(-1)).toBe('Settle absent');
    const { entries } = ledgerSchema.parse((await companion.office('/ledger')).body);
    // Each entry has the timestamp of its request.
    expect(new Set(entries.map(({ occurredAt }) => Date.parse(occurredAt)))).toEqual(
      new Set([START]),
    );
    expect(companion.counters.read('charge-operation-failed-since')).toBe(1);
    expect(companion.webhooks().at(-1)).toMatchObject({
      status: 'approved',
      chargeState: 'Voided',
    });
  });

  test('completes once the charge shows it, although its id names the authorization', async () => {
    const { companion, atService, pass, ledger, operations, settle, looked } =
      await withCharge('Pending');
    const second = await settle('key-1');
    expect(second.body.code).toBe('charge-not-permitted');
    await pass(3);
    expect(await operations()).toMatchObject([{ state: 'accepted', reason: 'pending' }]);
    expect(await ledger()).toEqual(['Authorize accepted']);
    // Part of the charge is settled manually.
    atService.settled = 500;
    await pass(12);
    expect(await operations()).toMatchObject([{ state: 'accepted', reason: 'pending' }]);
    atService.settled = 27_499;
    await pass(24);
    expect(await operations()).toMatchObject([{ kind: 'settle', state: 'accepted' }]);
    expect(await operations()).not.toMatchObject([{ reason: 'pending' }]);
    const before = looked();
    await pass(48);
    expect(looked()).toBe(before);
    expect(await ledger()).toEqual(['Authorize accepted', 'Settle accepted']);
    // A funding identifies the settle by the lender's reference from the creation response.
    const { entries } = ledgerSchema.parse((await companion.office('/ledger')).body);
    expect(entries.at(-1)?.lenderReferenceId).toBe('lender-settle-charge-1');
    expect(companion.webhooks().at(-1)).toMatchObject({ chargeState: 'Settled' });
    // The settle counts once: all of it can be refunded, and no more can be settled.
    const { left } = (await companion.office('/charges/charge-1')).body;
    expect(left).toMatchObject({ toSettle: { value: 0 }, toRefund: { value: 27_499 } });
  });

  test('holds its amount for 35 days and then fails', async () => {
    const { companion, pass, ledger, operations, settle } = await withCharge('Pending');
    await pass(24);
    expect((await settle('key-1')).body.code).toBe('charge-not-permitted');
    companion.clock.advance(36 * 24 * HOUR);
    while ((await companion.background.runOnce()) > 0);
    expect(await operations()).toMatchObject([
      { kind: 'settle', state: 'rejected', reason: 'transaction-failed' },
    ]);
    expect(await ledger()).not.toContain('Settle accepted');
    expect(companion.counters.read('charge-operation-failed-since')).toBe(1);
    expect((await settle('key-2')).body).toMatchObject({
      state: 'accepted',
      amount: { value: 27_499 },
    });
  });

  test('is listed for manual review after a day, is resolved as not done, and can be requested again', async () => {
    const { companion, pass, ledger, operations, settle } = await withCharge('Pending');
    const unclear = async () =>
      (await companion.office('/charge-operations?state=unclear')).body.operations as {
        id: string;
      }[];
    const resolve = (outcome: string) =>
      companion.officePost(`/charge-operations/${operationId}/resolution`, {
        outcome,
        note: 'portal: the settle failed',
      });
    const [{ id: operationId } = { id: '' }] = (await operations()) as { id: string }[];
    expect((await resolve('not-done')).body).toMatchObject({
      code: 'operation-not-permitted',
      retrySafe: true,
    });
    await pass(23);
    expect(await unclear()).toEqual([]);
    await pass(2);
    expect(await unclear()).toMatchObject([{ id: operationId, state: 'accepted' }]);
    expect((await resolve('done')).body.code).toBe('operation-not-permitted');
    const resolved = { state: 'rejected', reason: 'not-done', resolution: { by: 'back-office' } };
    expect((await resolve('not-done')).body).toMatchObject(resolved);
    expect((await resolve('not-done')).body).toMatchObject(resolved);
    expect(await unclear()).toEqual([]);
    expect((await settle('key-1')).body.state).toBe('accepted');
    await pass(48);
    expect((await ledger()).filter((entry) => entry === 'Settle accepted')).toHaveLength(1);
    expect(companion.counters.read('charge-operation-contradicted')).toBe(0);
  });

  test('completes when the charge shows it despite a manual resolution as not done', async () => {
    const { companion, atService, pass, ledger, operations } = await withCharge('Pending');
    await pass(25);
    atService.settled = 27_499;
    const [{ id }] = (await operations()) as [{ id: string }];
    const said = { outcome: 'not-done', note: 'portal: the settle failed' };
    const { body } = await companion.officePost(`/charge-operations/${id}/resolution`, said);
    expect(body.code).toBe('operation-not-permitted');
    expect(await operations()).toMatchObject([{ state: 'accepted' }]);
    expect(await ledger()).toEqual(['Authorize accepted', 'Settle accepted']);
  });

  test.each(['Completed', 'AStateOfTomorrow'])('is not tracked when it is %s', async (state) => {
    const { pass, operations } = await withCharge(state);
    await pass(3);
    expect(await operations()).toEqual([]);
  });

  test('is not in the ledger when it failed, and can be requested again', async () => {
    for (const failed of [
      await withCharge('Failed'),
      await withCharge('Pending', { status: 202 }),
    ]) {
      const { ledger, operations, settle } = failed;
      expect([await operations(), await ledger()]).toEqual([[], ['Authorize accepted']]);
      expect((await settle('key-1')).body.state).toBe('accepted');
    }
  });

  test('is not tracked when the companion did not request it', async () => {
    const { operations } = await withCharge('Pending', { asked: false });
    expect(await operations()).toEqual([]);
  });
});
