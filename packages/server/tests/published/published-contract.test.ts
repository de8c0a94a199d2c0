/* Tests the companion against a server of the published examples, independent of the sandbox. */
import {
  chargeRecordSchema,
  fundingsSchema,
  ledgerSchema,
} from '@financing-checkout/contract/back-office';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion, order as anyOrder, PRIVATE_KEY } from '../../src/companion.fixture.ts';
import { PrivateKey } from '../../src/keys/private-key.ts';
import { Secret } from '@financing-checkout/kit';
import { createNodeTransport } from '@financing-checkout/kit/outgoing';
import { createServiceClient } from '../../src/service/client.ts';
import { examples, startExampleService } from './example-service.fixture.ts';

const CHARGE = '66a1b2c3d4e5f60718293a4b';
const AGREED = 'Bearer agreed-in-advance';
const TOKEN = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
/** The order of the examples: 129.50, with a warranty per line and tax on shipping. */
const order = {
  merchantOrderId: 'ORDER-1001',
  items: [
    {
      name: 'Walnut Desk',
      sku: 'DESK-W',
      price: 5_000,
      quantity: 2,
      leasable: true,
      productCategory: 'Furniture',
      warranty: { name: '2-year cover', sku: 'COV-2', price: 1_500 },
      taxAmount: 800,
      discounts: [{ name: 'Line offer', amount: 200 }],
    },
  ],
  discounts: [{ name: 'Welcome', amount: 500 }],
  taxAmount: 1_000,
  shippingTaxAmount: 150,
  shippingAmount: 800,
  totalAmount: 12_950,
  merchant: { storeId: 'store1' },
  promoCode: 'INST-12',
  tags: { campaign: 'spring' },
  correlationId: 'corr-42',
};

let service: Awaited<ReturnType<typeof startExampleService>>;
beforeAll(async () => {
  service = await startExampleService();
});
afterAll(async () => {
  await service.close();
  service.remove();
});
beforeEach(() => service.forget());

async function createSubject(checkoutOperation: 'prime' | 'session' = 'prime') {
  const clock = new TestClock();
  const { transport, close } = createNodeTransport({ caFile: service.caFile });
  const companion = await createCompanion({
    clock,
    notificationAuthorizations: [new Secret(AGREED)],
    service: createServiceClient({
      baseUrl: service.url,
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport,
      clock,
      checkoutOperation,
      random: () => 0,
    }),
  });
  const open = () => companion.open('key-1', { ...anyOrder, ...order });
  const work = async (rounds = 1, advanceMs = 0) => {
    for (let round = 0; round < rounds; round++) {
      clock.advance(advanceMs);
      while ((await companion.background.runOnce()) > 0);
    }
  };
  const prime = () => companion.prime('key-1', { ...anyOrder, ...order });
  /** Advances the clock past a retry delay. */
  const patiently = async <Result>(answer: Promise<Result>): Promise<Result> => {
    const state = { done: false };
    void answer.finally(() => (state.done = true));
    while (!state.done) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      clock.advance(1);
    }
    return answer;
  };
  return {
    clock,
    counters: companion.counters,
    open,
    prime,
    work,
    patiently,
    close,
    confirm: (id: string, token: string) => companion.confirm(id, token),
    get: (path: string) => companion.get(path),
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      companion.post(path, body, headers),
    office: (path: string) => companion.office(path),
    officePost: (path: string, body: unknown, headers: Record<string, string>) =>
      companion.officePost(path, body, headers),
    webhooks: () => companion.webhooks(),
  };
}

/** Creates a subject whose connections close with the test. */
async function withSubject(
  use: (subject: Awaited<ReturnType<typeof createSubject>>) => Promise<void>,
  operation?: Parameters<typeof createSubject>[0],
): Promise<void> {
  const subject = await createSubject(operation);
  try {
    await use(subject);
  } finally {
    await subject.close();
  }
}

