import { describe, expect, test } from 'vitest';
import { ledgerSchema } from '@financing-checkout/contract/back-office';
import { createCompanion } from '../companion.fixture.ts';
import { charged, LOOKUP, REFUNDS, type Scripted } from '../scripted-service.fixture.ts';
import { timelineOf } from '../node/cli/timeline.ts';
import {
  ChargeAtService,
  madeAnswer,
  notFound,
  transactionOf,
  knowOrders,
} from './charge.fixture.ts';

/** Sets up a refund of 5.00 whose request is lost before the service acts. */
async function withUnknown() {
  const companion = await createCompanion();
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service, { settled: 27_499 });
  const refund = (key: string, amount = 500) =>
    companion.officePost('/charges/charge-1/refunds', { amount }, { 'idempotency-key': key });
  atService.faults = ['lost-before'];
  await refund('key-1');
  const row = await companion.store.findChargeOperation('key-1');
  const id = row?.id ?? '';
  const resolve = (outcome: 'done' | 'not-done') =>
    companion.officePost(`/charge-operations/${id}/resolution`, {
      outcome,
      by: 'Ines Quill',
      note: 'portal',
    });
  const found = async () => companion.store.findChargeOperation('key-1');
  const states = async () =>
    ledgerSchema
      .parse((await companion.office('/ledger')).body)
      .entries.map(({ state, amount }) => [state, amount?.value]);
  return { companion, atService, refund, resolve, found, states };
}

test.each(['done', 'not-done'] as const)(
  'a resolution (%s) of an earlier request does not end an operation that was sent again',
  async (outcome) => {
    const { companion, refund, resolve, found, states } = await withUnknown();
    companion.clock.advance(210_000);
    const slow = Promise.withResolvers<undefined>();
    const asked = Promise.withResolvers<undefined>();
    companion.service.on(
      LOOKUP,
      async () => {
        asked.resolve(undefined);
        await slow.promise;
        return outcome === 'done' ? { status: 403, text: '' } : notFound;
      },
      notFound,
    );
    const late = resolve(outcome);
    await asked.promise;
    expect((await resolve('not-done')).body.detail).toContain('it is not-sent');
    const sent = Promise.withResolvers<undefined>();
    const made = madeAnswer(transactionOf({ type: 'Refund' }));
    companion.service.on(REFUNDS, async () => {
      await sent.promise;
      return { status: 201, body: made };
    });
    companion.clock.advance(1);
    const again = refund('key-1');
    await expect.poll(() => companion.service.callsTo(REFUNDS).length).toBe(2);
    slow.resolve(undefined);
    expect([(await late).status, (await found())?.state]).toEqual([409, 'recorded']);
    expect((await refund('key-2')).body.code).toBe('charge-busy');
    sent.resolve(undefined);
    expect((await again).status).toBe(201);
    expect((await states()).at(-1)).toEqual(['accepted', 500]);
  },
);

test.each(['done', 'not-done'] as const)(
  'notifies the shop of a manual transaction once the operation is manually resolved as %s',
  async (outcome) => {
    const { companion, atService, resolve } = await withUnknown();
    companion.service.on('POST /v2/post-sale/charges', charged);
    await companion.confirm(await companion.open());
    atService.refunded = 700;
    companion.clock.advance(210_000);
    while ((await companion.background.runOnce()) > 0);
    expect(companion.webhooks().at(-1)?.chargeState).toBe('Settled');
    expect((await resolve(outcome)).status).toBe(200);
    while ((await companion.background.runOnce()) > 0);
    expect(companion.webhooks().at(-1)?.chargeState).toBe('SettledPartiallyRefunded');
  },
);

test.each([
  ['failed', 'Failed', 1],
  ['was done', 'Completed', 0],
  ['does not show yet', undefined, 0],
])('accepts the resolution "done" during a lookup and %s', async (_, state, alarms) => {
  const { companion, resolve, found } = await withUnknown();
  const id = (await found())?.merchantTransactionId;
  const slow = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<undefined>();
  const ours = transactionOf({ type: 'Refund', merchantTransactionId: id, state: state ?? '' });
  companion.clock.advance(210_000);
  companion.service.on(
    LOOKUP,
    async () => {
      asked.resolve(undefined);
      await slow.promise;
      return state === undefined ? notFound : { status: 200, body: ours };
    },
    { status: 403, text: '' },
  );
  const round = companion.background.runOnce();
  await asked.promise;
  expect((await resolve('done')).status).toBe(200);
  slow.resolve(undefined);
  await round;
  expect(companion.counters.read('charge-operation-contradicted')).toBe(alarms);
  expect((await found())?.state).toBe('accepted');
});

