import { describe, expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion, type LogLine, order } from '../companion.fixture.ts';
import { primed } from '../scripted-service.fixture.ts';
import { listedFields, type Logger } from '../platform/logger.ts';
import { createServiceClient } from '../service/client.ts';
import { createTripWire, KeyRing } from './key-ring.ts';
import { PrivateKey } from './private-key.ts';

const OLD = 'old-private-key-0123456789';
const NEW = 'new-private-key-0123456789';
const DAY_MS = 24 * 3_600_000;

function setUp(...values: [string, ...string[]]) {
  const clock = new TestClock();
  const log: LogLine[] = [];
  const logger: Logger = {
    log: (level, event, fields = {}) => void log.push({ level, event, ...listedFields(fields) }),
  };
  const [first, ...others] = values;
  const ring = new KeyRing(
    [new PrivateKey(first), ...others.map((value) => new PrivateKey(value))],
    { clock, logger },
  );
  const key = (value: string) =>
    ring.keysToTry().find((candidate) => candidate.equals(value)) ?? new PrivateKey(value);
  return { ring, clock, log, key, events: () => log.map(({ event }) => event) };
}

test('tries the key that worked last first and logs its slot', () => {
  const { ring, key, log } = setUp(OLD, NEW);
  ring.accepted(key(OLD));
  ring.accepted(key(OLD));
  ring.rejected(key(OLD));
  ring.accepted(key(NEW));
  expect(ring.keysToTry().map((candidate) => candidate.equals(NEW))).toEqual([true, false]);
  expect(ring.status().map(({ inUse }) => inUse)).toEqual([false, true]);
  expect(log).toEqual([
    { level: 'info', event: 'service-key-in-use', keySlot: 0 },
    { level: 'warn', event: 'service-key-switched', keySlot: 1 },
  ]);
});

describe('specification 5.3: every key answered with 401', () => {
  test('is known from the last rejection, logged once, and over as soon as a key is accepted', () => {
    const { ring, clock, key, events } = setUp(OLD, NEW);
    ring.rejected(key(OLD));
    expect(ring.rejectedSince).toBeUndefined();
    ring.rejected(key(NEW));
    ring.rejected(key(OLD));
    expect(ring.rejectedSince).toBe(clock.now());
    expect(events()).toEqual(['service-keys-rejected']);
    ring.accepted(key(NEW));
    expect(ring.rejectedSince).toBeUndefined();
  });

  test('is not reported if one of them was accepted after its own 401', () => {
    const { ring, key, events } = setUp(OLD, NEW);
    ring.rejected(key(NEW));
    ring.accepted(key(NEW));
    ring.rejected(key(OLD));
    expect(ring.rejectedSince).toBeUndefined();
    expect(events()).not.toContain('service-keys-rejected');
  });

  test('does not end when an older call is accepted with a replaced key', () => {
    const { ring, key, events } = setUp(OLD);
    const old = key(OLD);
    ring.replace(0, new PrivateKey(NEW));
    ring.rejected(key(NEW));
    ring.accepted(old);
    expect(ring.rejectedSince).toBeDefined();
    expect(events()).not.toContain('service-key-switched');
  });

  test('does not apply to a new key', () => {
    const { ring, key } = setUp(OLD);
    ring.rejected(key(OLD));
    ring.replace(0, new PrivateKey(NEW));
    expect(ring.rejectedSince).toBeUndefined();
    ring.rejected(key(NEW));
    expect(ring.rejectedSince).toBeDefined();
  });
});

describe('proof of a rotation', () => {
  test('declares a replaced key safe to revoke once, after the new key worked for a day', () => {
    const { ring, clock, key, events } = setUp(OLD);
    ring.accepted(key(OLD));
    ring.replace(0, new PrivateKey(NEW));
    ring.accepted(key(NEW));
    clock.advance(DAY_MS - 1);
    ring.accepted(key(NEW));
    expect(events()).not.toContain('service-key-safe-to-revoke');
    clock.advance(1);
    ring.accepted(key(NEW));
    ring.accepted(key(NEW));
    expect(events().filter((event) => event === 'service-key-safe-to-revoke')).toHaveLength(1);
  });

  test('keeps the state of a key that moves to the other slot', () => {
    const { ring, clock, key, log } = setUp(OLD);
    ring.accepted(key(OLD));
    ring.replace(1, new PrivateKey(OLD));
    ring.replace(0, new PrivateKey(NEW));
    ring.accepted(key(NEW));
    clock.advance(DAY_MS);
    ring.accepted(key(NEW));
    expect(log.at(-1)).toMatchObject({ event: 'service-key-safe-to-revoke', keySlot: 1 });
  });

  test('keeps the state of a key that is put back and does not treat it as replaced', () => {
    const { ring, clock, key, events } = setUp(OLD);
    ring.accepted(key(OLD));
    const acceptedAt = clock.now();
    ring.replace(0, new PrivateKey(NEW));
    ring.replace(0, new PrivateKey(OLD));
    expect(ring.status()).toMatchObject([{ acceptedAt }]);
    clock.advance(DAY_MS);
    ring.accepted(key(OLD));
    expect(events()).not.toContain('service-key-safe-to-revoke');
  });

  test('does not declare an unused key safe to revoke, because it may be the new one', () => {
    const { ring, clock, key, log } = setUp(OLD, NEW);
    clock.advance(DAY_MS);
    ring.accepted(key(OLD));
    expect(log.at(-1)).toMatchObject({ event: 'service-key-unused', keySlot: 1 });
  });
});

