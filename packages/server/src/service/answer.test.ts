import { describe, expect, test } from 'vitest';
import { order, PRIVATE_KEY } from '../companion.fixture.ts';
import { primed, ScriptedService } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { readBytes, requestIdOf } from './answer.ts';
import { createServiceClient } from './client.ts';

// The service publishes its error bodies in several spellings (reference: Checkout Management,
// Charge API), and does not guarantee a body for some errors.

async function refused(answer: { status: number; body?: unknown; text?: string }) {
  const service = new ScriptedService().on('POST /v1/checkout/prime', answer);
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: service.transport,
  });
  return client.prime(order, { priority: 'checkout' });
}

test('a 408 is an unknown outcome, because the service may have read the request', async () => {
  expect(await refused({ status: 408, text: '' })).toMatchObject({ kind: 'unknown', status: 408 });
});

test('a refusal with a truncated body is a refusal', async () => {
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport() {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.error(new TypeError('terminated')),
      });
      return Promise.resolve(new Response(body, { status: 400 }));
    },
  });
  expect(await client.prime(order, { priority: 'checkout' })).toMatchObject({
    kind: 'rejected',
    status: 400,
    codes: [],
  });
});

describe('reads an error body in every published spelling', () => {
  test.each([
    [
      'codes',
      { requestId: 'svc-1', errors: [{ code: 2002, description: 'used' }] },
      { codes: ['2002'], fields: [] },
    ],
    [
      'codes as strings',
      { requestId: 'svc-1', errors: [{ code: '2006' }] },
      { codes: ['2006'], fields: [] },
    ],
    [
      'fields',
      {
        requestId: 'svc-1',
        message: 'invalid',
        errors: [{ field: 'cartDetails.items[0].price', validationState: 'Invalid', error: 'no' }],
      },
      { codes: [], fields: ['cartDetails.items[0].price'] },
    ],
    [
      'PascalCase',
      {
        RequestId: 'svc-1',
        Message: 'invalid',
        Errors: [{ Field: 'ConsumerDetails.Email', ValidationState: 'Invalid', Error: 'no' }],
      },
      { codes: [], fields: ['ConsumerDetails.Email'] },
    ],
    ['only a message', { requestId: 'svc-1', message: 'no' }, { codes: [], fields: [] }],
  ])('%s', async (_, body, details) => {
    expect(await refused({ status: 422, body })).toMatchObject({
      kind: 'rejected',
      status: 422,
      serviceRequestId: 'svc-1',
      ...details,
    });
  });

  test.each([
    ['none', { text: '' }],
    ['text', { text: 'Bad Request' }],
    ['a page', { text: '<html>' }],
    ['another shape', { body: { errors: 'yes', requestId: 7 } }],
    ['a list', { body: [1] }],
    ['null', { body: null }],
    ['invalid entries', { body: { errors: [null, 1, 'x', { code: {}, field: [] }] } }],
  ])('and accepts %s', async (_, answer) => {
    expect(await refused({ status: 400, ...answer })).toMatchObject({
      kind: 'rejected',
      status: 400,
      codes: [],
      fields: [],
      serviceRequestId: undefined,
    });
  });
});

test('keeps no part of an error body that could contain a value', async () => {
  const result = await refused({
    status: 422,
    body: {
      requestId: 'ada.quill@example.com wrote',
      message: 'ada.quill@example.com',
      errors: [
        { code: 'ada.quill@example.com', description: 'ada.quill@example.com' },
        { field: 'email ada.quill@example.com', error: 'ada.quill@example.com' },
      ],
    },
  });
  expect(result.kind).toBe('rejected');
  expect(JSON.stringify(result)).not.toContain('quill');
});

test('ignores a request id that is the private key, because ids are logged', async () => {
  const result = await refused({ status: 400, body: { requestId: 'a'.repeat(20) } });
  expect(result.serviceRequestId).toBe('a'.repeat(20));
  const key = 'private-key-0123456789';
  const service = new ScriptedService().on('POST /v1/checkout/prime', {
    status: 400,
    body: { requestId: key },
  });
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(key)],
    transport: service.transport,
  });
  expect((await client.prime(order, { priority: 'checkout' })).serviceRequestId).toBeUndefined();
});

