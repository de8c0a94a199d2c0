import { expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion, PRIVATE_KEY } from '../companion.fixture.ts';
import { primed } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { silentMeter } from '../platform/meter.ts';
import { Admission } from './admission.ts';
import { createServiceClient } from './client.ts';

const never = new AbortController().signal;

/** Enters the queue and records when it is admitted or refused. */
function enter(
  admission: Admission,
  name: string,
  log: string[],
  priority: Parameters<Admission['enter']>[0],
) {
  const place = admission.enter(priority, never);
  void place.then((leave) => log.push(`${name} ${leave ? 'in' : 'away'}`));
  return place;
}

test('admits charges before primes and primes before reports', async () => {
  const admission = new Admission(1, 10);
  const log: string[] = [];
  const first = await enter(admission, 'first', log, 'checkout');
  const report = enter(admission, 'report', log, 'report');
  const prime = enter(admission, 'prime', log, 'checkout');
  const charge = enter(admission, 'charge', log, 'charge');
  first?.();
  (await charge)?.();
  (await prime)?.();
  (await report)?.();
  expect(log).toEqual(['first in', 'charge in', 'prime in', 'report in']);
  expect([admission.inFlight, admission.waiting]).toEqual([0, 0]);
});

test('a charge replaces the newest entry of the lowest priority in a full queue', async () => {
  const admission = new Admission(1, 2);
  const log: string[] = [];
  const first = await enter(admission, 'first', log, 'checkout');
  const prime = enter(admission, 'prime', log, 'checkout');
  const report = enter(admission, 'report', log, 'report');
  const charge = enter(admission, 'charge', log, 'charge');
  expect(await report).toBeUndefined();
  expect(log).toContain('report away');
  // No waiting entry has a lower priority than a prime.
  expect(await enter(admission, 'late prime', log, 'checkout')).toBeUndefined();
  first?.();
  (await charge)?.();
  (await prime)?.();
  expect(log).toEqual(['first in', 'report away', 'late prime away', 'charge in', 'prime in']);
});

test('replaces the newest of several waiting reports', async () => {
  const admission = new Admission(1, 2);
  const log: string[] = [];
  const first = await enter(admission, 'first', log, 'checkout');
  const older = enter(admission, 'older', log, 'report');
  const younger = enter(admission, 'younger', log, 'report');
  const charge = enter(admission, 'charge', log, 'charge');
  expect(await younger).toBeUndefined();
  first?.();
  (await charge)?.();
  expect(await older).toBeDefined();
});

test('reports hold at most a quarter of the slots', async () => {
  const admission = new Admission(8, 10);
  const reports = [await admission.enter('report', never), await admission.enter('report', never)];
  const third = admission.enter('report', never);
  expect([admission.inFlight, admission.waiting]).toEqual([2, 1]);
  expect(await admission.enter('checkout', never)).toBeDefined();
  reports[0]?.();
  expect(await third).toBeDefined();
});

test('releases a slot once, even when it is released twice', async () => {
  const admission = new Admission(2, 0);
  const leave = await admission.enter('charge', never);
  leave?.();
  leave?.();
  expect(admission.inFlight).toBe(0);
});

test('the deadline ends the wait', async () => {
  const admission = new Admission(1, 1);
  await admission.enter('charge', never);
  const deadline = new AbortController();
  const waiting = admission.enter('charge', deadline.signal);
  deadline.abort();
  expect(await waiting).toBeUndefined();
  expect(admission.waiting).toBe(0);
});

