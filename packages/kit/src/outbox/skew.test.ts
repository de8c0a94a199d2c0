import { expect, test } from 'vitest';
import { TestClock } from '../clock/test-clock.ts';
import { clockSkewMs, describeSkew, watchClocks } from './skew.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const dated = (ms: number | undefined) => ({
  headers: { get: () => (ms === undefined ? null : new Date(ms).toUTCString()) },
});

test.each([
  ['within the request', NOW + 3_000, 0],
  ['in the second in which the request was sent', NOW - 900, 0],
  ['ahead', NOW + 610_000, 600_000],
  ['behind', NOW - 600_000, -599_000],
])('measures a clock that is %s', (_, theirs, skew) => {
  expect(clockSkewMs(dated(theirs), NOW, NOW + 10_000)).toBe(skew);
});

test('measures nothing without a valid date', () => {
  expect(clockSkewMs(dated(undefined), NOW, NOW)).toBeUndefined();
  expect(clockSkewMs({ headers: { get: () => 'soon' } }, NOW, NOW)).toBeUndefined();
});

test('describes only differences above those of synchronized clocks', () => {
  expect(describeSkew(undefined)).toBeUndefined();
  expect(describeSkew(30_000)).toBeUndefined();
  expect(describeSkew(-31_000)).toBe(
    "its clock is 31 s behind this machine's: synchronize both (NTP)",
  );
});

test('reports the clock of a server once an hour', async () => {
  const clock = new TestClock(NOW);
  const reports: object[] = [];
  const watched = watchClocks(
    () => Promise.resolve({ status: 200, body: null, ...dated(clock.now() + 600_000) }),
    clock,
    (skew) => reports.push(skew),
  );
  const send = () =>
    watched('https://shop.example/webhooks', {
      method: 'POST',
      headers: {},
      signal: new AbortController().signal,
      redirect: 'manual',
    });
  await send();
  await send();
  expect(reports).toEqual([
    {
      address: 'shop.example',
      detail: "its clock is 600 s ahead of this machine's: synchronize both (NTP)",
    },
  ]);
  clock.advance(3_600_000);
  await send();
  expect(reports).toHaveLength(2);
});