const operate = (
  { officePost }: Pick<Awaited<ReturnType<typeof createSubject>>, 'officePost'>,
  operation: string,
  body: unknown = {},
) => officePost(`/charges/${CHARGE}/${operation}`, body, { 'idempotency-key': operation });

describe('a purchase', () => {
  test.each([
    ['settled at once', { status: 201, settleTransactionState: 'Completed' }, 'Settled'],
    ['with a pending settle', { status: 201, settleTransactionState: 'Pending' }, 'Authorized'],
    ['whose settle failed (202)', { status: 202 }, 'Authorized'],
  ])('%s is approved', async (_, created, chargeState) => {
    await withSubject(async ({ open, confirm, webhooks, work }) => {
      service.answer('charges.create', created);
      const id = await open();
      expect((await confirm(id, TOKEN)).body.status).toBe('approved');
      await work();
      expect(webhooks().find(({ status }) => status === 'approved')).toMatchObject({
        merchantOrderId: 'ORDER-1001',
        chargeId: CHARGE,
        chargeState,
      });
      expect(service.callsOf('charges.create')).toHaveLength(1);
    });
  });

  test('keeps the lender’s references of authorization and settle apart in the ledger', async () => {
    await withSubject(async ({ open, confirm, office }) => {
      service.answer('charges.create', { settleTransactionState: 'Completed' });
      await confirm(await open(), TOKEN);
      const { entries } = ledgerSchema.parse((await office('/ledger')).body);
      expect(entries.map(({ type, lenderReferenceId }) => [type, lenderReferenceId])).toEqual([
        ['Authorize', 'A-9001'],
        ['Settle', 'S-9002'],
      ]);
    });
  });

  test('lists no settle in the ledger where the service answered 202', async () => {
    await withSubject(async ({ open, confirm, office }) => {
      service.answer('charges.create', { status: 202 });
      await confirm(await open(), TOKEN);
      const { entries } = ledgerSchema.parse((await office('/ledger')).body);
      expect(entries.map(({ type }) => type)).toEqual(['Authorize']);
    });
  });

  test("whose answer was lost is approved by the authorization with the companion's id", async () => {
    await withSubject(async ({ open, confirm, get, work }) => {
      service.answer('charges.create', { status: 500 });
      service.answer('transactions.lookup', { type: 'Authorize' });
      service.answer('charges.get', { state: 'SETTLED' });
      const id = await open();
      await confirm(id, TOKEN);
      await work(3, 5_000);
      expect((await get(`/checkout/${id}`)).body.status).toBe('approved');
    });
  });

  test('whose charge was voided is not approved', async () => {
    await withSubject(async ({ open, confirm, get, work }) => {
      service.answer('charges.create', { status: 500 });
      service.answer('transactions.lookup', { type: 'Authorize' });
      service.answer('charges.get', { state: 'VOIDED' });
      const id = await open();
      await confirm(id, TOKEN);
      await work(3, 5_000);
      expect((await get(`/checkout/${id}`)).body.status).toBe('failed');
      expect(service.callsOf('charges.refund')).toEqual([]);
      expect(service.callsOf('charges.void')).toEqual([]);
    });
  });

  test.each(['prime', 'session'] as const)(
    'opened by %s states the published cart',
    async (operation) => {
      await withSubject(async ({ open }) => {
        await open();
        const published = examples.operations['session.create']?.requests[0];
        const { body } = service.callsOf('session.create')[0] ?? {};
        expect(body).toMatchObject({
          cartDetails: published?.cartDetails,
          checkoutDetails: published?.checkoutDetails,
          merchantDetails: { storeId: 'store1' },
        });
      }, operation);
    },
  );

  test('sends only fields of the published requests', async () => {
    await withSubject(async ({ open, confirm }) => {
      await confirm(await open(), TOKEN);
      const fieldsOf = (value: unknown) => Object.keys(value as object);
      for (const name of ['session.create', 'charges.create']) {
        const requests = examples.operations[name]?.requests ?? [];
        const published = new Set(requests.flatMap(fieldsOf));
        const sent = fieldsOf(service.callsOf(name)[0]?.body);
        expect(sent.filter((field) => !published.has(field))).toEqual([]);
      }
      expect(service.callsOf('charges.create')[0]?.query.get('settle')).toBe('true');
    });
  });
});

