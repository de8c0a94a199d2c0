import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemCodes } from '@financing-checkout/contract/storefront';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCompanion, PRIVATE_KEY } from '../companion.fixture.ts';
import { START } from '../scripted-service.fixture.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { counterNames } from '../platform/counters.ts';
import { StoreUnavailableError } from '../platform/store-errors.ts';
import { createMetrics, type MetricsOptions } from './metrics.ts';

async function setUp(change: Partial<MetricsOptions> = {}) {
  const { counters, store } = await createCompanion();
  const keys = new KeyRing([new PrivateKey(PRIVATE_KEY)]);
  const metrics = createMetrics({
    keys,
    counters,
    store,
    version: '1',
    environment: 'sandbox',
    ...change,
  });
  const { meter } = metrics;
  meter.request({
    listener: 'storefront',
    method: 'GET',
    route: '/checkout/:id',
    status: 503,
    code: 'overloaded',
    seconds: 0.02,
  });
  meter.call({
    method: 'POST',
    route: '/v1/checkout/prime',
    outcome: 'unknown',
    reason: 'timeout',
    seconds: 10,
  });
  const lines = async (kind: RegExp) =>
    (await metrics.render()).text.split('\n').filter((line) => kind.test(line));
  const samples = () => lines(/^financing_/);
  const names = async () => (await lines(/^# TYPE /)).map((line) => line.split(' ')[2]);
  return { meter, counters, samples, names };
}

test('exports every metric that the documentation names for operators', async () => {
  const { names } = await setUp();
  const text = ['README.md', 'docs/deploying.md']
    .map((file) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8'))
    .join('\n');
  const named = new Set(text.match(/\bfinancing_\w+/g));
  const measured = new Set(await names());
  expect(named.size).toBeGreaterThan(8);
  expect([...named].filter((name) => !measured.has(name))).toEqual([]);

  const labels = (name: string) =>
    Array.from(text.matchAll(new RegExp(`\\{${name}="([^"]+)"\\}`, 'g')), ([, value]) => value);
  const known = { event: counterNames, code: problemCodes, state: ['closed', 'open', 'half-open'] };
  for (const [name, values] of Object.entries(known)) {
    const used = labels(name);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((value) => !(values as readonly string[]).includes(value ?? ''))).toEqual(
      [],
    );
  }
});

test('counts events by label, and measures durations in seconds', async () => {
  const { meter, counters, samples } = await setUp();
  meter.circuit('half-open');
  meter.calls(3, 7);
  counters.increment('charge-mismatch');
  expect(await samples()).toEqual(
    expect.arrayContaining([
      'financing_http_request_duration_seconds_bucket{le="0.01",listener="storefront",method="GET",route="/checkout/:id",status="503"} 0',
      'financing_http_request_duration_seconds_bucket{le="0.025",listener="storefront",method="GET",route="/checkout/:id",status="503"} 1',
      'financing_http_problems_total{listener="storefront",code="overloaded"} 1',
      'financing_http_problems_total{listener="back-office",code="service-key-rejected"} 0',
      'financing_service_call_duration_seconds_sum{method="POST",route="/v1/checkout/prime",outcome="unknown"} 10',
      'financing_service_call_failures_total{route="/v1/checkout/prime",reason="timeout"} 1',
      'financing_service_calls_in_progress 3',
      'financing_service_calls_waiting 7',
      'financing_service_circuit_state{state="closed"} 0',
      'financing_service_circuit_state{state="half-open"} 1',
      'financing_events_total{event="charge-mismatch"} 1',
      'financing_events_total{event="private-key-exposed"} 0',
      'financing_service_key_in_use{slot="current"} 1',
      'financing_build_info{version="1"} 1',
    ]),
  );
});

test('exports all other metrics while the store is unavailable, without made-up values', async () => {
  let isDown = false;
  const { store } = await createCompanion();
  const asked = <Result>(ask: () => Promise<Result>) =>
    isDown ? Promise.reject(new StoreUnavailableError()) : ask();
  const broken: MetricsOptions['store'] = {
    dueCheckouts: (...of) => asked(() => store.dueCheckouts(...of)),
    listDeliveries: (query) => asked(() => store.listDeliveries(query)),
    unclearOperations: (query) => asked(() => store.unclearOperations(query)),
  };
  const { samples } = await setUp({ store: broken });
  const ofStore = /^financing_(checkouts|webhook|charge)_/;
  const before = await samples();
  expect(before.filter((line) => ofStore.test(line))).toEqual([
    'financing_checkouts_overdue 0',
    'financing_webhook_deliveries_dead 0',
    'financing_webhook_oldest_undelivered_seconds 0',
    'financing_charge_operations_unclear 0',
  ]);
  isDown = true;
  expect(await samples()).toEqual(before.filter((line) => !ofStore.test(line)));
  isDown = false;
  expect(await samples()).toEqual(before);
});

test('reveals a shop that accepts no webhooks long before the first message is dead', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  onTestFinished(() => void vi.useRealTimers());
  const companion = await createCompanion();
  const { samples } = await setUp({ store: companion.store });
  const oldest = async () => {
    vi.setSystemTime(companion.clock.now());
    const name = 'financing_webhook_oldest_undelivered_seconds ';
    return (await samples()).find((line) => line.startsWith(name))?.slice(name.length);
  };
  companion.shop.on('POST /webhooks', { status: 500, text: '' });
  await companion.open();
  companion.clock.advance(3_600_000);
  await companion.background.runOnce();
  expect(await oldest()).toBe('0');
  companion.clock.advance(1_200_000);
  await companion.background.runOnce();
  expect(await oldest()).toBe('1200');
  companion.shop.on('POST /webhooks', { status: 204, text: '' });
  companion.clock.advance(600_000);
  await companion.background.runOnce();
  expect(await oldest()).toBe('0');
});