test('rejects calls immediately when the queue is full, with 503 "overloaded" and Retry-After, safe to retry', async () => {
  const held: (() => void)[] = [];
  const companion = await createCompanion();
  const service = companion.service.on(
    'POST /v1/checkout/prime',
    () => new Promise((resolve) => held.push(() => resolve(primed))),
  );
  const narrow = await createCompanion({
    service: createServiceClient({
      baseUrl: 'https://service.example/',
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport: service.transport,
      clock: companion.clock,
      concurrency: 1,
      queue: 1,
    }),
  });
  const first = narrow.prime('key-1', { merchantOrderId: 'order-1' });
  await expect.poll(() => held.length).toBe(1);
  const second = narrow.prime('key-2', { merchantOrderId: 'order-2' });
  const third = narrow.prime('key-3', { merchantOrderId: 'order-3' });
  const { status, body, headers } = await Promise.race([second, third]);
  expect([status, body.code, body.retrySafe]).toEqual([503, 'overloaded', true]);
  expect(headers.get('retry-after')).toBe('2');
  expect(service.calls).toHaveLength(1);
  held[0]?.();
  await expect.poll(() => held.length).toBe(2);
  held[1]?.();
  const statuses = (await Promise.all([first, second, third])).map((answer) => answer.status);
  expect(statuses.sort()).toEqual([201, 201, 503]);
});

test('measures waiting calls and abandoned waits', async () => {
  const gauge: number[][] = [];
  const gate = Promise.withResolvers<undefined>();
  const clock = new TestClock();
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: async () => {
      await gate.promise;
      return new Response('{}', { status: 500 });
    },
    clock,
    concurrency: 1,
    meter: { ...silentMeter, calls: (...counts) => void gauge.push(counts) },
  });
  const calls = [1, 2, 3].map(() => client.charge('charge-1', { priority: 'charge' }));
  expect(gauge.at(-1)).toEqual([1, 2]);
  clock.advance(10_000);
  await Promise.all(calls);
  expect(gauge.at(-1)).toEqual([0, 0]);
  gate.resolve(undefined);
});

test('lookups of refused charges go last and hold at most a quarter of the slots', async () => {
  const admission = new Admission(4, 3);
  const log: string[] = [];
  const look = await enter(admission, 'look', log, 'refusal');
  const second = enter(admission, 'second look', log, 'refusal');
  const prime = await enter(admission, 'prime', log, 'checkout');
  expect([admission.inFlight, admission.waiting]).toEqual([2, 1]);
  const others = [
    await enter(admission, 'charge', log, 'charge'),
    await enter(admission, 'report', log, 'report'),
  ];
  const waiting = [
    enter(admission, 'second report', log, 'report'),
    enter(admission, 'second prime', log, 'checkout'),
  ];
  // The queue is full: of all waiting entries the lookup has the lowest priority.
  const urgent = enter(admission, 'second charge', log, 'charge');
  expect(await second).toBeUndefined();
  for (const leave of [look, prime, ...others]) leave?.();
  for (const place of [...waiting, urgent]) (await place)?.();
  expect(log.slice(-3)).toEqual(['second charge in', 'second prime in', 'second report in']);
});

test('calls of pages go last, and share a quarter of the slots with lookups of refused charges', async () => {
  const admission = new Admission(8, 4);
  const log: string[] = [];
  const pages = [
    await enter(admission, 'page', log, 'page'),
    await enter(admission, 'page', log, 'page'),
  ];
  const waiting = [
    enter(admission, 'third page', log, 'page'),
    enter(admission, 'look', log, 'refusal'),
  ];
  expect([admission.inFlight, admission.waiting]).toEqual([2, 2]);
  // The other slots are reserved for calls that a purchase needs.
  for (let index = 0; index < 6; index++) await enter(admission, 'prime', log, 'checkout');
  const prime = enter(admission, 'late prime', log, 'checkout');
  const charge = enter(admission, 'charge', log, 'charge');
  // The queue is full: the call from a page makes room.
  const report = enter(admission, 'report', log, 'report');
  expect(await waiting[0]).toBeUndefined();
  for (const leave of pages) leave?.();
  for (const place of [charge, prime, report, waiting[1]]) (await place)?.();
  expect(log.slice(-5)).toEqual([
    'third page away',
    'charge in',
    'late prime in',
    'report in',
    'look in',
  ]);
});
