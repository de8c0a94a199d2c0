import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, routesOf } from '@financing-checkout/kit/http';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createCompanion, order } from './companion.fixture.ts';
import { START } from './scripted-service.fixture.ts';
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

test('has each route of both APIs under an id of its own, with valid JSON Schemas', async () => {
  const { companion, document } = await setUp();
  const operations = Object.values(document.paths).flatMap((path) =>
    [path.get, path.post]
      .filter((operation) => operation !== undefined)
      .map((it) => object.parse(it)),
  );
  const names = operations.map(({ operationId }) => operationId);
  const routes = [companion.storefront, companion.backOffice].flatMap((app) => routesOf(app));
  expect(names.toSorted()).toEqual([...new Set(routes.map(({ id }) => id))].toSorted());
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
