import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '@financing-checkout/contract/money';
import { Calendar } from './calendar.ts';

const utc = new Calendar('UTC');
const moments = fc.integer({ min: 0, max: 4_102_444_800_000 });
const newYork = new Calendar('America/New_York');

describe('parses dates', () => {
  test('property: with milliseconds and Z, in each zone', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const text = new Date(moment).toISOString();
        expect(utc.read(text)).toBe(moment);
        expect(newYork.read(text)).toBe(moment);
      }),
      { numRuns: 1_000 },
    );
  });

  test('in the declared zone if they have no offset', () => {
    expect(newYork.read('2026-03-01')).toBe(Date.UTC(2026, 2, 1, 5));
    expect(newYork.read('2026-07-01T12:00:00')).toBe(Date.UTC(2026, 6, 1, 16));
    expect(newYork.read('2026-07-01T12:00:00+02:00')).toBe(Date.UTC(2026, 6, 1, 10));
    expect(newYork.read('soon')).toBeUndefined();
  });
});

test('counts 23 and 25 hours for days with a clock change', () => {
  const hours = (day: string) =>
    (newYork.startOf(addDays(day, 1)) - newYork.startOf(day)) / 3_600_000;
  expect([hours('2026-03-08'), hours('2026-11-01'), hours('2026-03-09')]).toEqual([23, 25, 24]);
});

test.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati', 'America/Havana'])(
  'property: assigns each timestamp to exactly one of the consecutive days in %s',
  (zone) => {
    const calendar = new Calendar(zone);
    fc.assert(
      fc.property(moments, (moment) => {
        const day = calendar.dayOf(moment);
        expect(calendar.startOf(day)).toBeLessThanOrEqual(moment);
        expect(calendar.startOf(addDays(day, 1))).toBeGreaterThan(moment);
      }),
      { numRuns: 300 },
    );
  },
);

test.each([
  // Clocks go back from 00:01 to 23:01, when the new day has already begun.
  ['America/St_Johns', '2010-11-07T02:29:59Z', '2010-11-06'],
  ['America/St_Johns', '2010-11-07T02:45:00Z', '2010-11-07'],
  // The country skips December 30.
  ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31'],
])('in %s, %s is on %s', (zone, moment, day) => {
  expect(new Calendar(zone).dayOf(Date.parse(moment))).toBe(day);
});
