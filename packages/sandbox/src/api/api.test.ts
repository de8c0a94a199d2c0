import fc from 'fast-check';
import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { environmentNames } from '../environments/environment.ts';
import {
  charge,
  discard,
  records,
  refusedFields,
  sessionBody,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const report = '/v2/post-sale/fundings/report';

describe('specification 5.1: HTTPS only', () => {
  it('closes a plain HTTP connection without a response', async () => {
    const port = new URL(test.sandbox.apiUrl).port;
    const failure = await new Promise<Error | number>((resolve) => {
      const request = httpRequest({ host: '127.0.0.1', port, path: report }, (response) =>
        resolve(response.statusCode ?? 0),
      );
      request.on('error', resolve);
      request.end();
    });
    expect(failure).toBeInstanceOf(Error);
    expect(test.sandbox.calls()).toHaveLength(0);
  });

  it('has a certificate that no client trusts without its CA', async () => {
    await expect(fetch(test.sandbox.apiUrl)).rejects.toThrow();
  });

  it('keeps the CA and keys after a restart, with private files readable only by the owner', async () => {
    const other = await startTestSandbox();
    const before = [other.sandbox.caFile, other.environment('uat').privateKeyFile].map((file) =>
      readFileSync(file, 'utf8'),
    );
    await other.stop();
    const again = await startTestSandbox(other.dataDir);
    const files = [again.sandbox.caFile, again.environment('uat').privateKeyFile];
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
    expect((await again.call('GET', report)).status).toBe(200);
    for (const file of [again.environment('uat').privateKeyFile, `${again.dataDir}/ca.key`]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    await discard(again);
  });
});

describe('specification 5.2, 5.3: Bearer authentication', () => {
  it('accepts the private key', async () => {
    expect((await test.call('GET', report)).status).toBe(200);
  });

  it.each([
    ['a missing header', () => null],
    ['an empty key', () => 'Bearer '],
    ['an incorrect key', () => 'Bearer 0123456789abcdef'],
    ['the public key', () => `Bearer ${test.environment('sandbox').publicKey}`],
    ['another scheme', () => `Basic ${test.environment('sandbox').privateKey}`],
    ['the key alone', () => test.environment('sandbox').privateKey],
  ])('returns 401 for %s', async (_name, authorization) => {
    const answer = await test.call('GET', report, { authorization: authorization() });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.text).toBe('');
    const shown = JSON.stringify((await test.control('GET', '/calls')).body);
    expect(shown).not.toContain(test.environment('sandbox').privateKey);
  });

  it('returns 401 before it reveals which paths exist', async () => {
    expect((await test.call('GET', '/nothing', { authorization: null })).status).toBe(401);
  });
});

describe('specification 5.5: keys are environment-specific', () => {
  it.each(environmentNames.flatMap((from) => environmentNames.map((at) => [from, at] as const)))(
    'accepts the private key of %s at %s only if both are the same',
    async (from, at) => {
      const answer = await test.call('GET', report, {
        baseUrl: test.environment(at).baseUrl,
        authorization: `Bearer ${test.environment(from).privateKey}`,
      });
      expect(answer.status).toBe(from === at ? 200 : 401);
    },
  );

  it('hides the data of one environment from another', async () => {
    const id = await charge(test, { settle: true });
    const uat = {
      baseUrl: test.environment('uat').baseUrl,
      authorization: `Bearer ${test.environment('uat').privateKey}`,
    };
    await test.control('POST', '/clock', { advance: '1d' });
    expect((await test.call('GET', `/v2/post-sale/charges/${id}`, uat)).status).toBe(400);
    expect((await test.call('GET', report, uat)).body).toEqual({ records: [] });
    expect(await records(test)).toHaveLength(1);
  });
});

describe('prime', () => {
  it('names each invalid field without its value', async () => {
    const answer = await test.call('POST', '/v1/checkout/prime', { body: sessionBody(10.001) });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      RequestId: expect.any(String) as unknown,
      Message: 'Input Validation Failure',
      Errors: expect.arrayContaining([
        {
          Field: 'CartDetails.TotalAmount',
          ValidationState: 'Invalid',
          Error: 'CartDetails.TotalAmount has more decimals than USD has (2)',
        },
      ]) as unknown,
    });
    const missing = await test.call('POST', '/v1/checkout/prime', { body: { cartDetails: {} } });
    expect(missing.body.Errors).toContainEqual({
      Field: 'CartDetails.Items',
      ValidationState: 'Invalid',
      Error: 'CartDetails.Items is required',
    });
  });

  it('checks the decimal places of every amount of the order', async () => {
    const { cartDetails, ...rest } = sessionBody(1000, 'ORD-1', 'JPY');
    const [item] = cartDetails.items;
    const discounts = [{ name: 'Spring', amount: 0.5 }];
    const warranty = { name: 'Care', price: 0.5, sku: 'C-1' };
    const items = [{ ...item, price: 0.5, taxAmount: 0.5, discounts, warranty }];
    const amounts = { taxAmount: 0.5, shippingAmount: 0.5, shippingTaxAmount: 0.5 };
    const cart = { ...cartDetails, items, discounts, ...amounts };
    const checkoutDetails = { ...rest.checkoutDetails, requestedLoanAmount: 0.5 };
    const body = { ...rest, cartDetails: { ...cart, totalAmount: 0.5 }, checkoutDetails };
    const answer = await test.call('POST', '/v1/checkout/prime', { body });
    expect(refusedFields(answer).toSorted()).toEqual([
      'CartDetails.Discounts[0].Amount',
      'CartDetails.Items[0].Discounts[0].Amount',
      'CartDetails.Items[0].Price',
      'CartDetails.Items[0].TaxAmount',
      'CartDetails.Items[0].Warranty.Price',
      'CartDetails.ShippingAmount',
      'CartDetails.ShippingTaxAmount',
      'CartDetails.TaxAmount',
      'CartDetails.TotalAmount',
      'CheckoutDetails.RequestedLoanAmount',
    ]);
  });

  it.each([
    ['{"a":', 400, {}],
    ['[]', 400, {}],
    ['"text"', 400, {}],
    ['', 400, {}],
    ['{}', 422, {}],
    ['{}', 415, { 'content-type': 'text/plain' }],
    // The size of the companion's request for its longest order ticket.
    [`{"a":"${'x'.repeat(4_194_000)}"}`, 422, {}],
    [`{"a":"${'x'.repeat(4_200_000)}"}`, 413, {}],
    ['['.repeat(200_000), 400, {}],
  ])('responds to the body %.12s with %d', async (text, status, headers) => {
    const answer = await test.call('POST', '/v1/checkout/prime', { text, headers });
    expect(answer.status).toBe(status);
    expect(answer.body[status === 422 ? 'RequestId' : 'requestId']).toEqual(expect.any(String));
  });

  it.each([
    'application/json; charset=utf-8',
    'text/json',
    'application/json-patch+json',
    'application/merge-patch+json',
    'Application/JSON',
  ])('accepts a body with the media type %s', async (contentType) => {
    const text = JSON.stringify(sessionBody());
    const headers = { 'content-type': contentType };
    expect((await test.call('POST', '/v1/checkout/prime', { text, headers })).status).toBe(200);
  });

  it('returns 404 for an unknown path and 405 with Allow for a wrong method', async () => {
    expect(await test.call('GET', '/v9/nothing')).toMatchObject({ status: 404, text: '' });
    const wrong = await test.call('DELETE', '/v1/checkout/prime');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('POST');
  });
});

