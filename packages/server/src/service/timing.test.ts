import { expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { nextPollUnanswered, nextRarePoll, pollDelay, timingFor } from './timing.ts';

const DEADLINES = { deadlineMs: 10_000, chargeDeadlineMs: 60_000 };

test('waits are whole milliseconds for any deadline, because PostgreSQL stores integers', () => {
  for (const deadlineMs of [500, 1_234, 7_501, 10_000, 59_999]) {
    const timing = timingFor({ deadlineMs, chargeDeadlineMs: deadlineMs * 6 });
    const delays = Array.from({ length: 12 }, (_, tries) => pollDelay(timing, tries));
    for (const wait of [...Object.values({ ...timing }), ...delays]) expect(wait % 1).toBe(0);
  }
});

test('intervals double from two seconds to five minutes', () => {
  const delays = Array.from({ length: 10 }, (_, tries) => pollDelay(timingFor(DEADLINES), tries));
  const seconds = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
  expect(delays).toEqual(seconds.map((value) => value * 1_000));
});

test('rare lookups are at least three minutes apart, are spaced by the age of the charge, and end', () => {
  const clock = new TestClock();
  const now = clock.now();
  const next = (passed: number) =>
    nextRarePoll({ clock, timing: timingFor(DEADLINES) }, now - passed, 86_400_000);
  expect([0, 1, 3_600_000].map(next)).toEqual([now + 180_000, now + 180_000, now + 3_600_000]);
  expect([86_399_999, 86_400_000].map(next)).toEqual([now + 86_399_999, undefined]);
});

test('repeats an unanswered rare lookup soon, then with quadrupling delays, until the next rare lookup', () => {
  const clock = new TestClock();
  const now = clock.now();
  const next = (tries: number, rare: number | undefined) =>
    nextPollUnanswered({ clock, timing: timingFor(DEADLINES) }, tries, rare);
  const inMinutes = (minutes: number) => now + minutes * 60_000;
  expect([0, 1, 2, 3, 4].map((tries) => next(tries, inMinutes(3)))).toEqual([
    now + 2_000,
    now + 8_000,
    now + 32_000,
    now + 128_000,
    inMinutes(3),
  ]);
  expect(next(12, inMinutes(50_000))).toBe(inMinutes(50_000));
  expect(next(2_000, inMinutes(50_000))).toBe(inMinutes(50_000));
  expect(next(0, undefined)).toBeUndefined();
});
