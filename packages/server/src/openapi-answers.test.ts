import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createCompanion,
  order,
  ORIGIN,
  PRIVATE_KEY,
  PUBLIC_KEY,
  keyOf,
} from './companion.fixture.ts';
import { charged, networkError, primed } from './scripted-service.fixture.ts';
import { ChargeAtService, knowOrders } from './charges/charge.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { PAGE_READ_MS } from './service/page-reads.ts';

// Compares the document with real requests and responses, because
// clients are generated from it.

const AUTHORIZATION = 'agreed-with-the-service-0123456789';

const schemaOf = z.record(z.string(), z.unknown());
const contentOf = z.record(z.string(), z.object({ schema: schemaOf.optional() }));
const answerOf = z.object({ description: z.string(), content: contentOf.optional() });
const operationOf = z.object({
  requestBody: z.object({ required: z.literal(true), content: contentOf }).optional(),
  responses: z.record(z.string(), answerOf),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(z.unknown()).optional(),
});
const documentOf = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), schemaOf) }),
});

async function setUp(change: Parameters<typeof createCompanion>[0] = {}) {
  const companion = await createCompanion({
    notificationAuthorizations: [new Secret(AUTHORIZATION)],
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
    ...change,
  });
  const response = await companion.backOffice.request('/openapi.json');
  const document = documentOf.parse(await response.json());

  function resolved(schema: Record<string, unknown>) {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return z.fromJSONSchema(
      name === undefined ? schema : (document.components.schemas[name] ?? {}),
    );
  }
  const operation = (method: string, path: string) =>
    operationOf.parse(document.paths[path]?.[method]);

  /** Fails unless the document has this response with its media type and shape. */
  function expectDescribed(
    [method, path]: readonly [string, string],
    answer: { status: number; headers: { get(name: string): string | null }; body: unknown },
  ): void {
    const { responses } = operation(method, path);
    const status = String(answer.status);
    // OpenAPI 3.1, Responses Object: a single status takes precedence over its class.
    const described = responses[status] ?? responses[`${status.charAt(0)}XX`];
    expect(described, `${method} ${path} ${status} is not in the document`).toBeDefined();
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (described?.content === undefined) {
      expect(type).toBe('');
      return;
    }
    expect(Object.keys(described.content)).toContain(type);
    const schema = described.content[type]?.schema;
    if (schema !== undefined) resolved(schema).parse(answer.body);
  }

  /** Fails unless the document accepts this request body. */
  function expectTaken([method, path]: readonly [string, string], body: unknown): void {
    const content = Object.values(operation(method, path).requestBody?.content ?? {})[0];
    resolved(content?.schema ?? { not: {} }).parse(body);
  }

  return { companion, document, expectDescribed, expectTaken };
}

