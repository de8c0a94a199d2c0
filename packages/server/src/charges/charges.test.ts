import { describe, expect, test } from 'vitest';
import {
  chargeOperationSchema,
  chargeRecordSchema,
} from '@financing-checkout/contract/back-office';
import { problemSchema } from '@financing-checkout/contract/storefront';
import { charged, networkError, REFUNDS, SETTLES, VOIDS } from '../scripted-service.fixture.ts';
import {
  ChargeAtService,
  chargeNotFound,
  madeAnswer,
  notFound,
  setUpCharge,
  transactionOf,
  untilKnown,
} from './charge.fixture.ts';

const CREATE = 'POST /v2/post-sale/charges';

describe('settle, refund and void', () => {
  test('moves exact partial amounts, each with its own transaction id and ledger entry', async () => {
    const { companion, atService, operate, ledger } = await setUpCharge();
    const first = await operate('settles', { amount: 10_001 }, 'key-1');
    expect(first.status).toBe(201);
    expect(chargeOperationSchema.parse(first.body)).toMatchObject({
      kind: 'settle',
      state: 'accepted',
      amount: { value: 10_001, currency: 'USD' },
      transactionId: 'transaction-1',
      lenderReferenceId: 'lender-ref-transaction-1',
    });
    expect((await operate('settles', {}, 'key-2')).body.amount).toEqual({
      value: 17_498,
      currency: 'USD',
    });
    expect((await operate('refunds', { amount: 1 }, 'key-3')).status).toBe(201);
    expect([atService.settled, atService.refunded]).toEqual([27_499, 1]);
    expect(companion.service.callsTo(SETTLES).map(({ body }) => body)).toEqual([
      { amount: 100.01, merchantTransactionId: expect.stringMatching(/^txn_/) as string },
      { amount: 174.98, merchantTransactionId: expect.stringMatching(/^txn_/) as string },
    ]);
    const entries = await ledger();
    expect(entries.map(({ id, type, amount, state }) => [id, type, amount?.value, state])).toEqual([
      [1, 'Settle', 10_001, 'accepted'],
      [2, 'Settle', 17_498, 'accepted'],
      [3, 'Refund', 1, 'accepted'],
    ]);
    expect(entries.map(({ merchantTransactionId }) => merchantTransactionId)).toEqual(
      atService.transactions.map(({ merchantTransactionId }) => merchantTransactionId),
    );
    expect(entries.map(({ lenderReferenceId }) => lenderReferenceId)).toEqual(
      atService.transactions.map(({ id }) => `lender-ref-${id}`),
    );
  });

  test('voids an authorized charge with its own transaction id, and refuses a void once part of it is settled', async () => {
    const { companion, atService, operate, ledger } = await setUpCharge();
    expect((await operate('voids', {}, 'key-1')).status).toBe(201);
    expect(atService.voided).toBe(true);
    expect(companion.service.callsTo(VOIDS).map(({ body }) => body)).toEqual([
      { merchantTransactionId: expect.stringMatching(/^txn_/) as string },
    ]);
    expect(await ledger()).toMatchObject([{ type: 'Void', amount: { value: 27_499 } }]);

    const other = await setUpCharge({ settled: 5 });
    const { status, body } = await other.operate('voids', {}, 'key-1');
    expect([status, body.code]).toEqual([409, 'charge-not-permitted']);
    expect(other.companion.service.callsTo(VOIDS)).toHaveLength(0);
  });

  test('notifies the shop of the charge state', async () => {
    const { companion, operate } = await setUpCharge();
    companion.service.on(CREATE, { ...charged, body: { ...charged.body, state: 'Authorized' } });
    await companion.confirm(await companion.open());
    await operate('settles', {}, 'key-1');
    await operate('refunds', { amount: 100 }, 'key-2');
    while ((await companion.background.runOnce()) > 0);
    expect(companion.webhooks().at(-1)).toMatchObject({
      status: 'approved',
      chargeState: 'SettledPartiallyRefunded',
    });
  });

  test('commits the operation before sending it', async () => {
    const { companion, operate } = await setUpCharge();
    let recorded: unknown;
    companion.service.on(SETTLES, async () => {
      recorded = (await companion.store.findChargeOperation('key-1'))?.state;
      return { status: 201, body: madeAnswer(transactionOf({ type: 'Settle' })) };
    });
    expect((await operate('settles', {}, 'key-1')).status).toBe(201);
    expect(recorded).toBe('recorded');
  });
});

