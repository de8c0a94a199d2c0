import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { chargeRecordSchema } from '@financing-checkout/contract/back-office';
import { createCompanion } from '../companion.fixture.ts';
import {
  ChargeAtService,
  type Fault,
  setUpCharge,
  transactionOf,
  untilKnown,
  knowOrders,
} from './charge.fixture.ts';
import { REFUNDS, SETTLES } from '../scripted-service.fixture.ts';

describe('an operation whose outcome is unknown', () => {
  test.each(['settles', 'refunds', 'voids'])(
    'of %s that took place is resolved by a lookup and not sent again',
    async (operation) => {
      const settled = operation === 'refunds' ? 500 : 0;
      const { companion, atService, operate, ledger } = await setUpCharge({ settled });
      atService.faults = ['lost-after'];
      const body = operation === 'voids' ? {} : { amount: 500 };
      const lost = await operate(operation, body, 'key-1');
      expect([lost.status, lost.body.code, lost.body.retrySafe]).toEqual([
        504,
        'outcome-unknown',
        false,
      ]);
      expect((await operate(operation, body, 'key-2')).body.code).toBe('charge-busy');
      await untilKnown(companion);
      const known = await operate(operation, body, 'key-1');
      expect([known.status, known.body.state]).toEqual([201, 'accepted']);
      expect(
        companion.service.callsTo(`POST /v2/post-sale/charges/charge-1/${operation}`),
      ).toHaveLength(1);
      expect((await ledger()).map(({ state }) => state)).toEqual(['unknown', 'accepted']);
    },
  );

  test.each(['settles', 'refunds', 'voids'])(
    'of %s that did not take place lets the same key resend the request after the grace period',
    async (operation) => {
      const settled = operation === 'refunds' ? 500 : 0;
      const { companion, atService, operate, ledger } = await setUpCharge({ settled });
      atService.faults = ['lost-before'];
      const body = operation === 'voids' ? {} : { amount: 500 };
      await operate(operation, body, 'key-1');
      companion.clock.advance(60_000);
      await companion.background.runOnce();
      expect((await operate(operation, body, 'key-1')).body.code).toBe('outcome-unknown');
      await untilKnown(companion);
      expect((await ledger()).map(({ state }) => state)).toEqual(['unknown', 'absent']);
      expect((await operate(operation, body, 'key-1')).status).toBe(201);
      expect(atService.transactions).toHaveLength(1);
      expect((await ledger()).at(-1)?.state).toBe('accepted');
    },
  );

  test.each([
    { body: { requestId: 'svc-3', errors: [{ code: '2006', description: 'not permitted' }] } },
    { body: { Errors: [{ Field: 'amount', Error: 'no' }] } },
    { text: '<html><body>We are back soon.</body></html>' },
    ...[{ text: '' }, { text: 'OK' }, { body: null }, { body: { errors: [] } }],
    { body: { id: 't\u0000', type: 'REFUND', transactionState: 'Completed' } },
  ])(
    'of a refund whose 200 response contains no transaction (%#) is resolved by a lookup',
    async (said) => {
      const { companion, operate, ledger } = await setUpCharge({ settled: 500 });
      companion.service.on(REFUNDS, { status: 200, ...said });
      const { body } = await operate('refunds', { amount: 500 }, 'key-1');
      expect([body.code, body.retrySafe]).toEqual(['outcome-unknown', false]);
      await untilKnown(companion);
      expect((await ledger()).map(({ state }) => state)).toEqual(['unknown', 'absent']);
    },
  );

  test('triggers webhook delivery immediately when it is resolved', async () => {
    let woken = 0;
    const companion = await createCompanion({ onChange: () => void (woken += 1) });
    knowOrders(companion);
    const atService = new ChargeAtService(companion.service, { settled: 27_499 });
    atService.faults = ['lost-after'];
    const headers = { 'idempotency-key': 'key-1' };
    await companion.officePost('/charges/charge-1/refunds', { amount: 500 }, headers);
    woken = 0;
    companion.clock.advance(30_000);
    await companion.background.runOnce();
    expect((await companion.store.findChargeOperation('key-1'))?.state).toBe('accepted');
    expect(woken).toBe(1);
  });

  test('stays unknown while the service refuses lookups', async () => {
    const { companion, atService, operate } = await setUpCharge();
    atService.faults = ['lost-before'];
    await operate('settles', {}, 'key-1');
    companion.service.on('GET /v2/post-sale/transactions/lookup', { status: 403, text: '' });
    companion.clock.advance(86_400_000);
    await companion.background.runOnce();
    const { body } = await companion.office('/charges/charge-1');
    expect(chargeRecordSchema.parse(body).operations).toMatchObject([{ state: 'unknown' }]);
  });

  test('stays unknown while its charge is unreadable', async () => {
    const { companion, atService, operate, ledger } = await setUpCharge();
    atService.faults = ['lost-before'];
    await operate('settles', {}, 'key-1');
    const body = { ...atService.wire(), settledAmount: '0.0000001' };
    companion.service.on('GET /v2/post-sale/charges/charge-1', { status: 200, body });
    await untilKnown(companion);
    expect((await operate('settles', {}, 'key-1')).body.code).toBe('outcome-unknown');
    expect((await ledger()).map(({ state }) => state)).toEqual(['unknown']);
  });

  test('stays unknown when its transaction id belongs to another charge', async () => {
    const { companion, atService, operate } = await setUpCharge();
    atService.faults = ['lost-before'];
    await operate('settles', {}, 'key-1');
    const body = transactionOf({ type: 'Settle', chargeId: 'charge-2' });
    companion.service.on('GET /v2/post-sale/transactions/lookup', { status: 200, body });
    await untilKnown(companion);
    expect((await operate('settles', {}, 'key-1')).body.code).toBe('outcome-unknown');
  });

  test('stays unknown when another party moved the charge', async () => {
    const { companion, atService, operate } = await setUpCharge();
    atService.faults = ['lost-before'];
    await operate('settles', { amount: 500 }, 'key-1');
    atService.settled = 42;
    await untilKnown(companion);
    expect((await operate('settles', { amount: 500 }, 'key-1')).body.code).toBe('outcome-unknown');
    expect(companion.log.map(({ event }) => event)).toContain('charge-operation-unclear');
  });

  test('of a killed companion is resolved by another companion after the lease', async () => {
    const { companion, atService, operate } = await setUpCharge();
    companion.service.on(SETTLES, () => new Promise(() => undefined));
    void operate('settles', { amount: 500 }, 'key-1');
    await expect.poll(() => companion.service.callsTo(SETTLES).length).toBe(1);
    const other = await createCompanion({ store: companion.store });
    knowOrders(other);
    const there = new ChargeAtService(other.service);
    const sent = companion.service.callsTo(SETTLES)[0]?.body as { merchantTransactionId: string };
    there.settled = 500;
    there.transactions = [
      transactionOf({ type: 'Settle', merchantTransactionId: sent.merchantTransactionId }),
    ];
    const answer = await other.officePost(
      '/charges/charge-1/settles',
      { amount: 500 },
      {
        'idempotency-key': 'key-1',
      },
    );
    expect(answer.body.code).toBe('idempotency-in-flight');
    await untilKnown(other);
    expect((await other.store.findChargeOperation('key-1'))?.state).toBe('accepted');
    expect(other.service.callsTo(SETTLES)).toHaveLength(0);
    expect(atService.settled).toBe(0);
  });
});

