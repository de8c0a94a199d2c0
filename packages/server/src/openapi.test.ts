import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@financing-checkout/kit/http';
import type { Hono } from 'hono';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createCompanion, order } from './companion.fixture.ts';
import { charged, START } from './scripted-service.fixture.ts';
import type { Env } from './platform/http/requests.ts';
import { version } from './version.ts';

const object = z.record(z.string(), z.unknown());
const documentSchema = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), object),
});

async function setUp() {
  const companion = await createCompanion({
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  });
  const response = await companion.backOffice.request('/openapi.json');
  const document = documentSchema.parse(await response.json());
  return { companion, document };
}

/** Returns every route in the form "get /checkout/{id}". */
function routesOf(...apps: Hono<Env>[]): string[] {
  const routes = apps.flatMap(({ routes }) => routes).filter(({ method }) => method !== 'ALL');
  const names = routes.map(
    ({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
  );
  return [...new Set(names)].sort();
}

test('documents exactly the routes of both APIs', async () => {
  const { companion, document } = await setUp();
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((name) => name === 'get' || name === 'post')
      .map((method) => `${method} ${path}`),
  );
  expect(described.sort()).toEqual(routesOf(companion.storefront, companion.backOffice));
});

test('has unique operation ids and valid JSON Schemas', async () => {
  const { document } = await setUp();
  const operations = Object.values(document.paths).flatMap((path) =>
    [path.get, path.post]
      .filter((operation) => operation !== undefined)
      .map((it) => object.parse(it)),
  );
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  const schemas: Json[] = [];
  JSON.stringify(document, (name, value: unknown) => {
    if (name === 'schema') schemas.push(object.parse(value));
    return value;
  });
  expect(schemas.length).toBeGreaterThan(40);
  for (const schema of schemas.filter((schema) => schema.$ref === undefined)) {
    expect(() => z.fromJSONSchema(schema)).not.toThrow();
  }
});

/** Returns a validator for the document's schema of a response. */
function answerSchema(document: Json, method: string, path: string, status: number) {
  const at = (value: unknown, ...names: string[]): unknown =>
    names.reduce<unknown>((found, name) => object.parse(found)[name], value);
  const content = object.parse(
    at(document, 'paths', path, method, 'responses', String(status), 'content'),
  );
  const schema = object.parse(at(Object.values(content)[0], 'schema'));
  const resolved =
    schema.$ref === undefined
      ? schema
      : object.parse(at(document, 'components', 'schemas', 'Problem'));
  return z.fromJSONSchema(resolved);
}

test('150 readers of the document cost one encoding, so that they delay no prime', async () => {
  const { companion } = await setUp();
  const encode = vi.spyOn(TextEncoder.prototype, 'encode');
  const read = async () => (await companion.backOffice.request('/openapi.json')).text();
  const texts = await Promise.all(Array.from({ length: 150 }, read));
  const encodings = encode.mock.calls.filter(([text = '']) => text.length > 100_000);
  encode.mockRestore();
  expect(encodings.length).toBeLessThan(2);
  expect(new Set(texts).size).toBe(1);
  expect(documentSchema.parse(JSON.parse(texts[0] ?? '')).openapi).toBe('3.1.0');
});

describe('the schema of order tickets', () => {
  async function ticketSchema() {
    const { document } = await setUp();
    const { schemas } = z
      .object({ schemas: z.record(z.string(), object) })
      .parse(document.components);
    return schemas.OrderTicketClaims ?? {};
  }
  const times = { iat: START / 1000 + 0.5, exp: START / 1000 + 600 };
  const ids = { aud: ['financing-companion'], env: 'sandbox', jti: 'ticket-1' };
  const claims = { ...ids, ...times, iss: 'shop', order };

  test('describes every field with its limit, including the fields of a line item and of the consumer', async () => {
    const schema = await ticketSchema();
    expect(schema.description).toContain('2500000 characters');
    expect(schema).toMatchObject({
      required: ['aud', 'exp', 'iat', 'jti', 'env', 'order'],
      properties: {
        jti: { type: 'string', minLength: 8, maxLength: 128 },
        order: {
          required: [
            'merchantOrderId',
            'currency',
            'items',
            'taxAmount',
            'shippingAmount',
            'totalAmount',
          ],
          properties: {
            items: {
              maxItems: 200,
              items: {
                required: ['name', 'sku', 'price', 'quantity'],
                properties: {
                  sku: { type: 'string', maxLength: 128 },
                  quantity: { type: 'integer', maximum: 100_000 },
                },
                additionalProperties: false,
              },
            },
            taxAmount: { type: 'integer', minimum: 0, maximum: 99_999_999_999_999 },
            consumer: { properties: { firstName: { type: 'string', maxLength: 128 } } },
          },
          additionalProperties: false,
        },
      },
    });
  });

  test('accepts the claims of a ticket and rejects what the companion refuses', async () => {
    const schema = z.fromJSONSchema(await ticketSchema());
    expect(schema.safeParse(claims).error).toBeUndefined();
    const [item] = order.items;
    for (const change of [
      { jti: 'short' },
      { aud: 5 },
      { env: undefined },
      { exp: '1' },
      { order: { ...order, unknown: 1 } },
      { order: { ...order, items: [{ ...item, sku: undefined }] } },
      { order: { ...order, taxAmount: 1.5 } },
    ]) {
      expect(schema.safeParse({ ...claims, ...change }).success).toBe(false);
    }
  });
});

describe('real responses match the document', () => {
  test('storefront', async () => {
    const { companion, document } = await setUp();
    companion.service
      .on('POST /v2/post-sale/charges', charged)
      .on('GET /v2/post-sale/charges/charge-1', { ...charged, status: 200 });
    const primed = await companion.prime();
    const id = String(primed.body.id);
    const answers = [
      ['post', '/checkout/prime', primed],
      ['get', '/checkout/{id}', await companion.get(`/checkout/${id}`)],
      ['get', '/checkout/{id}', await companion.get('/checkout/none')],
      ['get', '/checkout/{id}', await companion.get(`/checkout/${id}`, { authorization: '' })],
      ['post', '/checkout/{id}/confirmation', await companion.confirm(id)],
      ['post', '/checkout/{id}/confirmation', await companion.post(`/checkout/${id}/confirmation`)],
      ['post', '/checkout/{id}/cancellation', await companion.post(`/checkout/${id}/cancellation`)],
    ] as const;
    expect(answers.map(([, , { status }]) => status)).toEqual([201, 200, 404, 401, 200, 400, 200]);
    for (const [method, path, { status, body }] of answers) {
      expect(() => answerSchema(document, method, path, status).parse(body)).not.toThrow();
    }
  });

  test('back office', async () => {
    const { companion, document } = await setUp();
    companion.service
      .on('POST /v2/post-sale/charges', charged)
      .on('GET /v2/post-sale/charges/charge-1', { ...charged, status: 200 })
      .on('GET /v2/post-sale/fundings/report', { status: 200, body: { records: [] } });
    await companion.confirm(await companion.open());
    const paths = [
      ['/livez', '/livez'],
      ['/readyz', '/readyz'],
      ['/checkouts', '/checkouts?merchantOrderId=order-1001'],
      ['/fundings/report', '/fundings/report'],
      ['/fundings/report', '/fundings/report?from=yesterday'],
      ['/charges', '/charges?merchantOrderId=order-1001'],
      ['/charges/{chargeId}', '/charges/charge-1'],
      ['/ledger', '/ledger'],
      ['/webhooks', '/webhooks'],
    ] as const;
    for (const [path, address] of paths) {
      const { status, body } = await companion.office(address);
      expect([path, status]).toEqual([path, address.includes('yesterday') ? 400 : 200]);
      expect(() => answerSchema(document, 'get', path, status).parse(body)).not.toThrow();
    }
  });

  test('control: finds a response that differs from its description', async () => {
    const { document } = await setUp();
    const schema = answerSchema(document, 'get', '/checkout/{id}', 200);
    expect(schema.safeParse({ id: 1 }).success).toBe(false);
    const problem = answerSchema(document, 'get', '/checkout/{id}', 404);
    expect(problem.safeParse({ code: 'no-such-code' }).success).toBe(false);
  });
});

test('redirects /docs to the document', async () => {
  const { companion } = await setUp();
  const response = await companion.backOffice.request('/docs');
  expect([response.status, response.headers.get('location')]).toEqual([302, 'openapi.json']);
});

test('states the version of the package', () => {
  const file = join(import.meta.dirname, '..', 'package.json');
  const published = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8')));
  expect(version).toBe(published.version);
});