describe('an impossible operation is refused before a request is sent', () => {
  test.each([
    ['settles', { amount: 27_500 }, 27_499],
    ['refunds', { amount: 10_001 }, 10_000],
  ])('%s that exceeds the remaining amount', async (operation, body, left) => {
    const { companion, operate } = await setUpCharge({
      settled: operation === 'settles' ? 0 : 10_000,
    });
    const answer = await operate(operation, body, 'key-1');
    expect(answer.status).toBe(422);
    const problem = problemSchema.parse(answer.body);
    expect(problem).toMatchObject({
      code: 'amount-exceeds-charge',
      errors: [{ path: 'amount', message: `must be at most ${left}` }],
    });
    expect(companion.service.calls.every(({ method }) => method === 'GET')).toBe(true);
    // No operation started, so the key can be reused with the right amount.
    expect((await operate(operation, { amount: left }, 'key-1')).status).toBe(201);
  });

  test.each([
    ['settles', { amount: 0 }, 'amount'],
    ['settles', { amount: 1.5 }, 'amount'],
    ['settles', { amount: '100' }, 'amount'],
    ['refunds', { amount: -1 }, 'amount'],
    ['refunds', {}, 'amount'],
    ['refunds', { amount: 1, unit: 'cents' }, ''],
    ['voids', { amount: 1 }, ''],
  ])('%s with %j: one error per field', async (operation, body, path) => {
    const { companion, operate } = await setUpCharge({ settled: 100 });
    const answer = await operate(operation, body, 'key-1');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid-request']);
    expect(answer.body.errors).toMatchObject([{ path }]);
    expect(companion.service.calls).toHaveLength(0);
  });

  test.each([
    ['x'.repeat(257), 400],
    // An HTTP client would normalize these ids to other paths, such as that of a charge named
    // "voids".
    ['%2e%2e', 404],
    ['.', 405],
  ])('an invalid charge id (%#)', async (id, expected) => {
    const { companion } = await setUpCharge();
    const { status } = await companion.officePost(
      `/charges/${id}/voids`,
      {},
      {
        'idempotency-key': 'key-1',
      },
    );
    expect(status).toBe(expected);
    expect(companion.service.calls).toHaveLength(0);
  });

  test.each(['.', '..'])('an order id that would change the path: "%s"', async (order) => {
    const { companion } = await setUpCharge();
    const { status, body } = await companion.office(`/charges?merchantOrderId=${order}`);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
    expect(companion.service.calls).toHaveLength(0);
  });
});

test.each(['CREATED', 'Created', 'VOIDED', 'Voided', 'CHARGEDBACK', 'CHARGEBACK', 'ChargedBack'])(
  'a charge that is %s, which shows no remaining amount',
  async (state) => {
    const { companion, atService, operate } = await setUpCharge();
    const body = { ...atService.wire(), state };
    for (const [operation, settledAmount, asked] of [
      ['settles', 0, {}],
      ['voids', 0, {}],
      ['refunds', 100, { amount: 1 }],
    ] as const) {
      const charge = { status: 200, body: { ...body, settledAmount } };
      companion.service.on('GET /v2/post-sale/charges/charge-1', charge);
      const answer = await operate(operation, asked, `key-${operation}`);
      expect(answer.body.code).toBe('charge-not-permitted');
      const { left } = chargeRecordSchema.parse((await companion.office('/charges/charge-1')).body);
      expect([left.toSettle.value, left.toRefund.value]).toEqual([0, 0]);
    }
    expect(companion.service.calls.every(({ method }) => method === 'GET')).toBe(true);
  },
);