describe('an application that the shopper left', () => {
  test.each([
    ['without a lender', { applicationStatus: null }, 'cancelled'],
    ['declined', { applicationStatus: 'Declined' }, 'declined'],
    ['that waits for the lender', { applicationStatus: 'PendingLender' }, 'pending'],
  ])('%s ends with the status at the service', async (_, application, status) => {
    await withSubject(async ({ open, post }) => {
      service.answer('application.status', application);
      const id = await open();
      expect((await post(`/checkout/${id}/cancellation`)).body.status).toBe(status);
    });
  });

  test('is charged with its token after the lender approved it', async () => {
    await withSubject(async ({ open, post, get, work }) => {
      service.answer('application.status', { sessionStatus: 'COMPLETED', flowType: 'Checkout' });
      service.answer('charges.create', { settleTransactionState: 'Completed' });
      const id = await open();
      expect((await post(`/checkout/${id}/cancellation`)).body.status).not.toBe('cancelled');
      await work(3, 60_000);
      expect((await get(`/checkout/${id}`)).body.status).toBe('approved');
      expect(service.callsOf('charges.create').map(({ body }) => body)).toMatchObject([
        { confirmationToken: TOKEN, merchantOrderId: 'ORDER-1001' },
      ]);
    });
  });
});

describe('the back office', () => {
  test.each([
    ['AUTHORIZED', 'Authorized', 12_950, 0],
    ['VOIDED', 'Voided', 0, 0],
    ['PARTIALLY_SETTLED', 'PartiallySettled', 6_950, 6_000],
    ['SETTLED', 'Settled', 0, 12_950],
    ['SETTLED_PARTIALLY_REFUNDED', 'SettledPartiallyRefunded', 0, 10_950],
    ['REFUNDED', 'Refunded', 0, 0],
    ['CHARGEDBACK', 'ChargedBack', 0, 0],
  ])('reads a charge that is %s as %s', async (state, expected, toSettle, toRefund) => {
    await withSubject(async ({ office }) => {
      service.answer('charges.get', { state });
      const record = chargeRecordSchema.parse((await office(`/charges/${CHARGE}`)).body);
      expect(record.state).toBe(expected);
      expect([record.left.toSettle.value, record.left.toRefund.value]).toEqual([
        toSettle,
        toRefund,
      ]);
    });
  });

  test('lists the charge of an order', async () => {
    await withSubject(async ({ office }) => {
      const { body } = await office('/charges?merchantOrderId=ORDER-1001');
      expect((body.charges as { id: string }[]).map(({ id }) => id)).toEqual([CHARGE]);
    });
  });

  test('answers 404 for a charge when the service answers 400 with code 2001', async () => {
    await withSubject(async ({ office }) => {
      service.answer('charges.get', { status: 400 });
      expect((await office(`/charges/${CHARGE}`)).body.code).toBe('charge-not-found');
    });
  });

  test("settles, refunds and voids with the lender's reference", async () => {
    await withSubject(async (subject) => {
      service.answer('charges.get', { state: 'AUTHORIZED' });
      service.answer('charges.settle', { transactionState: 'Completed' });
      const settled = await operate(subject, 'settles', { currency: 'USD' });
      expect(settled.body).toMatchObject({ state: 'accepted', lenderReferenceId: 'L-77_01' });
      service.answer('charges.get', { state: 'SETTLED' });
      const refunded = await operate(subject, 'refunds', { amount: 2_000, currency: 'USD' });
      expect(refunded.body).toMatchObject({ state: 'accepted', kind: 'refund' });
    });
    await withSubject(async (subject) => {
      service.answer('charges.get', { state: 'AUTHORIZED' });
      expect((await operate(subject, 'voids')).body).toMatchObject({ state: 'accepted' });
      expect(service.callsOf('charges.void')[0]?.body).toEqual({
        merchantTransactionId: expect.stringMatching(/^txn_/) as string,
      });
    });
  });

  test('reports a settle whose transaction failed', async () => {
    await withSubject(async (subject) => {
      service.answer('charges.get', { state: 'AUTHORIZED' });
      service.answer('charges.settle', { transactionState: 'Failed' });
      service.answer('transactions.lookup', { status: 404 });
      expect((await operate(subject, 'settles')).status).toBeGreaterThanOrEqual(400);
      const { entries } = ledgerSchema.parse((await subject.office('/ledger')).body);
      expect(entries.filter(({ state }) => state === 'accepted')).toEqual([]);
    });
  });

  test.each([0, 1, 2])('reads page %i of the fundings report', async (page) => {
    await withSubject(async ({ office }) => {
      service.answer('fundings.report', page);
      const { records, unreadable } = fundingsSchema.parse(
        (await office('/fundings/report?showMissing=true')).body,
      );
      const { body } = examples.operations['fundings.report']?.responses[page] ?? {};
      const sent = (body as { records?: unknown[] }).records ?? [];
      expect([records.length, unreadable ?? []]).toEqual([sent.length, []]);
    });
  });
});