test('replacing a key with itself changes nothing', () => {
  const { ring, key, events } = setUp(OLD, NEW);
  ring.rejected(key(OLD));
  ring.rejected(key(NEW));
  ring.replace(0, new PrivateKey(OLD));
  expect(ring.rejectedSince).toBeDefined();
  expect(events()).toEqual(['service-keys-rejected']);
});

test('tries a new key first in either slot', () => {
  const { ring, key } = setUp(OLD, NEW);
  ring.accepted(key(NEW));
  const newest = 'newest-private-key-0123456789';
  ring.replace(0, new PrivateKey(newest));
  expect(ring.keysToTry().map((candidate) => candidate.equals(newest))).toEqual([true, false]);
  expect(ring.status().map(({ inUse }) => inUse)).toEqual([true, false]);
});

test('watches for the last four replaced keys', () => {
  const keyOf = (index: number) => `private-key-number-${index}-0123456789`;
  const { ring } = setUp(keyOf(0));
  for (let index = 1; index <= 5; index++) ring.replace(0, new PrivateKey(keyOf(index)));
  const found = [0, 1, 2, 3, 4, 5].map((index) => ring.isIn(`x=${keyOf(index)}`));
  expect(found).toEqual([false, true, true, true, true, true]);
  // A key that is put back does not evict another key.
  ring.replace(0, new PrivateKey(keyOf(4)));
  expect(ring.isIn(keyOf(1))).toBe(true);
});

test('the trip-wire also finds replaced keys, because they may still be valid', () => {
  const { ring } = setUp(OLD);
  const tripWire = createTripWire(ring);
  ring.replace(0, new PrivateKey(NEW));
  expect([tripWire(`x=${NEW}`), tripWire(`x=${btoa(OLD)}`), tripWire('x=neither')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('removes the second key, but not while calls try it first', () => {
  const { ring, key, events } = setUp(OLD, NEW);
  ring.rejected(key(OLD));
  ring.accepted(key(NEW));
  expect([ring.removeNext(), ring.keysToTry().length]).toEqual([false, 2]);
  ring.replace(0, new PrivateKey(`newer-${NEW}`));
  expect([ring.removeNext(), ring.keysToTry().length]).toEqual([true, 1]);
  expect(ring.removeNext()).toBe(true);
  expect(events().filter((event) => event === 'service-key-removed')).toHaveLength(1);
  expect(ring.isIn(NEW)).toBe(true);
});

test('the latest response counts even after the clock is set back', () => {
  const { ring, clock, key } = setUp(OLD);
  ring.accepted(key(OLD));
  clock.advance(-DAY_MS);
  ring.rejected(key(OLD));
  expect(ring.rejectedSince).toBe(clock.now());
  ring.accepted(key(OLD));
  expect(ring.rejectedSince).toBeUndefined();
});

test('tries a key that is added during a call when the old one is rejected', async () => {
  const { ring } = setUp(OLD);
  const asked: unknown[] = [];
  const service = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: ring,
    transport: (_, { headers }) => {
      asked.push(headers.authorization);
      const isNew = headers.authorization === `Bearer ${NEW}`;
      if (!isNew) ring.replace(0, new PrivateKey(NEW));
      const answer = isNew ? Response.json(primed.body) : new Response('', { status: 401 });
      return Promise.resolve(answer);
    },
  });
  expect((await service.prime(order, { priority: 'checkout' })).kind).toBe('accepted');
  expect(asked).toEqual([`Bearer ${OLD}`, `Bearer ${NEW}`]);
  expect(ring.rejectedSince).toBeUndefined();
});

test.each([
  [
    'with a request id of the service proves that the service accepted the key',
    { requestId: 'svc-1' },
    [false, true],
  ],
  ['without a request id may come from an intermediary', {}, [true, false]],
])('a refusal %s', async (_, body, inUse) => {
  const { ring } = setUp(OLD, NEW);
  const service = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: ring,
    transport: (_, { headers }) =>
      Promise.resolve(
        headers.authorization === `Bearer ${OLD}`
          ? new Response('', { status: 401 })
          : Response.json(body, { status: 400 }),
      ),
  });
  expect((await service.prime(order, { priority: 'checkout' })).kind).toBe('rejected');
  expect(ring.status().map((key) => key.inUse)).toEqual(inUse);
});

test('retries a call with the new key when a rotation invalidates the old one', async () => {
  const companion = await createCompanion({}, { keys: [OLD, NEW] });
  companion.service.on('POST /v1/checkout/prime', ({ headers }) =>
    headers.authorization === `Bearer ${NEW}` ? primed : { status: 401, text: '' },
  );
  expect((await companion.prime('key-1', { merchantOrderId: 'order-1' })).status).toBe(201);
  expect((await companion.prime('key-2', { merchantOrderId: 'order-2' })).status).toBe(201);
  const used = companion.service.calls.map(({ headers }) => headers.authorization);
  expect(used).toEqual([`Bearer ${OLD}`, `Bearer ${NEW}`, `Bearer ${NEW}`]);
});
