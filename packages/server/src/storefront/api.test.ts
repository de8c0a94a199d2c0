import { describe, expect, test } from 'vitest';
import { Hono } from 'hono';
import { problemSchema } from '@financing-checkout/contract/storefront';
import { createCompanion as createApis } from '../companion.ts';
import { createCompanion, ORIGIN, PRIVATE_KEY } from '../companion.fixture.ts';

const PRIME = '/checkout/prime';

test('rejects options that would expose the key or admit everyone', async () => {
  const { options } = await createCompanion();
  const create = (change: object) => () => createApis({ ...options, ...change }).storefront;
  expect(create({ publicKey: PRIVATE_KEY })).toThrow(TypeError);
  expect(create({ allowedOrigins: ['*'] })).toThrow(TypeError);
  expect(create({ allowedOrigins: [] })).toThrow(TypeError);
  expect(create({ resolveOrder: () => Promise.resolve(undefined) })).toThrow(TypeError);
  expect(create({})).not.toThrow();
});

describe('origins', () => {
  test('answers a preflight without a key for an allowed origin and refuses others', async () => {
    const companion = await createCompanion();
    const ask = (origin: string) =>
      companion.storefront.request(PRIME, { method: 'OPTIONS', headers: { origin } });
    const allowed = await ask(ORIGIN);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(allowed.headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, idempotency-key, financing-checkout-version, financing-checkout-secret, ' +
        'traceparent, tracestate, baggage, sentry-trace',
    );
    expect(allowed.headers.get('access-control-max-age')).toBe('600');
    const refused = await ask('https://evil.example');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('access-control-allow-methods')).toBeNull();
  });
});

describe('the private key in a request', () => {
  const bytes = Buffer.from(PRIVATE_KEY);
  const forms: [string, string][] = [
    ['as it is', PRIVATE_KEY],
    ['percent-encoded', encodeURIComponent(PRIVATE_KEY)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(PRIVATE_KEY))],
    ['every byte percent-encoded', bytes.toString('hex').replace(/../g, '%$&')],
    ['base64', bytes.toString('base64')],
    ['base64 in the middle', Buffer.from(`user:${PRIVATE_KEY}!`).toString('base64')],
    ['base64url', Buffer.from(`x${PRIVATE_KEY}`).toString('base64url')],
    ['hexadecimal', bytes.toString('hex').toUpperCase()],
  ];

  test.each(forms)(
    'specification 5.6: %s is refused anywhere, counted and not forwarded',
    async (_, key) => {
      const companion = await createCompanion();
      const ticket = await companion.ticket();
      const answers = [
        await companion.post(PRIME, {}, { authorization: `Bearer ${key}` }),
        await companion.post(PRIME, {}, { 'x-anything': key, authorization: '' }),
        await companion.post(PRIME, { order: ticket, environment: 'sandbox', extra: key }),
        await companion.post(PRIME, `garbage ${key}`, { 'content-type': 'text/plain' }),
        await companion.get(`/checkout/${encodeURIComponent(key)}`),
        await companion.get(`/checkout/x?key=${encodeURIComponent(key)}`),
      ];
      for (const { status, body } of answers) {
        expect([status, body.code]).toEqual([400, 'private-key-exposed']);
      }
      expect(companion.counters.read('private-key-exposed')).toBe(answers.length);
      const lines = companion.log.filter(({ event }) => event === 'private-key-exposed');
      expect(lines.map(({ requestId }) => requestId)).toEqual(
        answers.map(({ headers }) => headers.get('x-request-id')),
      );
      expect(companion.service.calls).toHaveLength(0);
      expect([JSON.stringify(companion.log), ...companion.answers].join()).not.toContain(key);
    },
  );

  test('is found in a header name, in its original case and in lowercase', async () => {
    const companion = await createCompanion();
    const ask = async (name: string, env?: object) => {
      const headers = companion.headers(env === undefined ? { [name]: 'x' } : {});
      return companion.read(await companion.storefront.request('/checkout/x', { headers }, env));
    };
    const answers = [
      await ask(bytes.toString('hex')),
      await ask(PRIVATE_KEY, { incoming: { rawHeaders: [PRIVATE_KEY, 'x'] } }),
    ];
    for (const { body } of answers) expect(body.code).toBe('private-key-exposed');
  });

  test('is found under JSON escapes', async () => {
    const companion = await createCompanion();
    const escaped = Array.from(
      PRIVATE_KEY,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const { body } = await companion.post(PRIME, `{"order":"${escaped.join('')}"}`);
    expect(body.code).toBe('private-key-exposed');
  });

  test('control: a request with the key minus one character is accepted', async () => {
    const companion = await createCompanion();
    const { body } = await companion.post(PRIME, { order: PRIVATE_KEY.slice(1) });
    expect(body.code).toBe('idempotency-key-missing');
    expect(companion.counters.read('private-key-exposed')).toBe(0);
  });
});

describe('requirements for a request', () => {
  test.each(['Application/JSON', 'application/json ;charset=utf-8'])(
    'RFC 9110 8.3.1: "%s" is JSON',
    async (type) => {
      const companion = await createCompanion();
      const body = { order: await companion.ticket(), environment: 'sandbox' };
      const headers = { 'idempotency-key': 'key-1', 'content-type': type };
      expect((await companion.post(PRIME, body, headers)).status).toBe(201);
    },
  );

  test('an error names the field and never the value', async () => {
    const companion = await createCompanion();
    const body = { order: '', environment: 'moon-secret', 'field-secret': 1 };
    const answer = await companion.post(PRIME, body, { 'idempotency-key': 'key-1' });
    expect(answer.status).toBe(400);
    const paths = problemSchema.parse(answer.body).errors?.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['order', 'environment']));
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });
});

test("answers the same, errors included, when mounted in a merchant's Hono app", async () => {
  const companion = await createCompanion();
  const app = new Hono().route('/financing', companion.storefront);
  const answer = await companion.read(
    await app.request('/financing/checkout/none', { headers: companion.headers() }),
  );
  expect([answer.status, answer.body.code]).toEqual([404, 'checkout-not-found']);
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
});

test('logs the route and never the path', async () => {
  const companion = await createCompanion();
  const id = await companion.open();
  await companion.get(`/checkout/${id}`);
  const routes = companion.log.filter(({ event }) => event === 'request').map(({ route }) => route);
  expect(routes).toEqual(['/checkout/prime', '/checkout/:id']);
});

test('logs the checkout id of a request, even if it is refused, and no other id', async () => {
  const companion = await createCompanion();
  const id = await companion.open();
  await companion.get(`/checkout/${id}`);
  await companion.post(`/checkout/${id}/cancellation`);
  await companion.confirm(id);
  await companion.post(`/checkout/${id}/confirmation`, {});
  await companion.get('/checkout/chk_of_nobody');
  await companion.confirm('chk_of_nobody');
  const lines = companion.log.filter(({ event }) => event === 'request');
  expect(lines.map(({ checkoutId, code }) => [checkoutId, code])).toEqual([
    [id, undefined],
    [id, undefined],
    [id, undefined],
    [id, 'checkout-not-open'],
    [undefined, 'invalid-request'],
    [undefined, 'checkout-not-found'],
    [undefined, 'checkout-not-found'],
  ]);
});