describe('the document describes settle, refund and void', () => {
  const at = (operation: string) => ['post', `/charges/{chargeId}/${operation}`] as const;

  async function withCharge(charge: { settled?: number } = {}) {
    const context = await setUp();
    const { companion } = context;
    knowOrders(companion);
    const atService = new ChargeAtService(companion.service, charge);
    const operate = (operation: string, body: object, key: string | undefined = operation) =>
      companion.officePost(
        `/charges/charge-1/${operation}`,
        body,
        key === '' ? {} : { 'idempotency-key': key },
      );
    return { ...context, atService, operate };
  }

  test('that succeed', async () => {
    const { operate, expectDescribed, expectTaken } = await withCharge();
    for (const [operation, body] of [
      ['settles', { amount: 20_000 }],
      ['settles', {}],
      ['refunds', { amount: 5_000 }],
    ] as const) {
      expectTaken(at(operation), body);
      const answer = await operate(operation, body, `${operation}-${JSON.stringify(body)}`);
      expect(answer.status).toBe(201);
      expectDescribed(at(operation), answer);
      expect(JSON.stringify(answer.body)).not.toContain('null');
    }
    const fresh = await withCharge();
    fresh.expectTaken(at('voids'), {});
    const voided = await fresh.operate('voids', {});
    expect(voided.status).toBe(201);
    fresh.expectDescribed(at('voids'), voided);
  });

  test('that are refused or have an unknown outcome', async () => {
    const { companion, atService, operate, expectDescribed } = await withCharge({ settled: 100 });
    const answers = [
      ['settles', await operate('settles', { amount: 0 }, 'key-1'), 400],
      ['settles', await operate('settles', {}, ''), 400],
      ['settles', await operate('settles', { amount: 99_999 }, 'key-2'), 422],
      ['refunds', await operate('refunds', { amount: 101 }, 'key-3'), 422],
      ['voids', await operate('voids', {}, 'key-4'), 409],
    ] as const;
    for (const [operation, answer, status] of answers) {
      expect(answer.status).toBe(status);
      expectDescribed(at(operation), answer);
    }
    const outside = await companion.officePost(
      '/charges/charge-1/voids',
      {},
      { authorization: 'Bearer wrong', 'idempotency-key': 'key-5' },
    );
    expect(outside.status).toBe(401);
    expectDescribed(at('voids'), outside);
    atService.faults.push('lost-before');
    const unknown = await operate('refunds', { amount: 1 }, 'key-6');
    expect(unknown.status).toBe(504);
    expectDescribed(at('refunds'), unknown);
    const busy = await operate('refunds', { amount: 1 }, 'key-7');
    expect(busy.status).toBe(409);
    expectDescribed(at('refunds'), busy);
  });

  test('that await a person, and their resolutions', async () => {
    const { companion, atService, operate, expectDescribed, expectTaken } = await withCharge();
    atService.faults.push('lost-before');
    await operate('settles', { amount: 500 }, 'key-1');
    atService.settled = 700;
    companion.clock.advance(210_000);
    const list = await companion.office('/charge-operations?state=unclear');
    expectDescribed(['get', '/charge-operations'], list);
    const { operations } = z
      .object({ operations: z.array(z.object({ id: z.string() })) })
      .parse(list.body);
    expect(operations).toHaveLength(1);
    const resolution = ['post', '/charge-operations/{operationId}/resolution'] as const;
    const said = { outcome: 'done', by: 'Ines', note: 'seen' };
    expectTaken(resolution, said);
    const address = `/charge-operations/${operations[0]?.id ?? ''}/resolution`;
    const answers = [
      await companion.officePost(address, said),
      await companion.officePost(address, { ...said, outcome: 'not-done' }),
      await companion.officePost('/charge-operations/none/resolution', said),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 404]);
    for (const answer of answers) expectDescribed(resolution, answer);
    const query = await companion.office('/charge-operations');
    expect(query.status).toBe(400);
    expectDescribed(['get', '/charge-operations'], query);
  });

  test('of an unknown charge', async () => {
    const { companion, expectDescribed } = await setUp();
    const key = { 'idempotency-key': 'key-1' };
    const answer = await companion.officePost('/charges/none/voids', {}, key);
    expect(answer.status).toBe(404);
    expectDescribed(at('voids'), answer);
  });
});

test('describes links: created, active, listed, refused and lost', async () => {
  const { companion, expectDescribed, expectTaken } = await setUp();
  companion.service.on('POST /v2/omni-link/consumer/checkout', {
    status: 201,
    body: { linkId: 'link-1', url: 'https://links.example/l/1', qrCode: 'iVBORw0KGgo=' },
  });
  companion.service.on('GET /v2/omni-link/consumer/link-1', networkError('ECONNRESET'));
  const create = ['post', '/links'] as const;
  const send = (key: string, body: object = {}) =>
    companion.officePost('/links', { order, ...body }, { 'idempotency-key': key });
  expectTaken(create, { order, deliver: 'sms', language: 'en' });
  const made = await send('key-1');
  const answers = [
    made,
    await send('key-2'),
    await send('key-2', { language: 'fr' }),
    await send('key-3', { deliver: 'sms' }),
    await send('key-4', { order: { ...order, taxAmount: 2_002, totalAmount: 27_500 } }),
  ];
  companion.service.on('POST /v2/omni-link/consumer/checkout', networkError('ECONNRESET'));
  answers.push(await send('key-5', { order: { ...order, merchantOrderId: 'order-2' } }));
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 422, 400, 409, 504]);
  for (const answer of answers) expectDescribed(create, answer);
  const id = String(made.body.checkoutId);
  expectDescribed(['get', '/links/{checkoutId}'], await companion.office(`/links/${id}`));
  expectDescribed(['get', '/links/{checkoutId}'], await companion.office('/links/none'));
  const listed = await companion.office('/links?merchantOrderId=order-1001');
  expect(listed.body.links).toHaveLength(1);
  expectDescribed(['get', '/links'], listed);
  expectDescribed(['get', '/links'], await companion.office('/links'));
});

