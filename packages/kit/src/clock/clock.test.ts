import { expect, test } from 'vitest';
import { delay, watchClock } from './clock.ts';
import { TestClock } from './test-clock.ts';

const HOUR_MS = 3_600_000;

test('the reported time of a clock jump shifts when the clock is corrected later', () => {
  const clock = new TestClock();
  const steadySince = watchClock(clock);
  expect(steadySince()).toBe(0);
  clock.set(HOUR_MS);
  expect(steadySince()).toBe(clock.now());
  clock.advance(5_000);
  clock.set(-HOUR_MS);
  expect(steadySince()).toBe(clock.now() - 5_000);
});

test('a delay ends when its time has passed or its signal aborts', async () => {
  const clock = new TestClock();
  const ended: string[] = [];
  const controller = new AbortController();
  const waits = [
    delay(clock, 1_000).then(() => ended.push('time')),
    delay(clock, HOUR_MS, controller.signal).then(() => ended.push('signal')),
    delay(clock, HOUR_MS, AbortSignal.abort()).then(() => ended.push('aborted before')),
  ];
  await waits[2];
  expect(ended).toEqual(['aborted before']);
  clock.advance(1_000);
  await waits[0];
  controller.abort();
  await waits[1];
  expect(ended).toEqual(['aborted before', 'time', 'signal']);
});