describe('the calls in the control API', () => {
  it('list one call per prime, with scheme, key slot, content type and TLS version, without the key', async () => {
    await test.call('POST', '/v1/checkout/prime', { body: sessionBody() });
    const { body } = await test.control('GET', '/calls');
    expect(body.calls).toMatchObject([
      {
        operation: 'checkout.prime',
        method: 'POST',
        path: '/v1/checkout/prime',
        status: 200,
        contentType: 'application/json',
        tlsVersion: 'TLSv1.3',
        authorization: { scheme: 'Bearer', key: { environment: 'sandbox', kind: 'private' } },
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/ada@example|Quayle/);
  });

  it('list paths without keys and email addresses', async () => {
    const key = test.environment('sandbox').privateKey;
    await test.call('GET', `/v2/post-sale/orders/ada@example.com?key=${key}`);
    const { body } = await test.control('GET', '/calls');
    expect(body.calls).toMatchObject([
      { path: '/v2/post-sale/orders/[e-mail]', query: '?key=[private key]' },
    ]);
  });
});

describe('bad input', () => {
  it('always gets a response, and never a 5xx', async () => {
    const id = await charge(test);
    const paths = fc.oneof(
      fc.constantFrom(
        '/v1/checkout/prime',
        '/v2/post-sale/charges',
        `/v2/post-sale/charges/${id}/settles`,
        `/v2/post-sale/charges/${id}/refunds`,
        `/v2/post-sale/charges/${id}/voids`,
      ),
      fc
        .string({ unit: 'binary' })
        .map((text) => `/v2/post-sale/orders/${encodeURIComponent(text)}`),
      fc.constantFrom('/v2/post-sale/orders/%E0%A4%A', '/v2/post-sale/charges/%00', '//', '/%'),
      fc
        .tuple(fc.constantFrom('offset', 'limit', 'fromDate', 'toDate', 'showMissing'), fc.string())
        .map(([name, value]) => `${report}?${new URLSearchParams({ [name]: value }).toString()}`),
    );
    const nearlyRight = fc.tuple(
      fc.constantFrom('totalAmount', 'merchantOrderId', 'items', 'taxAmount', 'discounts'),
      fc.jsonValue(),
    );
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      nearlyRight.map(([field, value]) => {
        const body = sessionBody();
        return JSON.stringify({ ...body, cartDetails: { ...body.cartDetails, [field]: value } });
      }),
      fc.jsonValue().map((amount) => JSON.stringify({ amount, confirmationToken: amount })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PUT'),
        paths,
        bodies,
        async (method, path, text) => {
          const { status } = await test.call(method, path, method === 'GET' ? {} : { text });
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 500 },
    );
  });
});
