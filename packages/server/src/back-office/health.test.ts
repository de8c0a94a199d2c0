import { expect, test } from 'vitest';
import { createCompanion, PRIVATE_KEY } from '../companion.fixture.ts';
import { primed } from '../scripted-service.fixture.ts';
import { createCompanion as createApis } from '../companion.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { PublishedProgrammes } from '../programmes/published.ts';
import { createServiceClient } from '../service/client.ts';

const REPORT = 'GET /v2/post-sale/fundings/report';

/** Creates a companion whose readiness checks its keys. */
async function setUp() {
  const plain = await createCompanion();
  const { clock, service } = plain;
  const keys = new KeyRing([new PrivateKey(PRIVATE_KEY)], { clock });
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys,
    transport: service.transport,
    clock,
  });
  const companion = await createCompanion({ service: client, keys, clock });
  const ready = async () => {
    const response = await companion.backOffice.request('/readyz');
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { companion, service, clock, keys, ready };
}

test('livez answers in any state', async () => {
  const { companion } = await setUp();
  await companion.store.close();
  expect((await companion.backOffice.request('/livez')).status).toBe(200);
});

test('specification 5.3: is not ready, with the reason, after 401 to every key, and recovers by itself', async () => {
  const { companion, service, clock, ready } = await setUp();
  expect(await ready()).toEqual({
    status: 200,
    body: { status: 'ok', checks: { store: 'ok', serviceKey: 'ok' } },
  });
  service
    .on('POST /v1/checkout/prime', { status: 401, text: '' })
    .on(REPORT, { status: 401, text: '' });
  expect((await companion.prime()).body.code).toBe('service-key-rejected');

  const { status, body } = await ready();
  expect([status, body.status]).toEqual([503, 'failed']);
  expect(body.checks).toEqual({ store: 'ok', serviceKey: 'rejected' });
  expect(JSON.stringify(body.problems)).toContain('401 to every private key');
  // The companion calls the service on its own, and not on every readiness check.
  await ready();
  await expect.poll(() => service.callsTo(REPORT)).toHaveLength(1);
  expect((await ready()).status).toBe(503);

  service.on(REPORT, { status: 200, body: { records: [] } });
  clock.advance(15_000);
  await ready();
  await expect.poll(async () => (await ready()).status).toBe(200);
  // Reads of one record without optional parameters.
  const asked = service.callsTo(REPORT).map(({ query }) => query);
  expect(asked.map((query) => query.get('limit'))).toEqual(['1', '1']);
  expect(asked.map((query) => query.get('showMissing'))).not.toContain('true');
});

test('recovers even if the clock is set back in the meantime', async () => {
  const { companion, service, clock, ready } = await setUp();
  service
    .on('POST /v1/checkout/prime', { status: 401, text: '' })
    .on(REPORT, { status: 401, text: '' });
  await companion.prime();
  await ready();
  await expect.poll(() => service.callsTo(REPORT)).toHaveLength(1);
  service.on(REPORT, { status: 200, body: { records: [] } });
  clock.advance(-86_400_000);
  await ready();
  await expect.poll(async () => (await ready()).status).toBe(200);
});

test('is ready immediately with another key', async () => {
  const { companion, service, keys, ready } = await setUp();
  service.on('POST /v1/checkout/prime', { status: 401, text: '' });
  await companion.prime();
  expect((await ready()).status).toBe(503);
  keys.replace(0, new PrivateKey('another-private-key-0123456789'));
  expect((await ready()).status).toBe(200);
  service.on('POST /v1/checkout/prime', primed);
});

test('stays ready while the service is down, so that pages get instructions', async () => {
  const { companion, service, ready } = await setUp();
  service.on('POST /v1/checkout/prime', { status: 500, text: '' });
  expect((await companion.prime()).status).toBe(504);
  expect((await ready()).status).toBe(200);
});

test('reports readiness without access to the keys', async () => {
  const { options } = await createCompanion();
  const response = await createApis(options).backOffice.request('/readyz');
  expect(response.status).toBe(200);
});

test('is not ready, with the reason, while the store is unavailable', async () => {
  const { options } = await createCompanion();
  let isDown = true;
  const store = Object.create(options.store, {
    ping: { value: () => (isDown ? Promise.reject(new Error('secret')) : options.store.ping()) },
  }) as typeof options.store;
  const backOffice = createApis({ ...options, store }).backOffice;
  const down = await backOffice.request('/readyz');
  expect([down.status, await down.json()]).toEqual([
    503,
    {
      status: 'failed',
      checks: { store: 'failed', serviceKey: 'ok' },
      problems: ['The store cannot be used.'],
    },
  ]);
  isDown = false;
  expect((await backOffice.request('/readyz')).status).toBe(200);
});

test('reports that the programme file was refused, and stays ready', async () => {
  const programmes = new PublishedProgrammes();
  const companion = await createCompanion({ programmes });
  const ready = async () => {
    const response = await companion.backOffice.request('/readyz');
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  programmes.refuse('programmes.0.apr must be a decimal.');
  expect(await ready()).toEqual({
    status: 200,
    body: {
      status: 'ok',
      checks: { store: 'ok', serviceKey: 'ok', programmes: 'refused' },
      problems: [
        'The former programmes are published: the file cannot be used. programmes.0.apr must be a decimal.',
      ],
    },
  });
  await programmes.replace({ programmes: [] });
  expect(await ready()).toEqual({
    status: 200,
    body: { status: 'ok', checks: { store: 'ok', serviceKey: 'ok' } },
  });
});
