import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  chargeOperationSchema,
  ledgerSchema,
  unclearOperationsSchema,
} from '@financing-checkout/contract/back-office';
import { createCompanion } from '../companion.fixture.ts';
import { LOOKUP, REFUNDS, START } from '../scripted-service.fixture.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createMetrics } from '../node/metrics.ts';
import { timelineOf } from '../node/cli/timeline.ts';
import { ChargeAtService, notFound, transactionOf, knowOrders } from './charge.fixture.ts';

afterEach(() => void vi.useRealTimers());

/** Sets up a lost refund of 5.00 that did not happen, and a manual refund of 7.00 after it. */
async function withUnclear({ byHand = 700, wait = 210_000 } = {}) {
  const companion = await createCompanion();
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service, { settled: 27_499 });
  const refund = (key: string, amount = 500) =>
    companion.officePost('/charges/charge-1/refunds', { amount }, { 'idempotency-key': key });
  atService.faults = ['lost-before'];
  await refund('key-1');
  atService.refunded = byHand;
  companion.clock.advance(5_000);
  await companion.background.runOnce();
  companion.clock.advance(wait - 5_000);
  const row = await companion.store.findChargeOperation('key-1');
  const id = row?.id ?? '';
  const said = { outcome: 'not-done', by: 'Ines Quill', note: 'portal: 7.00 by Bo' };
  const resolve = (outcome: 'done' | 'not-done', change: object = {}) =>
    companion.officePost(`/charge-operations/${id}/resolution`, { ...said, outcome, ...change });
  const listed = async () =>
    unclearOperationsSchema.parse((await companion.office('/charge-operations?state=unclear')).body)
      .operations;
  const states = async () =>
    ledgerSchema
      .parse((await companion.office('/ledger')).body)
      .entries.map(({ state, amount }) => [state, amount?.value]);
  const isBusy = async () => (await companion.store.chargeTurn('sandbox', 'charge-1')).busy;
  return { companion, atService, refund, id, resolve, listed, states, isBusy };
}

/** Lets the service complete the refund after all. */
function makeOurs(atService: ChargeAtService, merchantTransactionId: string) {
  atService.transactions = [transactionOf({ type: 'Refund', merchantTransactionId })];
}

test('lists an unresolved operation with its reason once it is too old to be retried', async () => {
  const { companion, id, listed, resolve, states } = await withUnclear({ wait: 179_999 });
  expect(await listed()).toEqual([]);
  const early = await resolve('not-done');
  expect([early.status, early.body.code]).toEqual([409, 'operation-not-permitted']);
  expect(early.body.detail).toContain(new Date(START + 180_000).toISOString());
  companion.clock.advance(1);
  expect(await listed()).toMatchObject([
    {
      id,
      chargeId: 'charge-1',
      merchantOrderId: 'order-1001',
      kind: 'refund',
      amount: { value: 500, currency: 'USD' },
      state: 'unknown',
      reason: 'charge-moved',
    },
  ]);
  expect(await states()).toEqual([['unknown', 500]]);
});

test('lists unresolved operations in pages of two hundred', async () => {
  const { companion } = await withUnclear();
  const row = await companion.store.findChargeOperation('key-1');
  if (row === undefined) throw new Error('There is none.');
  const many = await createCompanion({
    store: {
      ...companion.store,
      unclearOperations: ({ limit, after }) =>
        Promise.resolve(
          Array.from({ length: after === undefined ? limit : 1 }, (_, at) => ({
            ...row,
            id: `opr_${at}`,
          })),
        ),
    },
  });
  const list = async (after: string) => {
    const { body } = await many.office(`/charge-operations?state=unclear${after}`);
    const { operations, next } = unclearOperationsSchema.parse(body);
    return [operations.length, next];
  };
  expect(await list('')).toEqual([200, 'opr_199']);
  expect(await list('&after=opr_199')).toEqual([1, undefined]);
});

