import { describe, expect, it } from 'vitest';
import { exampleAnswers, exampleNotifications, type ExampleAnswer } from './examples.fixture.ts';
import { checkAnswer, checkNotification, findOperation, publishedOperations } from './index.ts';

const headersOf = (type?: string): Record<string, string> =>
  type === undefined ? {} : { 'Content-Type': `${type}; charset=utf-8` };

const answerOf = ({ method, path, status, contentType, body }: ExampleAnswer) => ({
  method,
  path,
  status,
  headers: headersOf(contentType),
  body: body === undefined ? '' : JSON.stringify(body),
});

const check = (example: ExampleAnswer, change: Partial<ExampleAnswer> = {}) =>
  checkAnswer(answerOf({ ...example, ...change }));

/** Returns the first example of an operation with a status. */
function example(operation: string, status: number): ExampleAnswer & { body: object } {
  const found = exampleAnswers.find(
    (one) => one.operation === operation && one.status === status && one.body !== undefined,
  );
  if (!found) throw new Error(`There is no example of ${operation} with ${status}.`);
  return found as ExampleAnswer & { body: object };
}

type Path = readonly (string | number)[];

/** Returns every object in a body, with its path. */
function objectsIn(value: unknown, path: Path = []): { path: Path; value: object }[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, one]) =>
    objectsIn(one, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return Array.isArray(value) ? inside : [{ path, value }, ...inside];
}

/** Copies the body and replaces the object at `path`. */
function replaceAt(body: unknown, path: Path, change: (value: object) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return change(body as object);
  if (Array.isArray(body)) {
    return body.map((one, index): unknown =>
      index === first ? replaceAt(one, rest, change) : one,
    );
  }
  const object = body as Record<string, unknown>;
  return { ...object, [first]: replaceAt(object[first], rest, change) };
}

describe('a documented response', () => {
  it.each(exampleAnswers.map((one) => [one.operation, one.status, one] as const))(
    '%s %i passes',
    (_operation, _status, one) => {
      expect(check(one)).toEqual([]);
    },
  );

  it('covers every operation of the API definitions', () => {
    const covered = new Set(exampleAnswers.map(({ operation }) => operation));
    const all = publishedOperations.map(({ name }) => name);
    // The API definitions do not include the prime and records operations.
    expect(all.filter((name) => !covered.has(name))).toEqual([
      'checkout.prime',
      'fundings.records-v1',
      'fundings.records-v2',
    ]);
  });

  it('passes with the session and report shapes where no definition exists', () => {
    const session = example('session.create', 200);
    const report = example('fundings.report', 200);
    for (const [one, method, path] of [
      [session, 'POST', '/v1/checkout/prime'],
      [report, 'GET', '/v1/post-sale/fundings/records?showMissing=true'],
      [report, 'GET', '/v2/post-sale/fundings/records'],
    ] as const) {
      expect(check(one, { method, path })).toEqual([]);
    }
  });
});