describe('a transaction that appears after it was manually resolved as not done', () => {
  const late = async () => {
    const all = await withUnknown();
    const { companion, atService, refund, resolve, found } = all;
    atService.refunded = 700;
    companion.clock.advance(210_000);
    expect((await resolve('not-done')).status).toBe(200);
    expect((await refund('key-2', 100)).status).toBe(201);
    const make = async () => {
      const merchantTransactionId = (await found())?.merchantTransactionId ?? '';
      const made = transactionOf({ id: 'transaction-9', type: 'Refund', merchantTransactionId });
      atService.transactions.push(made);
    };
    const looked = () => companion.service.callsTo(LOOKUP).length;
    return { ...all, make, looked };
  };

  test('is recorded in the ledger, the log, the metric and the operation', async () => {
    const { companion, refund, resolve, found, states, make } = await late();
    await make();
    companion.clock.advance(180_000);
    await companion.background.runOnce();
    expect((await states()).at(-1)).toEqual(['accepted', 500]);
    expect(companion.counters.read('charge-operation-contradicted')).toBe(1);
    const lines = companion.log.filter(({ event }) => event === 'charge-operation-contradicted');
    expect(lines).toMatchObject([{ level: 'error', security: true, outcome: 'done' }]);
    const row = await found();
    expect(row).toMatchObject({
      state: 'accepted',
      reason: 'found-since',
      transactionId: 'transaction-9',
      resolution: { by: 'back-office, for Ines Quill' },
    });
    expect(row?.attentionAt).toBeUndefined();
    const timeline = timelineOf(await companion.store.trace(row?.id ?? ''));
    expect(JSON.stringify(timeline)).toContain('but the service has it since');
    expect((await refund('key-1')).status).toBe(201);
    expect((await resolve('done')).status).toBe(200);
    expect((await resolve('not-done')).body.detail).toContain('the service has shown it since');
  });

  test('raises the alarm even when the companion dies after recording it', async () => {
    const { companion, found, make } = await late();
    await make();
    const { store, service, clock } = companion;
    const dying = await createCompanion({
      clock,
      service: companion.options.service,
      store: {
        ...store,
        async endChargeOperation(end) {
          await store.endChargeOperation(end);
          throw new Error('killed');
        },
      },
    });
    knowOrders(dying);
    clock.advance(180_000);
    await expect(dying.background.runOnce()).rejects.toThrow('killed');
    expect((await found())?.reason).toBe('found-since');
    clock.advance(8 * 86_400_000);
    await companion.background.runOnce();
    expect(service.callsTo(REFUNDS)).toHaveLength(2);
    const alarms = [dying, companion].map(({ counters }) =>
      counters.read('charge-operation-contradicted'),
    );
    expect(alarms).toEqual([1, 0]);
  });

  test('is looked up at growing intervals for a week', async () => {
    const { companion, found, looked } = await late();
    const before = looked();
    for (let hour = 0; hour < 24 * 20; hour++) {
      companion.clock.advance(3_600_000);
      await companion.background.runOnce();
    }
    expect(looked() - before).toBeGreaterThan(5);
    expect(looked() - before).toBeLessThan(15);
    expect(await found()).toMatchObject({ state: 'rejected', attentionAt: undefined });
    expect(companion.counters.read('charge-operation-contradicted')).toBe(0);
  });

  test.each([true, false])(
    "is found during a lookup (with the companion's id: %s)",
    async (named) => {
      const { companion, atService, resolve, found } = await withUnknown();
      const id = (await found())?.merchantTransactionId;
      const slow = Promise.withResolvers<undefined>();
      const asked = Promise.withResolvers<undefined>();
      const ours = transactionOf({ type: 'Refund', merchantTransactionId: id });
      companion.clock.advance(210_000);
      companion.service.on(
        LOOKUP,
        async () => {
          asked.resolve(undefined);
          await slow.promise;
          return named ? { status: 200, body: ours } : notFound;
        },
        { status: 403, text: '' },
      );
      const round = companion.background.runOnce();
      await asked.promise;
      expect((await resolve('not-done')).status).toBe(200);
      if (!named) atService.refunded = 500;
      slow.resolve(undefined);
      await round;
      expect(companion.counters.read('charge-operation-contradicted')).toBe(1);
      // A movement of this amount proves nothing once another party may have caused it.
      expect((await found())?.state).toBe(named ? 'accepted' : 'rejected');
    },
  );
});

test('notifies the shop of a refund that was made during the lookup of an earlier one', async () => {
  const companion = await createCompanion();
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service, { settled: 27_499 });
  companion.service.on('POST /v2/post-sale/charges', charged);
  await companion.confirm(await companion.open());
  const refund = (key: string, amount: number) =>
    companion.officePost('/charges/charge-1/refunds', { amount }, { 'idempotency-key': key });
  expect((await refund('key-1', 500)).status).toBe(201);
  const now: Scripted = () => ({ status: 200, body: atService.wire() });
  companion.service.on(
    'GET /v2/post-sale/charges/charge-1',
    async () => {
      const seen = { status: 200, body: atService.wire() };
      expect((await refund('key-2', 26_999)).status).toBe(201);
      return seen;
    },
    now,
  );
  while ((await companion.background.runOnce()) > 0);
  expect(atService.state).toBe('Refunded');
  expect(companion.webhooks().at(-1)?.chargeState).toBe('Refunded');
});