test('describes webhooks: listed, replayed and unknown', async () => {
  const { companion, expectDescribed } = await setUp();
  companion.shop.on('POST /webhooks', networkError('ECONNREFUSED'));
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  const list = await companion.office('/webhooks?state=waiting');
  expectDescribed(['get', '/webhooks'], list);
  const { deliveries } = z
    .object({ deliveries: z.array(z.object({ id: z.string() })) })
    .parse(list.body);
  expect(deliveries).toHaveLength(1);
  const replayed = await companion.officePost(`/webhooks/${deliveries[0]?.id ?? ''}/replay`);
  expect(replayed.status).toBe(202);
  expectDescribed(['post', '/webhooks/{id}/replay'], replayed);
  const none = await companion.officePost('/webhooks/msg_none/replay');
  expect(none.status).toBe(404);
  expectDescribed(['post', '/webhooks/{id}/replay'], none);
});

test('describes the form without JavaScript: a redirect, and a page for each refusal', async () => {
  const { companion, expectDescribed, expectTaken } = await setUp();
  const start = async (change: Record<string, string>, headers: Record<string, string> = {}) => {
    const fields = {
      environment: 'sandbox',
      returnUrl: `${ORIGIN}/done`,
      publicKey: PUBLIC_KEY,
      order: await companion.ticket(),
      ...change,
    };
    expectTaken(['post', '/checkout/start'], fields);
    const response = await companion.storefront.request('/checkout/start', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: ORIGIN,
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  companion.service.on('POST /v1/checkout/prime', { status: 504, text: '' });
  const answers = [
    await start({}),
    await start({ order: 'not.a.ticket' }),
    await start({ publicKey: 'another' }),
    await start({}, { origin: 'https://evil.example' }),
    await start({}, { 'content-type': 'text/plain' }),
    await start({ environment: 'production' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([504, 422, 401, 403, 415, 409]);
  for (const answer of answers) expectDescribed(['post', '/checkout/start'], answer);
  const fresh = await setUp();
  const response = await fresh.companion.storefront.request('/checkout/start', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN },
    body: new URLSearchParams({
      environment: 'sandbox',
      returnUrl: `${ORIGIN}/done`,
      publicKey: PUBLIC_KEY,
      order: await fresh.companion.ticket(),
    }).toString(),
  });
  expect(response.status).toBe(303);
  fresh.expectDescribed(['post', '/checkout/start'], {
    status: 303,
    headers: response.headers,
    body: await response.text(),
  });
});

test('describes programmes: published, unchanged and refused', async () => {
  const { companion, expectDescribed } = await setUp();
  const ask = async (headers: Record<string, string> = {}) =>
    companion.read(await companion.storefront.request('/programmes', { headers }));
  const first = await ask();
  const answers = [
    first,
    await ask({ 'if-none-match': first.headers.get('etag') ?? '' }),
    await ask({ 'x-key': PRIVATE_KEY }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 304, 400]);
  for (const answer of answers) expectDescribed(['get', '/programmes'], answer);
});

test('describes applications without a cart: started, read and refused', async () => {
  const { companion, expectDescribed, expectTaken } = await setUp();
  companion.service
    .on('POST /v3/session', { ...primed, status: 200 })
    .on('GET /v2/checkout/applications/application-1/status', {
      status: 200,
      body: { flowType: 'Apply', applicationStatus: 'Approved', offers: [{ amount: 1500 }] },
    });
  const begin = (body: object, key = 'key-1') =>
    companion.post('/prequalifications', body, { 'idempotency-key': key });
  const request = { environment: 'sandbox', currency: 'USD', amount: 89_000 };
  expectTaken(['post', '/prequalifications'], request);
  const begun = await begin(request);
  const answers = [
    begun,
    await begin({ ...request, amount: 1 }),
    await begin({ ...request, environment: 'uat' }),
    await begin({}),
    await begin(request, ''),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 422, 409, 400, 400]);
  for (const answer of answers) expectDescribed(['post', '/prequalifications'], answer);
  const read = (secret: string) =>
    companion.get(`/prequalifications/${String(begun.body.id)}`, {
      'financing-checkout-secret': secret,
    });
  const found = await read(keyOf('key-1'));
  expect([found.status, found.body.status]).toEqual([200, 'prequalified']);
  const missing = await read(keyOf('key-2'));
  expect(missing.status).toBe(404);
  companion.service.on('GET /v2/checkout/applications/application-1/status', {
    status: 400,
    body: {},
  });
  companion.clock.advance(PAGE_READ_MS);
  const refused = await read(keyOf('key-1'));
  expect(refused.status).toBe(502);
  for (const answer of [found, missing, refused]) {
    expectDescribed(['get', '/prequalifications/{id}'], answer);
  }
});

test('describes notifications: kept, repeated, noted, unknown and unauthorized', async () => {
  const { companion, expectDescribed } = await setUp();
  companion.service.on('POST /v2/post-sale/charges', charged);
  const notify = async (body: string, authorization = AUTHORIZATION) =>
    companion.read(
      await companion.storefront.request('/notifications', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      }),
    );
  const approved = JSON.stringify({
    event: 'application.approved',
    applicationId: 'application-1',
  });
  const answers = [
    await notify(approved),
    await notify(approved),
    await notify(JSON.stringify({ event: 'application.created', applicationId: 'application-1' })),
    await notify('{"event":'),
    await notify(approved, 'wrong'),
    await notify('x'.repeat(70_000)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 401, 413]);
  for (const answer of answers) expectDescribed(['post', '/notifications'], answer);
});

describe('a described body is required', () => {
  test('refuses a request without a body or with another content type before any work', async () => {
    const { companion, document } = await setUp();
    const posts = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => ['post', 'put', 'patch'].includes(method))
        .map(([method, described]) => ({ path, method, described: operationOf.parse(described) }))
        .filter(({ described }) => described.requestBody !== undefined),
    );
    const own = ['/notifications', '/checkout/start'];
    const tested: string[] = [];
    for (const { path, method } of posts.filter(({ path }) => !own.includes(path))) {
      const isOfPages = /^\/(?:checkout|prequalifications)\b/.test(path);
      const app = isOfPages ? companion.storefront : companion.backOffice;
      const authorization =
        app === companion.storefront
          ? `Bearer ${PUBLIC_KEY}`
          : 'Bearer back-office-token-0123456789';
      const address = path.replaceAll(/\{\w+\}/g, 'one');
      for (const type of [
        undefined,
        'text/plain',
        'application/x-www-form-urlencoded',
        'text/json',
      ]) {
        const headers = new Headers({
          authorization,
          'financing-checkout-version': '1',
          'idempotency-key': keyOf('key-1'),
          ...(app === companion.storefront ? { origin: ORIGIN } : {}),
          ...(type === undefined ? {} : { 'content-type': type }),
        });
        const body = new TextEncoder().encode('{}');
        const response = await app.request(address, {
          method: method.toUpperCase(),
          headers,
          body,
        });
        expect([path, type, response.status]).toEqual([path, type, 415]);
      }
      const json = new Headers({
        authorization,
        'content-type': 'application/json',
        'financing-checkout-version': '1',
        'idempotency-key': keyOf('key-1'),
        ...(app === companion.storefront ? { origin: ORIGIN } : {}),
      });
      const empty = await app.request(address, { method: method.toUpperCase(), headers: json });
      expect([path, empty.status]).toEqual([path, 400]);
      tested.push(path);
    }
    expect(tested.length).toBeGreaterThan(4);
    expect(companion.service.calls).toEqual([]);
  });
});

test('control: finds an undocumented response', async () => {
  const { expectDescribed } = await setUp();
  const settle = ['post', '/charges/{chargeId}/settles'] as const;
  const answer = (status: number, type: string, body: unknown) => () =>
    expectDescribed(settle, { status, headers: new Headers({ 'content-type': type }), body });
  expect(answer(418, 'application/json', {})).toThrow(/not in the document/);
  expect(answer(201, 'text/html', {})).toThrow();
  expect(answer(201, 'application/json', { id: 1 })).toThrow();
});