describe('checkAnswer with a nonconforming response', () => {
  const withBody = exampleAnswers.filter(({ body }) => objectsIn(body).length > 0);

  it('reports an undocumented field, in every object of every body', () => {
    let tried = 0;
    for (const one of withBody) {
      for (const { path } of objectsIn(one.body)) {
        const body = replaceAt(one.body, path, (value) => ({ ...value, unheardOf: 1 }));
        const problems = check(one, { body });
        expect(problems).toEqual([
          expect.objectContaining({ operation: one.operation, unpublished: true }),
        ]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(150);
  });

  it('reports a wrong type, for every field of every body', () => {
    let tried = 0;
    for (const one of withBody) {
      for (const { path, value } of objectsIn(one.body)) {
        for (const [name, was] of Object.entries(value)) {
          if (typeof was === 'object') continue;
          const wrongValue = typeof was === 'string' ? 5 : 'text';
          const body = replaceAt(one.body, path, (same) => ({ ...same, [name]: wrongValue }));
          expect(check(one, { body }), `${one.operation} ${name}`).toEqual([
            expect.objectContaining({ unpublished: false }),
          ]);
          tried += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(500);
  });

  it.each<[string, number, readonly string[]]>([
    ['session.create', 200, ['id', 'expirationDate', 'applicationId']],
    ['application.status', 200, ['sessionStatus', 'flowType']],
    [
      'charges.create',
      201,
      [
        ...['id', 'orderReferenceId', 'totalAmount', 'merchantOrderId', 'offer', 'state'],
        ...['transactionsData', 'consumerId', 'createdAt', 'updatedAt', 'channel', 'applicationId'],
      ],
    ],
    [
      'charges.get',
      200,
      [
        ...['id', 'merchantOrderId', 'totalAmount', 'refundedAmount', 'settledAmount', 'lender'],
        ...['paymentPlan', 'state', 'consumerId', 'createdAt', 'updatedAt', 'channel'],
        'applicationId',
      ],
    ],
    [
      'charges.settle',
      201,
      [
        ...['status', 'id', 'chargeId', 'merchantOrderId', 'lenderId', 'amount', 'merchantId'],
        ...['createdAt', 'updatedAt'],
      ],
    ],
    [
      'charges.refund',
      201,
      [
        ...['type', 'status', 'id', 'chargeId', 'merchantOrderId', 'lenderId', 'amount'],
        ...['merchantId', 'createdAt', 'updatedAt'],
      ],
    ],
    [
      'charges.void',
      201,
      [
        ...['status', 'id', 'chargeId', 'merchantOrderId', 'lenderId', 'amount', 'merchantId'],
        ...['createdAt', 'updatedAt'],
      ],
    ],
    ['charges.void-async', 201, ['message', 'success']],
    [
      'charges.synthetic',
      201,
      [
        ...['id', 'chargeId', 'merchantOrderId', 'lenderId', 'amount', 'type', 'merchantId'],
        ...['createdAt', 'updatedAt', 'status'],
      ],
    ],
    ['charges.delivery', 201, ['id', 'chargeId', 'items', 'createdAt', 'updatedAt']],
    [
      'transactions.lookup',
      200,
      ['lenderId', 'merchantId', 'id', 'chargeId', 'type', 'state', 'createdAt', 'amount'],
    ],
  ])('reports each missing required field of %s, and no optional one', (...row) => {
    const [operation, status, required] = row;
    const one = example(operation, status);
    const missed = Object.keys(one.body).filter((name) => {
      const body = Object.fromEntries(Object.entries(one.body).filter(([key]) => key !== name));
      return check(one, { body }).length > 0;
    });
    expect(missed.sort()).toEqual([...required].sort());
  });

  it.each<[string, string, number, Record<string, unknown>]>([
    ['a Pascal state where a charge is read', 'charges.get', 200, { state: 'Authorized' }],
    ['an upper-case state where one is made', 'charges.create', 201, { state: 'AUTHORIZED' }],
    ['CHARGED_BACK in two words', 'charges.get', 200, { state: 'CHARGED_BACK' }],
    ['an upper-case status of a settle', 'charges.settle', 201, { status: 'SETTLED' }],
    ['a Pascal type of a settle', 'charges.settle', 201, { type: 'Settle' }],
    ['an upper-case type of a transaction', 'transactions.get', 200, { type: 'SETTLE' }],
    ['an upper-case transaction state', 'charges.void', 201, { transactionState: 'FAILED' }],
    ['an application state of no list', 'application.status', 200, { applicationStatus: 'Left' }],
    ['null for a store id', 'charges.get', 200, { storeId: null }],
    ['a date without an offset', 'charges.get', 200, { createdAt: '2026-03-04T10:21:12' }],
    ['a code that is a number', 'charges.get', 400, { errors: [{ code: 2001 }] }],
  ])('reports %s', (_what, operation, status, change) => {
    const one = example(operation, status);
    const problems = check(one, { body: { ...one.body, ...change } });
    expect(problems).toEqual([expect.objectContaining({ operation, unpublished: false })]);
  });

  it('reports a 422 that mixes both naming styles', () => {
    const body = { RequestId: '1', message: 'Both' };
    expect(check(example('charges.create', 422), { body })).toEqual([
      expect.objectContaining({ path: 'message', unpublished: true }),
    ]);
  });

  it('reports an order response that is an object', () => {
    const body = { merchantOrderId: 'A-1', chargeId: 'c' };
    expect(check(example('orders.get', 200), { body })).toEqual([
      expect.objectContaining({ path: '', reason: 'the value is not of type string' }),
    ]);
  });

  it('reports an undocumented body and a missing body', () => {
    const body = { requestId: '1', errors: [{ code: '1002' }] };
    const contentType = 'application/json';
    expect(check(example('orders.get', 200), { status: 404, body, contentType })).toEqual([
      expect.objectContaining({ unpublished: true }),
    ]);
    expect(check(example('charges.get', 200), { body: undefined })).toEqual([
      expect.objectContaining({ unpublished: false, reason: 'there is no body' }),
    ]);
  });

  it('reports a status that is not documented for the operation', () => {
    for (const operation of ['charges.settle', 'charges.refund', 'charges.void']) {
      expect(check(example(operation, 201), { status: 404, body: undefined })).toEqual([
        expect.objectContaining({ operation, reason: 'status 404 is not published' }),
      ]);
    }
    expect(check(example('charges.create', 201), { status: 200 })).toHaveLength(1);
  });

  it('reports a media type that is not documented for the operation', () => {
    expect(check(example('charges.create', 201), { contentType: 'text/plain' })).toEqual([
      expect.objectContaining({ unpublished: true }),
    ]);
  });

  it('reports a success without a documented operation, but not an error', () => {
    const nowhere = { method: 'GET', path: '/v9/nothing', headers: {}, body: '' };
    expect(checkAnswer({ ...nowhere, status: 200 })).toEqual([
      expect.objectContaining({ operation: null }),
    ]);
    expect(checkAnswer({ ...nowhere, status: 404 })).toEqual([]);
  });

  it('reports no values and no unusual names', () => {
    const one = example('fundings.report', 200);
    const records = [
      { status: 'ada@example.com', email: 7, 'ada@example.com': 1, fundedAt: 'Ada Quayle' },
    ];
    const problems = check(one, { body: { records, 'Ada Quayle': 'Ada' } });
    expect(problems.length).toBeGreaterThan(5);
    expect(JSON.stringify(problems)).not.toMatch(/ada|quayle|example/i);
  });
});

describe('findOperation', () => {
  it.each([
    ['GET', '/v2/post-sale/transactions/lookup?merchantTransactionId=x', 'transactions.lookup'],
    ['GET', '/v2/post-sale/transactions/abc', 'transactions.get'],
    ['POST', '/v2/post-sale/charges/voids/async', 'charges.void-async'],
    ['POST', '/v2/post-sale/charges/abc/voids', 'charges.void'],
    ['POST', '/v2/post-sale/charges?settle=true', 'charges.create'],
    ['PATCH', '/v2/post-sale/charges/abc', 'charges.patch'],
    ['DELETE', '/v2/post-sale/charges/abc', undefined],
    ['GET', '/v2/post-sale/charges/abc/def', undefined],
  ])('%s %s is %s', (method, path, name) => {
    expect(findOperation(method, path)?.name).toBe(name);
  });
});

describe('a notification', () => {
  it.each(exampleNotifications.map((body) => [(body as { eventType: string }).eventType, body]))(
    '%s with its documented fields passes',
    (_name, body) => {
      expect(checkNotification(body)).toEqual([]);
    },
  );

  it('is reported for each missing event field', () => {
    for (const [eventType, fields] of [
      ['application.prequalified', ['lenderId', 'amount']],
      ['application.pending-consumer', ['lenderId', 'reason']],
      ['application.declined', ['lenderId']],
      ['application.checkout-confirmed', ['lenderId', 'amount', 'token']],
    ] as const) {
      const body = exampleNotifications.find(
        (one) => 'eventType' in one && one.eventType === eventType,
      );
      for (const name of ['eventType', 'createdAt', 'applicationId', ...fields]) {
        const rest = Object.fromEntries(Object.entries(body ?? {}).filter(([key]) => key !== name));
        expect(checkNotification(rest), `${eventType} ${name}`).toHaveLength(1);
      }
    }
  });

  it('is reported for the old field "event" and for an undocumented field', () => {
    const body = { createdAt: '2026-03-04T10:20:00Z', applicationId: 'a' };
    expect(checkNotification({ event: 'application.created', ...body })).toHaveLength(1);
    expect(checkNotification({ eventType: 'application.created', ...body, status: 'New' })).toEqual(
      [expect.objectContaining({ path: 'status', unpublished: true })],
    );
    expect(checkNotification({ eventType: 'application.left', ...body })).toHaveLength(1);
    expect(checkNotification({ eventType: 'toString', ...body })).toHaveLength(1);
  });
});