test.each([
  ['SETTLED', 0, 27_499],
  ['AUTHORIZED', 27_499, 0],
])('a charge without a settled amount, by its state: %s', async (state, toSettle, toRefund) => {
  const { companion, atService } = await setUpCharge();
  const body = { ...atService.wire(), state, settledAmount: null };
  companion.service.on('GET /v2/post-sale/charges/charge-1', { status: 200, body });
  const charge = (await companion.office('/charges/charge-1')).body;
  expect(charge.left).toMatchObject({
    toSettle: { value: toSettle },
    toRefund: { value: toRefund },
  });
});

describe('a refusal by the service has its own problem code', () => {
  test.each([
    [400, [{ code: '2006' }], 409, 'charge-not-permitted'],
    [404, [], 404, 'charge-not-found'],
    [400, [{ code: '2001' }], 404, 'charge-not-found'],
    [400, [{ code: '1002' }], 404, 'charge-not-found'],
    [400, [{ code: 1002 }], 404, 'charge-not-found'],
    [400, [{ code: '1005' }], 502, 'service-rejected'],
  ])('maps a %i with %j', async (status, errors, expected, code) => {
    const { companion, operate } = await setUpCharge();
    companion.service.on(SETTLES, { status, body: { requestId: 'svc-9', errors } });
    const answer = await operate('settles', {}, 'key-1');
    expect([answer.status, answer.body.code]).toEqual([expected, code]);
    expect(answer.body.serviceRequestId).toBe('svc-9');
    // The same key gets the same response without another request.
    expect((await operate('settles', {}, 'key-1')).body.code).toBe(code);
    expect(companion.service.callsTo(SETTLES)).toHaveLength(1);
  });

  test.each([
    ['settles', {}, 'settle'],
    ['refunds', { amount: 500 }, 'refund'],
  ])(
    'looks up %s that the service refuses after executing them, and does not repeat them',
    async (operation, body, kind) => {
      const { atService, operate, ledger } = await setUpCharge({
        settled: kind === 'refund' ? 27_499 : 0,
      });
      atService.faults = ['denied-after'];
      const answer = await operate(operation, body, 'key-1');
      expect([answer.status, answer.body.state]).toEqual([201, 'accepted']);
      expect(answer.body.transactionId).toBe('transaction-1');
      expect((await operate(operation, body, 'key-1')).body.id).toBe(answer.body.id);
      expect(atService.transactions).toHaveLength(1);
      expect(await ledger()).toMatchObject([{ state: 'accepted' }]);
    },
  );

  test.each([
    ['the service does not answer a lookup', 403, 0],
    ['the charge has moved by a different amount', 404, 42],
  ])('leaves a refused operation unknown when %s', async (_, status, moved) => {
    const { companion, atService, operate, ledger } = await setUpCharge();
    companion.service
      .on(SETTLES, () => {
        atService.settled += moved;
        return { status: 400, body: { errors: [{ code: '2006' }] } };
      })
      .on('GET /v2/post-sale/transactions/lookup', { status, body: {} });
    const { body } = await operate('settles', { amount: 500 }, 'key-1');
    expect([body.code, body.retrySafe]).toEqual(['outcome-unknown', false]);
    expect(await ledger()).toMatchObject([{ state: 'unknown' }]);
    expect((await operate('settles', { amount: 500 }, 'key-2')).body.code).toBe('charge-busy');
  });

  test('reports the field name of a 422 but not its value', async () => {
    const { companion, operate } = await setUpCharge();
    const errors = [{ Field: 'amount', ValidationState: 'Invalid', Error: 'was 274.99' }];
    companion.service.on(SETTLES, { status: 422, body: { requestId: 'svc-9', errors } });
    const { body } = await operate('settles', {}, 'key-1');
    expect(body.errors).toMatchObject([{ path: 'amount' }]);
    expect(JSON.stringify(body)).not.toContain('274.99');
  });

  test.each([
    ['settles', 'Settle', 0],
    ['refunds', 'Refund', 500],
    ['voids', 'Void', 0],
  ] as const)(
    'immediately rejects an operation that the service reports as failed: %s',
    async (operation, type, settled) => {
      const { companion, operate, ledger } = await setUpCharge({ settled });
      const path = `POST /v2/post-sale/charges/charge-1/${operation}` as const;
      const failed = transactionOf({ id: 't-1', type, state: 'Failed' });
      companion.service.on(path, { status: 201, body: madeAnswer(failed, 'Authorized') });
      const asked = operation === 'refunds' ? { amount: 500 } : {};
      const answer = await operate(operation, asked, 'key-1');
      expect([answer.status, answer.body.code]).toEqual([502, 'service-rejected']);
      expect(await companion.store.findChargeOperation('key-1')).toMatchObject({
        state: 'rejected',
        reason: 'transaction-failed',
        transactionId: 't-1',
        attentionAt: undefined,
      });
      expect(await ledger()).toEqual([]);
      // No money moved, so the charge is free for another operation.
      new ChargeAtService(companion.service, { settled });
      expect((await operate(operation, asked, 'key-2')).status).toBe(201);
    },
  );

  test('sends nothing for an unreadable charge, and its key stays usable', async () => {
    const { companion, operate } = await setUpCharge();
    companion.service.on('GET /v2/post-sale/charges/charge-1', { status: 200, text: '<html>' });
    for (const { status, body } of [
      await companion.office('/charges/charge-1'),
      await operate('settles', { amount: 100 }, 'key-1'),
    ]) {
      expect([status, body]).toMatchObject([
        502,
        { code: 'service-answer-invalid', retrySafe: true },
      ]);
      expect(body.detail).toContain('nothing was sent');
    }
    new ChargeAtService(companion.service);
    expect((await operate('settles', { amount: 100 }, 'key-1')).status).toBe(201);
  });

  test('answers 404 for a charge that does not exist', async () => {
    const { companion, operate } = await setUpCharge();
    const { body } = await companion.office('/charges/charge-2');
    expect(body.code).toBe('charge-not-found');
    for (const answer of [chargeNotFound, notFound]) {
      companion.service.on('GET /v2/post-sale/charges/charge-1', answer);
      expect((await operate('settles', {}, 'key-1')).body.code).toBe('charge-not-found');
    }
  });
});

