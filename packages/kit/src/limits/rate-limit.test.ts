import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TestClock } from '../clock/test-clock.ts';
import { RateLimit } from './rate-limit.ts';

describe('a rate limit', () => {
  test("admits one minute's quota at once and then the configured rate", () => {
    const clock = new TestClock();
    const limit = new RateLimit({ perMinute: 60, clock });
    const taken = () => limit.take('name') === undefined;
    expect(Array.from({ length: 61 }, taken).filter(Boolean)).toHaveLength(60);
    expect(limit.take('name')).toBe(1_000);
    clock.advance(1_000);
    expect([taken(), taken()]).toEqual([true, false]);
  });

  test("never admits more than the rate plus one minute's quota", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 300 }),
        (perMinute, pauses) => {
          const clock = new TestClock();
          const limit = new RateLimit({ perMinute, clock });
          const started = clock.now();
          let through = 0;
          for (const pause of pauses) {
            clock.advance(pause);
            if (limit.take('name') === undefined) through++;
          }
          const minutes = (clock.now() - started) / 60_000;
          expect(through).toBeLessThanOrEqual(Math.ceil(perMinute * (minutes + 1)));
        },
      ),
    );
  });

  test('does not block a client after the clock is set back', () => {
    const clock = new TestClock();
    const limit = new RateLimit({ perMinute: 60, clock });
    limit.take('name');
    clock.advance(-3_600_000);
    expect(limit.take('name')).toBe(1_000);
    clock.advance(1_000);
    expect(limit.take('name')).toBeUndefined();
  });

  test('forgets idle clients and limits the number of active ones', () => {
    const clock = new TestClock();
    const limit = new RateLimit({ perMinute: 60, clock, maxNames: 100 });
    for (let count = 0; count < 1_000; count++) limit.take(`name-${count}`);
    expect(limit.size).toBe(100);
    clock.advance(60_000);
    limit.take('another');
    expect(limit.size).toBe(1);
  });
});

test('admits exactly the limit per minute, even if it does not divide evenly', () => {
  const short = Array.from({ length: 200 }, (_, at) => at + 1).filter((perMinute) => {
    const limit = new RateLimit({ perMinute, clock: new TestClock() });
    const waits = Array.from({ length: perMinute }, () => limit.take('a'));
    return waits.some((wait) => wait !== undefined) || limit.take('a') === undefined;
  });
  expect(short).toEqual([]);
});

test('evicts the client that has been idle longest when there are too many', () => {
  const names = new RateLimit({ perMinute: 2, clock: new TestClock(), maxNames: 2 });
  names.take('a');
  names.take('b');
  names.take('a');
  names.take('c');
  // "b" was evicted and starts over; "a" is still at its limit.
  expect(names.take('a')).toBeGreaterThan(0);
});

test('returns how long a name has to wait, without counting a request', () => {
  const clock = new TestClock();
  const limit = new RateLimit({ perMinute: 1, clock });
  expect([limit.waitOf('a'), limit.waitOf('a'), limit.size]).toEqual([undefined, undefined, 0]);
  expect(limit.take('a')).toBeUndefined();
  expect([limit.waitOf('a'), limit.waitOf('b')]).toEqual([60_000, undefined]);
  clock.advance(60_000);
  expect(limit.take('a')).toBeUndefined();
});
