import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import type { LogFields } from '../platform/log.ts';
import { databases, fundingDay, NOW, sqliteFacts } from './facts.fixture.ts';
import { Lease, type LeaseOptions } from './lease.ts';
import { LeaseLostError } from './store.ts';

/** Advances the clock second by second, and waits each time until its timers have done their work. */
async function advance(clock: TestClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1_000);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }
}

async function setUp() {
  const store = sqliteFacts();
  const facts = await store.open();
  const clock = new TestClock(NOW);
  const logged: [event: string, fields: LogFields | undefined][] = [];
  const options = (holder: string): LeaseOptions => ({
    facts,
    holder,
    address: `http://${holder}.example`,
    clock,
    logger: { log: (_level, event, fields) => void logged.push([event, fields]) },
  });
  return { ...store, facts, clock, logged, options };
}

test('renews a lease while its process is running, and releases it at the end', async () => {
  const { clock, facts, options } = await setUp();
  const lease = await Lease.take(options('one'));
  await advance(clock, 60);
  expect(await Lease.take(options('two'))).toBeUndefined();
  expect(await facts.leaseHolder()).toMatchObject({ address: 'http://one.example' });
  expect(lease?.lost.aborted).toBe(false);
  await lease?.release();
  expect(lease?.lost.aborted).toBe(true);
  const next = await Lease.take(options('two'));
  expect(next?.fence.number).toBe(2);
});

test('lets a waiting process take over within seconds after the holder dies', async () => {
  const { clock, options, open } = await setUp();
  const gone = await open();
  const now = clock.now();
  const fence = await gone.takeLease('gone', undefined, now, now + 10_000);
  const waiting = Lease.wait(options('two'), new AbortController().signal);
  await advance(clock, 13);
  const lease = await waiting;
  expect(lease?.fence).toEqual({ holder: 'two', number: 2 });
  expect(fence).toEqual({ holder: 'gone', number: 1 });
});

test('keeps waiting while the database is unavailable, until the process ends', async () => {
  const { clock, facts, logged, options } = await setUp();
  const ending = new AbortController();
  vi.spyOn(facts, 'takeLease').mockRejectedValue(new Error('connection refused'));
  const waiting = Lease.wait(options('one'), ending.signal);
  await advance(clock, 6);
  expect(logged).toContainEqual(['lease-not-asked', { errorName: 'Error' }]);
  ending.abort();
  expect(await waiting).toBeUndefined();
});

test('tells a process that its lease was taken, and rejects its writes', async () => {
  const { clock, facts, logged, options } = await setUp();
  const lease = await Lease.take(options('one'));
  const later = clock.now() + 10_000;
  expect(await facts.takeLease('two', undefined, later, later + 60_000)).toBeDefined();
  await advance(clock, 3);
  expect(lease?.lost.aborted).toBe(true);
  expect(logged).toContainEqual(['lease-lost', { reason: 'taken' }]);
  if (lease) {
    const write = facts.writeDay(lease.fence, fundingDay('2026-11-18'));
    await expect(write).rejects.toThrow(LeaseLostError);
  }
  await lease?.release();
  expect(await facts.leaseHolder()).toMatchObject({ holder: 'two' });
});

test('keeps a lease that cannot be renewed until it expires', async () => {
  const { clock, facts, logged, options } = await setUp();
  const lease = await Lease.take(options('one'));
  const renew = vi.spyOn(facts, 'renewLease').mockRejectedValue(new Error('connection refused'));
  await advance(clock, 9);
  expect(lease?.lost.aborted).toBe(false);
  renew.mockRestore();
  await advance(clock, 30);
  expect(lease?.lost.aborted).toBe(false);
  vi.spyOn(facts, 'renewLease').mockRejectedValue(new Error('connection refused'));
  await advance(clock, 14);
  expect(lease?.lost.aborted).toBe(true);
  expect(logged.at(-1)).toEqual(['lease-lost', { reason: 'expired' }]);
});

test.for([
  { clock: 'ahead', difference: 3_600_000 },
  { clock: 'behind', difference: -3_600_000 },
])(
  'on PostgreSQL, a process whose clock is $clock does not take the lease',
  async ({ difference }) => {
    const [, make] = databases[1] ?? [];
    const store = await make?.();
    if (store === undefined) throw new Error('There is no PostgreSQL.');
    const logger = { log: () => undefined };
    // The database uses the machine's clock.
    const lengthMs = 600_000;
    const processOf = async (holder: string, now: number): Promise<LeaseOptions> => {
      const clock = new TestClock(now);
      return { facts: await store.open(), holder, clock, logger, lengthMs };
    };
    const now = Date.now();
    const one = await Lease.take(await processOf('one', now));
    const two = await processOf('two', now + difference);
    expect(await Lease.take(two)).toBeUndefined();
    await one?.release();
    const next = await Lease.take(two);
    expect(next?.fence.holder).toBe('two');
    // A process with a correct clock neither takes it over at once nor waits for an hour.
    const { until = 0 } = (await (await store.open()).leaseHolder()) ?? {};
    expect(Math.abs(until - Date.now() - lengthMs)).toBeLessThan(lengthMs);
    expect(await Lease.take(await processOf('three', now))).toBeUndefined();
    await next?.release();
  },
);