describe('an accepted amount that the charge does not show yet', () => {
  async function withPendingRefund(before = 0) {
    const all = await setUpCharge({ settled: 27_499 });
    const { companion, atService } = all;
    atService.refunded = before;
    let state = 'Pending';
    companion.service
      .on(REFUNDS, ({ body }) => {
        const { merchantTransactionId = '' } = body as { merchantTransactionId?: string };
        const made = transactionOf({ id: 't-1', type: 'Refund', state, merchantTransactionId });
        atService.transactions.push(made);
        return { status: 201, body: madeAnswer(made, 'Settled') };
      })
      .on('GET /v2/post-sale/transactions/lookup', ({ query }) => {
        for (const made of atService.transactions) made.state = state;
        return atService.lookUp(query.get('merchantTransactionId'));
      });
    expect((await all.operate('refunds', { amount: 20_000 }, 'key-1')).status).toBe(201);
    return { ...all, fail: () => void (state = 'Failed') };
  }

  test('cannot be used twice', async () => {
    const { companion, atService, operate } = await withPendingRefund();
    const second = await operate('refunds', { amount: 20_000 }, 'key-2');
    expect([second.status, second.body.code]).toEqual([422, 'amount-exceeds-charge']);
    expect(companion.service.callsTo(REFUNDS)).toHaveLength(1);
    expect((await operate('refunds', { amount: 7_499 }, 'key-3')).status).toBe(201);
    // Once the charge shows the amount, it is not counted twice.
    atService.refunded = 27_499;
    expect((await operate('refunds', { amount: 1 }, 'key-4')).body.code).toBe(
      'charge-not-permitted',
    );
  });

  test('adds to earlier refunds', async () => {
    const { operate } = await withPendingRefund(5_000);
    const { body } = await operate('refunds', { amount: 2_500 }, 'key-2');
    expect(body.code).toBe('amount-exceeds-charge');
    expect((await operate('refunds', { amount: 2_499 }, 'key-3')).status).toBe(201);
  });

  test('counts even when its lookup finds nothing', async () => {
    const { companion, operate } = await withPendingRefund();
    companion.service.on('GET /v2/post-sale/transactions/lookup', notFound);
    const { body } = await operate('refunds', { amount: 20_000 }, 'key-2');
    expect(body.code).toBe('amount-exceeds-charge');
  });

  test('does not add to a larger refund by another party that the charge shows', async () => {
    const { atService, operate } = await withPendingRefund();
    atService.refunded = 27_000;
    const { body } = await operate('refunds', { amount: 500 }, 'key-2');
    expect(body.code).toBe('amount-exceeds-charge');
  });

  test('is available again once the transaction failed', async () => {
    const { operate, fail } = await withPendingRefund();
    fail();
    const again = await operate('refunds', { amount: 27_499 }, 'key-2');
    expect(again.body.code).not.toBe('amount-exceeds-charge');
  });

  test('is not mistaken for another operation whose response was lost', async () => {
    const { companion, atService, operate, ledger } = await withPendingRefund();
    companion.service.on(REFUNDS, networkError('ECONNRESET'));
    const lost = await operate('refunds', { amount: 5_000 }, 'key-2');
    expect(lost.body.code).toBe('outcome-unknown');
    atService.refunded = 20_000;
    await untilKnown(companion);
    expect((await ledger()).map(({ state }) => state)).toEqual(['accepted', 'unknown', 'absent']);
  });
});