test('after any failures the ledger matches the service and never exceeds the requests', async () => {
  const step = fc.record({
    operation: fc.constantFrom('settles', 'refunds'),
    amount: fc.integer({ min: 1, max: 15_000 }),
    fault: fc.constantFrom<Fault>(
      undefined,
      undefined,
      'unauthorized',
      'lost-before',
      'lost-after',
      'denied-after',
    ),
    again: fc.boolean(),
    wait: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { companion, atService, operate, ledger } = await setUpCharge();
      const asked = { settles: 0, refunds: 0 };
      for (const [index, { operation, amount, fault, again, wait }] of steps.entries()) {
        atService.faults = [fault];
        const send = () => operate(operation, { amount }, `key-${index}`);
        await send();
        if (wait) await untilKnown(companion);
        if (again) await send();
        asked[operation] += amount;
      }
      await untilKnown(companion);
      const last = new Map((await ledger()).map((entry) => [entry.merchantTransactionId, entry]));
      const sum = (type: string) =>
        [...last.values()]
          .filter((entry) => entry.type === type && entry.state === 'accepted')
          .reduce((total, entry) => total + (entry.amount?.value ?? 0), 0);
      expect([...last.values()].map(({ state }) => state)).not.toContain('unknown');
      expect(sum('Settle')).toBe(atService.settled);
      expect(sum('Refund')).toBe(atService.refunded);
      expect(atService.settled).toBeLessThanOrEqual(Math.min(asked.settles, atService.total));
      expect(atService.refunded).toBeLessThanOrEqual(Math.min(asked.refunds, atService.settled));
      const ids = atService.transactions.map((made) => made.merchantTransactionId);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: 15 },
  );
});