test('"not done" cancels the ledger entry and releases the charge, and repeating the key sends nothing', async () => {
  const { companion, refund, resolve, listed, states, isBusy, atService } = await withUnclear();
  expect((await refund('key-2')).body.code).toBe('charge-busy');
  const answer = await resolve('not-done');
  expect(answer.status).toBe(200);
  expect(chargeOperationSchema.parse(answer.body)).toMatchObject({
    state: 'rejected',
    reason: 'not-done',
    resolution: { by: 'back-office, for Ines Quill', note: 'portal: 7.00 by Bo' },
  });
  expect(await states()).toEqual([
    ['unknown', 500],
    ['absent', 500],
  ]);
  expect([await isBusy(), await listed()]).toEqual([false, []]);
  const again = await refund('key-1');
  expect([again.status, again.body.code]).toEqual([409, 'operation-not-permitted']);
  expect(companion.service.callsTo(REFUNDS)).toHaveLength(1);
  expect((await refund('key-3')).status).toBe(201);
  expect(atService.refunded).toBe(1_200);
});

test('"done" records the requested amount once, and repeating the key returns the result', async () => {
  const { refund, resolve, states, isBusy } = await withUnclear();
  const answer = await resolve('done');
  expect(chargeOperationSchema.parse(answer.body)).toMatchObject({ state: 'accepted' });
  expect(await states()).toEqual([
    ['unknown', 500],
    ['accepted', 500],
  ]);
  expect(await isBusy()).toBe(false);
  expect((await refund('key-1')).body).toEqual(answer.body);
  // The service refunded 7.00, of which 5.00 came from this operation.
  const rest = await refund('key-2', 26_800);
  expect(rest.body.errors).toEqual([{ path: 'amount', message: 'must be at most 26799' }]);
});

test('repeating a resolution changes nothing, and the opposite is refused', async () => {
  for (const [first, opposite] of [
    ['done', 'not-done'],
    ['not-done', 'done'],
  ] as const) {
    const { companion, resolve, states } = await withUnclear();
    const answer = await resolve(first);
    const before = await states();
    companion.clock.advance(1_000);
    const again = await resolve(first, { by: 'Bo', note: 'I say so too' });
    expect([again.status, again.body]).toEqual([200, answer.body]);
    const other = await resolve(opposite);
    expect([other.status, other.body.code]).toEqual([409, 'operation-not-permitted']);
    expect(await states()).toEqual(before);
  }
});

test.each([499, -1])(
  'refuses "done" when less than the requested amount moved (%i)',
  async (byHand) => {
    const { resolve, isBusy } = await withUnclear({ byHand });
    const answer = await resolve('done');
    expect([answer.status, answer.body.code]).toEqual([409, 'operation-not-permitted']);
    expect(answer.body.detail).toContain(`has moved by ${byHand}`);
    expect(await isBusy()).toBe(true);
    expect((await resolve('not-done')).status).toBe(200);
  },
);

describe('the state at the service takes precedence', () => {
  test('refuses "not done" when the service has the transaction', async () => {
    const { companion, atService, resolve, states } = await withUnclear();
    const row = await companion.store.findChargeOperation('key-1');
    makeOurs(atService, row?.merchantTransactionId ?? '');
    const answer = await resolve('not-done');
    expect([answer.status, answer.body.detail]).toEqual([
      409,
      'Its outcome is known: it is accepted.',
    ]);
    expect((await states()).at(-1)).toEqual(['accepted', 500]);
  });

  test('refuses "done" when the service shows no movement', async () => {
    const { companion, atService, resolve } = await withUnclear();
    atService.refunded = 0;
    expect((await resolve('done')).body.detail).toContain('it is not-sent');
    expect((await companion.store.findChargeOperation('key-1'))?.resolution).toBeUndefined();
  });

  test('accepts either resolution when the service is unreachable', async () => {
    const { companion, resolve, states } = await withUnclear();
    companion.service.on(LOOKUP, { status: 403, text: '' });
    expect((await resolve('done')).status).toBe(200);
    expect((await states()).at(-1)).toEqual(['accepted', 500]);
  });
});