describe('idempotency', () => {
  test('refuses a different amount, operation or charge under the same key', async () => {
    const { companion, operate } = await setUpCharge();
    await operate('settles', { amount: 100 }, 'key-1');
    for (const answer of [
      await operate('settles', { amount: 101 }, 'key-1'),
      await operate('refunds', { amount: 100 }, 'key-1'),
      await companion.officePost(
        '/charges/charge-2/settles',
        { amount: 100 },
        {
          'idempotency-key': 'key-1',
        },
      ),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency-key-reused']);
    }
  });

  test('two concurrent requests, with one key or two, move no more than the remaining amount', async () => {
    for (const keys of [
      ['key-1', 'key-1'],
      ['key-1', 'key-2'],
    ]) {
      const { atService, companion, operate } = await setUpCharge();
      const answers = await Promise.all(
        keys.map((key) => operate('settles', { amount: 20_000 }, key)),
      );
      expect(atService.settled).toBe(20_000);
      expect(companion.service.callsTo(SETTLES)).toHaveLength(1);
      expect(answers.some(({ status }) => status === 201)).toBe(true);
    }
  });

  test.each([
    ['settles', {}, 0],
    ['settles', { amount: 27_499 }, 0],
    ['refunds', { amount: 500 }, 500],
    ['voids', {}, 0],
  ])(
    'responds to a repeated request that completes while its charge is read (%s %j)',
    async (operation, body, settled) => {
      const { companion, atService, operate } = await setUpCharge({ settled });
      const now = () => ({ status: 200, body: atService.wire() });
      let first: Awaited<ReturnType<typeof operate>> | undefined;
      companion.service.on(
        'GET /v2/post-sale/charges/charge-1',
        async () => {
          first = await operate(operation, body, 'key-1');
          return now();
        },
        now,
      );
      const second = await operate(operation, body, 'key-1');
      expect([first?.status, second.status]).toEqual([201, 201]);
      expect(second.body).toEqual(first?.body);
      expect(atService.transactions).toHaveLength(1);
    },
  );

  test('responds to a repeated request that completes while its charge is unreachable', async () => {
    const { companion, atService, operate } = await setUpCharge();
    companion.service.on(
      'GET /v2/post-sale/charges/charge-1',
      async () => {
        expect((await operate('settles', { amount: 100 }, 'key-1')).status).toBe(201);
        return { status: 401, text: '' };
      },
      () => ({ status: 200, body: atService.wire() }),
    );
    expect((await operate('settles', { amount: 100 }, 'key-1')).status).toBe(201);
    expect((await operate('settles', { amount: 101 }, 'key-1')).status).toBe(422);
    expect(atService.settled).toBe(100);
  });

  test('sends an unsent operation later under its key, with the same transaction id', async () => {
    const { companion, atService, operate } = await setUpCharge();
    companion.service.on(REFUNDS, { status: 401, text: '' });
    atService.settled = 100;
    expect((await operate('refunds', { amount: 100 }, 'key-1')).body).toMatchObject({
      code: 'service-key-rejected',
      retrySafe: true,
    });
    const charge = new ChargeAtService(companion.service, { settled: 100 });
    expect((await operate('refunds', { amount: 99 }, 'key-1')).body.code).toBe(
      'idempotency-key-reused',
    );
    expect((await operate('refunds', { amount: 100 }, 'key-1')).status).toBe(201);
    const ids = companion.service
      .callsTo(REFUNDS)
      .map(({ body }) => (body as { merchantTransactionId: string }).merchantTransactionId);
    expect(new Set(ids).size).toBe(1);
    expect(charge.refunded).toBe(100);
  });
});

test('lists the charges of an order with remaining amounts and operations', async () => {
  const { companion, operate } = await setUpCharge();
  await operate('settles', { amount: 20_000 }, 'key-1');
  companion.clock.advance(1);
  await operate('refunds', { amount: 500 }, 'key-2');
  const { body } = await companion.office('/charges?merchantOrderId=order-1001');
  const [charge] = (body as { charges: unknown[] }).charges;
  expect(chargeRecordSchema.parse(charge)).toMatchObject({
    id: 'charge-1',
    settled: { value: 20_000, currency: 'USD' },
    left: { toSettle: { value: 7_499 }, toRefund: { value: 19_500 } },
    operations: [
      { kind: 'settle', state: 'accepted' },
      { kind: 'refund', state: 'accepted' },
    ],
  });
  companion.service.on('GET /v2/post-sale/orders/none', notFound);
  expect((await companion.office('/charges?merchantOrderId=none')).body).toEqual({ charges: [] });
  expect((await companion.office('/charges')).body.code).toBe('invalid-request');
});

test('states the order total of a charge that is lower by its sales tax', async () => {
  const { companion, atService } = await setUpCharge({ total: 25_498 });
  companion.service
    .on(CREATE, { status: 201, body: atService.created() })
    .on('GET /v2/checkout/applications/application-1/status', {
      status: 200,
      body: {
        sessionStatus: 'COMPLETED',
        flowType: 'Checkout',
        applicationStatus: 'Authorized',
        confirmedOffer: {
          code: 'offer-1',
          financialProductType: 'LeaseToOwn',
          amount: 254.98,
          defaultAPR: 0,
        },
      },
    });
  await companion.confirm(await companion.open());
  const { body } = await companion.office('/charges/charge-1');
  expect(chargeRecordSchema.parse(body)).toMatchObject({
    state: 'Authorized',
    authorized: { value: 25_498, currency: 'USD' },
    ordered: { amount: { value: 27_499, currency: 'USD' }, reason: 'lease-to-own-sales-tax' },
  });
});

test.each([
  ['PARTIALLY_SETTLED_PARTIALLY_REFUNDED', 'PartiallySettledPartiallyRefunded'],
  ['SETTLED', 'Settled'],
  ['A_STATE_OF_TOMORROW', 'A_STATE_OF_TOMORROW'],
])('reports a charge that is %s at the service as %s', async (state, expected) => {
  const { companion, atService } = await setUpCharge();
  const body = { ...atService.wire(), state };
  companion.service.on('GET /v2/post-sale/charges/charge-1', { status: 200, body });
  expect((await companion.office('/charges/charge-1')).body.state).toBe(expected);
});