test.each(examples.notifications.map(({ name, body }) => [name, body] as const))(
  'accepts the notification %s',
  async (_, body) => {
    await withSubject(async ({ open, post, counters, work }) => {
      await open();
      const answer = await post('/notifications', body, { authorization: AGREED });
      expect(answer.status).toBe(202);
      expect(answer.body.received).not.toBe('unknown');
      await work(2, 20_000);
      expect(counters.read('notification-unknown')).toBe(0);
    });
  },
);

describe('an error of each operation', () => {
  const errors = Object.entries(examples.operations).flatMap(([name, { responses }]) =>
    responses.flatMap(({ status }, index) =>
      status >= 400 ? [[name, status, index] as const] : [],
    ),
  );

  test.each(errors)('%s %i (example %i) is a problem with a code', async (name, _, index) => {
    await withSubject(async (subject) => {
      const { open, confirm, post, office, prime } = subject;
      const id = name === 'session.create' ? '' : await open();
      service.answer(name, index);
      if (name !== 'charges.get') service.answer('charges.get', { state: 'SETTLED' });
      if (name === 'charges.settle' || name === 'charges.void') {
        service.answer('charges.get', { state: 'AUTHORIZED' });
      }
      if (name !== 'transactions.lookup') service.answer('transactions.lookup', { status: 404 });
      if (name !== 'orders.get') service.answer('orders.get', { status: 404 });
      const requests: Record<string, () => Promise<{ body: Record<string, unknown> }>> = {
        'session.create': () => prime(),
        'application.status': () => post(`/checkout/${id}/cancellation`),
        'charges.create': () => confirm(id, TOKEN),
        'charges.get': () => office(`/charges/${CHARGE}`),
        'charges.settle': () => operate(subject, 'settles'),
        'charges.refund': () => operate(subject, 'refunds', { amount: 2_000, currency: 'USD' }),
        'charges.void': () => operate(subject, 'voids'),
        'orders.get': () => office('/charges?merchantOrderId=ORDER-1001'),
        'transactions.lookup': () => confirm(id, TOKEN),
        'fundings.report': () => office('/fundings/report'),
      };
      const { body } = await subject.patiently(
        requests[name]?.() ?? Promise.reject(new Error(name)),
      );
      // A checkout always has a status; every other failure has a problem code.
      expect(body.code ?? body.status ?? body.charges).toBeDefined();
      expect(body.code).not.toBe('internal');
    });
  });
});
