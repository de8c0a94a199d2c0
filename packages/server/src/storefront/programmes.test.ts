import { programmesSchema } from '@financing-checkout/contract/storefront';
import { describe, expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion, ORIGIN, PRIVATE_KEY } from '../companion.fixture.ts';
import { START } from '../scripted-service.fixture.ts';
import { isoTime } from '@financing-checkout/kit';
import { programmeOf } from '../programmes/programmes.fixture.ts';
import { PublishedProgrammes } from '../programmes/published.ts';

async function setUp(change: Parameters<typeof createCompanion>[0] = {}) {
  const clock = new TestClock();
  const programmes = new PublishedProgrammes({ clock });
  await programmes.replace({
    programmes: [programmeOf('a', { validUntil: isoTime(START + 1_000) }), programmeOf('b')],
  });
  const companion = await createCompanion({ clock, programmes, ...change });
  const get = (path = '/programmes', init: RequestInit = {}) =>
    companion.storefront.request(path, init);
  return { clock, companion, get };
}

const idsOf = async (response: Response) =>
  programmesSchema.parse(await response.json()).programmes.map(({ id }) => id);

test('answers anyone without a key, with a cacheable response', async () => {
  const { get } = await setUp();
  const response = await get();
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toEqual({
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    'content-type': 'application/json',
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/) as string,
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^req_/) as string,
  });
  expect(await idsOf(response)).toEqual(['a', 'b']);
});

test('answers every origin and every query alike', async () => {
  const { get } = await setUp();
  const plain = await get();
  const body = await plain.text();
  for (const [path, headers] of [
    ['/programmes', { origin: ORIGIN }],
    ['/programmes', { origin: 'https://elsewhere.example' }],
    ['/programmes?amount=89000&v=1', {}],
  ] as const) {
    const response = await get(path, { headers });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('vary')).toBeNull();
    expect(response.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(await response.text()).toBe(body);
  }
});

test('answers 304 to a client that has the current version, until a programme ends', async () => {
  const { clock, get } = await setUp();
  const etag = (await get()).headers.get('etag') ?? '';
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const response = await get('/programmes', { headers: { 'if-none-match': known } });
    expect([response.status, await response.text()]).toEqual([304, '']);
    expect(response.headers.get('etag')).toBe(etag);
    expect(response.headers.get('cache-control')).toContain('max-age=300');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('vary')).toBeNull();
  }
  clock.advance(1_001);
  const after = await get('/programmes', { headers: { 'if-none-match': etag } });
  expect(after.status).toBe(200);
  expect(await idsOf(after)).toEqual(['b']);
});

test('answers HEAD with the same headers and no body', async () => {
  const { get } = await setUp();
  const etag = (await get()).headers.get('etag');
  const response = await get('/programmes', { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('etag')).toBe(etag);
  expect(response.headers.get('cache-control')).toContain('public');
});

test('answers the preflight of a page from any origin whose tools add headers', async () => {
  const { get } = await setUp();
  const response = await get('/programmes', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'traceparent',
    },
  });
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-headers')).toBe('*');
});

test('has an empty list without a file', async () => {
  const { storefront } = await createCompanion();
  const response = await storefront.request('/programmes');
  expect(await response.json()).toEqual({ programmes: [] });
});

test('does not count requests against the limit of an address', async () => {
  const { companion, get } = await setUp({ addressLimit: 2, clientAddress: () => '203.0.113.7' });
  for (let count = 0; count < 20; count++) expect((await get()).status).toBe(200);
  const limited = [];
  for (let count = 0; count < 3; count++) limited.push((await companion.get('/checkout/x')).status);
  expect(limited).toEqual([404, 404, 429]);
});

describe('refuses, with a response that no cache stores,', () => {
  test.each([
    ['the private key in the query', `/programmes?key=${PRIVATE_KEY}`, {}],
    ['the private key in a header', '/programmes', { authorization: `Bearer ${PRIVATE_KEY}` }],
  ])('%s', async (_, path, headers) => {
    const { companion, get } = await setUp();
    const response = await get(path, { headers });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'private-key-exposed' },
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(companion.counters.read('private-key-exposed')).toBe(1);
  });

  test('another method', async () => {
    const { get } = await setUp();
    const response = await get('/programmes', { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});