test('ignores an error code or field that is the private key, because pages receive them', async () => {
  const key = 'private-key-0123456789';
  const service = new ScriptedService().on('POST /v1/checkout/prime', {
    status: 422,
    body: { errors: [{ code: key }, { code: 1005 }, { field: `headers.${key}` }, { field: 'a' }] },
  });
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(key)],
    transport: service.transport,
  });
  expect(await client.prime(order, { priority: 'checkout' })).toMatchObject({
    codes: ['1005'],
    fields: ['a'],
  });
});

test('a response that is not UTF-8 is unreadable and does not affect the next one', async () => {
  const answers = [Uint8Array.of(0x22, 0xe2, 0x82), new TextEncoder().encode('{"id":"sess-€"}')];
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: () => Promise.resolve(new Response(answers.shift())),
  });
  expect(await client.prime(order, { priority: 'checkout' })).toMatchObject({
    kind: 'unknown',
    reason: 'unreadable',
  });
  expect(await client.prime(order, { priority: 'checkout' })).toMatchObject({
    kind: 'accepted',
    body: { id: 'sess-€' },
  });
});

test('limits a thousand errors in one response to what a page can show', async () => {
  const errors = Array.from({ length: 1_000 }, (_, at) => ({ field: `items[${at}].name` }));
  const result = await refused({ status: 422, body: { requestId: 'svc-1', errors } });
  expect('fields' in result && result.fields).toHaveLength(20);
});

test('does not search a response of megabytes for a request id', () => {
  // CPU time, because a busy machine delays wall-clock time.
  const started = process.threadCpuUsage();
  expect(requestIdOf(new Uint8Array(8_388_608))).toBeUndefined();
  // The call takes a fraction of a millisecond; a byte-by-byte search would take seconds.
  expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(250);
});

test('releases the memory of chunks except shared memory', async () => {
  const own = new Uint8Array([1, 2, 3]);
  const shared = new Uint8Array([0, 4, 5, 0]);
  const body = ReadableStream.from([own, shared.subarray(1, 3)]);
  const answer = { status: 200, headers: new Headers(), body };
  expect(await readBytes(answer, 100)).toEqual(new Uint8Array([1, 2, 3, 4, 5]));
  expect(own.buffer.detached).toBe(true);
  expect(shared).toEqual(new Uint8Array([0, 4, 5, 0]));
});

test.each([301, 302, 307, 308, 399])(
  '%i is a failure even with the body of a success',
  async (status) => {
    const { body } = primed;
    expect(await refused({ status, body })).toMatchObject({ kind: 'unknown', reason: 'redirect' });
  },
);