describe('a concurrent lookup', () => {
  test.each(['person', 'lookup'] as const)(
    'and a resolution end the operation once, with the %s first',
    async (winner) => {
      const { companion, atService, resolve, states, isBusy } = await withUnclear();
      const row = await companion.store.findChargeOperation('key-1');
      const gate = Promise.withResolvers<undefined>();
      const asked = Promise.withResolvers<undefined>();
      const ours = () => {
        makeOurs(atService, row?.merchantTransactionId ?? '');
        return { status: 200, body: atService.transactions[0] };
      };
      companion.service.on(
        LOOKUP,
        async () => {
          asked.resolve(undefined);
          await gate.promise;
          return winner === 'person' ? ours() : notFound;
        },
        winner === 'person' ? notFound : ours,
      );
      const slow = winner === 'person' ? companion.background.runOnce() : resolve('not-done');
      await asked.promise;
      const fast =
        winner === 'person' ? await resolve('not-done') : await companion.background.runOnce();
      gate.resolve(undefined);
      const answer = winner === 'person' ? fast : await slow;
      await slow;
      expect(answer).toMatchObject({ status: winner === 'person' ? 200 : 409 });
      // The ledger contains the service's transaction in either order.
      const entries = winner === 'person' ? ['absent', 'accepted'] : ['accepted'];
      expect((await states()).map(([state]) => state)).toEqual(['unknown', ...entries]);
      expect(await isBusy()).toBe(false);
    },
  );

  test('of two conflicting concurrent resolutions one is applied and the other is refused', async () => {
    const { resolve, states } = await withUnclear();
    const answers = await Promise.all([resolve('done'), resolve('not-done'), resolve('done')]);
    const statuses = answers.map(({ status }) => status);
    expect([
      [200, 409, 200],
      [409, 200, 409],
    ]).toContainEqual(statuses);
    expect(await states()).toHaveLength(2);
  });
});

test('the log and `explain` show the resolution but neither the person nor the reason', async () => {
  const { companion, id, resolve } = await withUnclear();
  await resolve('not-done');
  const lines = companion.log.filter(({ event }) => event === 'charge-operation-resolved');
  expect(lines).toMatchObject([{ security: true, operationId: id, outcome: 'not-done' }]);
  const timeline = JSON.stringify(timelineOf(await companion.store.trace(id)));
  expect(timeline).toContain('resolved by a person as not done');
  for (const text of [JSON.stringify(companion.log), timeline]) {
    expect(text).not.toMatch(/Ines|portal/);
  }
});

test.each([
  [{ outcome: 'perhaps' }, 'outcome'],
  [{ by: ' ' }, 'by'],
  [{ note: '' }, 'note'],
  [{ amount: 700 }, ''],
])('rejects %j with one error per field and changes nothing', async (change, path) => {
  const { companion, resolve, isBusy } = await withUnclear();
  const calls = companion.service.calls.length;
  const answer = await resolve('done', change);
  expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path }]]);
  expect([companion.service.calls.length, await isBusy()]).toEqual([calls, true]);
});

test('refuses an operation of another environment, an unknown one and a resolved one', async () => {
  const { companion, id, refund, resolve } = await withUnclear();
  const other = await createCompanion({ store: companion.store, environment: 'uat' });
  knowOrders(other);
  const said = { outcome: 'done', by: 'Ines', note: 'seen' };
  for (const answer of [
    await other.officePost(`/charge-operations/${id}/resolution`, said),
    await companion.officePost('/charge-operations/opr_none/resolution', said),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'not-found']);
  }
  expect((await other.office('/charge-operations?state=unclear')).body.operations).toEqual([]);
  await resolve('not-done');
  const known = String((await refund('key-2')).body.id);
  const answer = await companion.officePost(`/charge-operations/${known}/resolution`, said);
  expect([answer.status, answer.body.code]).toEqual([409, 'operation-not-permitted']);
});

test('the metric counts operations that await manual resolution', async () => {
  const { companion, resolve } = await withUnclear();
  vi.setSystemTime(companion.clock.now());
  const { render } = createMetrics({
    keys: new KeyRing([new PrivateKey('sk-0123456789abcdef')], {}),
    counters: companion.counters,
    store: companion.store,
    version: '0.0.0',
    environment: 'sandbox',
  });
  expect((await render()).text).toContain('financing_charge_operations_unclear 1');
  await resolve('not-done');
  expect((await render()).text).toContain('financing_charge_operations_unclear 0');
});

test('detects that another party moved the charge while the companion was down', async () => {
  const { companion, refund, resolve } = await withUnclear();
  await resolve('not-done');
  companion.service.on(REFUNDS, () => new Promise(() => undefined));
  void refund('key-2', 300);
  await expect.poll(() => companion.service.callsTo(REFUNDS).length).toBe(2);
  const other = await createCompanion({ store: companion.store });
  knowOrders(other);
  const there = new ChargeAtService(other.service, { settled: 27_499 });
  there.refunded = 701;
  other.clock.advance(390_000);
  await other.background.runOnce();
  const { body } = await other.office('/charge-operations?state=unclear');
  expect(body.operations).toMatchObject([
    { amount: { value: 300 }, state: 'unknown', reason: 'charge-moved' },
  ]);
});