describe('published responses', () => {
  const answering = (route: string, body: unknown, status = 200) =>
    createServiceClient({
      baseUrl: 'https://service.example/',
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport: new ScriptedService().on(route, { status, body }).transport,
    });
  const application = {
    sessionStatus: 'NOT COMPLETED',
    flowType: 'Checkout',
    applicationStatus: null,
    confirmationToken: null,
    confirmedOffer: null,
  };

  test.each([
    [{}, { status: undefined, confirmationToken: undefined, financialProductType: undefined }],
    [{ applicationStatus: 'PendingLender' }, { status: 'PendingLender' }],
    [{ applicationStatus: 'PENDING_LENDER' }, { status: 'PendingLender' }],
    [{ applicationStatus: 'OnHold' }, { status: 'OnHold' }],
    [
      {
        applicationStatus: 'Approved',
        confirmationToken: 'token-1',
        confirmedOffer: { code: 'o-1', financialProductType: 'LeaseToOwn', amount: 5 },
      },
      { status: 'Approved', confirmationToken: 'token-1', financialProductType: 'LeaseToOwn' },
    ],
  ])('reads the status of an application: %j', async (fields, expected) => {
    const body = { ...application, ...fields };
    const client = answering('GET /v2/checkout/applications/app-1/status', body);
    expect(await client.application('app-1', { priority: 'checkout' })).toMatchObject({
      kind: 'accepted',
      body: expected,
    });
  });

  test.each([{ status: 'Approved' }, { state: 'Approved' }, [], 'Approved'])(
    'rejects any other body as an application status: %j',
    async (body) => {
      const client = answering('GET /v2/checkout/applications/app-1/status', body);
      expect(await client.application('app-1', { priority: 'checkout' })).toMatchObject({
        kind: 'unknown',
      });
    },
  );

  test('reads the charge of an order, a bare JSON string', async () => {
    const client = answering('GET /v2/post-sale/orders/A-1', 'chg-1');
    expect(await client.chargeOfOrder('A-1', { priority: 'charge' })).toMatchObject({
      kind: 'accepted',
      body: 'chg-1',
    });
  });

  test('rejects an object as the charge of an order', async () => {
    const client = answering('GET /v2/post-sale/orders/A-1', { chargeId: 'chg-1' });
    expect(await client.chargeOfOrder('A-1', { priority: 'charge' })).toMatchObject({
      kind: 'unknown',
    });
  });

  test.each([
    [201, 'Completed', 'Completed'],
    [201, 'Pending', 'Pending'],
    [201, null, undefined],
    [202, 'Failed', 'Failed'],
    // The status code states that the settle failed and takes precedence over the body.
    [202, null, 'Failed'],
  ])('reads a created charge (%i, settle %s)', async (status, settle, expected) => {
    const body = {
      id: 'chg-1',
      merchantOrderId: 'A-1',
      totalAmount: 129.5,
      state: 'Authorized',
      transactionsData: { lenderAuthorizeReferenceId: 'L-A', lenderSettleReferenceId: 'L-S' },
      transactionState: 'Completed',
      settleTransactionState: settle,
    };
    const client = answering('POST /v2/post-sale/charges', body, status);
    const created = await client.createCharge(
      {
        confirmationToken: 'token-1',
        merchantOrderId: 'A-1',
        merchantTransactionId: 'txn-1',
        settle: true,
      },
      { priority: 'charge' },
    );
    expect(created).toMatchObject({
      kind: 'accepted',
      body: {
        state: 'Authorized',
        lenderAuthorizeReferenceId: 'L-A',
        lenderSettleReferenceId: 'L-S',
        settleTransactionState: expected,
      },
    });
  });

  test('reads a void whose transaction failed, and sends the transaction id', async () => {
    const service = new ScriptedService().on('POST /v2/post-sale/charges/chg-1/voids', {
      status: 201,
      body: { id: 't-1', chargeId: 'chg-1', status: 'Authorized', transactionState: 'Failed' },
    });
    const client = createServiceClient({
      baseUrl: 'https://service.example/',
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport: service.transport,
    });
    const made = await client.voidCharge(
      { chargeId: 'chg-1', merchantTransactionId: 'txn-1' },
      { priority: 'charge' },
    );
    expect(made).toMatchObject({
      kind: 'accepted',
      body: { transactionId: 't-1', state: 'Failed' },
    });
    expect(service.calls[0]?.body).toEqual({ merchantTransactionId: 'txn-1' });
  });

  test.each([
    [{}, []],
    [{ records: null }, []],
    [{ records: [{ status: 'RECONCILED' }] }, [{ status: 'RECONCILED' }]],
  ])('reads a page of fundings: %j', async (body, records) => {
    const client = answering('GET /v2/post-sale/fundings/report', body);
    const query = { operation: 'report', showMissing: true, offset: 0, limit: 10 } as const;
    expect(await client.fundings(query, { priority: 'report' })).toMatchObject({
      kind: 'accepted',
      body: records,
    });
  });

  test.each([{ message: 'later' }, { requestId: 'r-1', errors: [] }, [], 'records'])(
    'rejects an error body with a 200 as a page of fundings: %j',
    async (body) => {
      const client = answering('GET /v2/post-sale/fundings/report', body);
      const query = { operation: 'report', showMissing: true, offset: 0, limit: 10 } as const;
      expect(await client.fundings(query, { priority: 'report' })).toMatchObject({
        kind: 'unknown',
      });
    },
  );
});
