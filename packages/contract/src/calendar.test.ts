import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, Calendar, daysBetween } from './calendar.ts';
import { ZonedTime } from './zoned-time.ts';

const utc = new Calendar('UTC');
const moments = fc.integer({ min: 0, max: 4_102_444_800_000 });
const newYork = new Calendar('America/New_York');
const plain = new ZonedTime('UTC');

describe('parses dates', () => {
  test('property: parses the usual form like the general parser', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const text = new Date(moment).toISOString();
        expect(utc.read(text)).toBe(moment);
        expect(newYork.read(text)).toBe(moment);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    '2026-02-29T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2026-13-01T00:00:00.000Z',
    '2026-00-10T00:00:00.000Z',
    '2026-04-31T00:00:00.000Z',
    '2026-04-30T24:00:00.000Z',
    '2026-04-30T23:60:00.000Z',
    '2100-02-29T00:00:00.000Z',
    '2000-02-29T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2026-0a-01T00:00:00.000Z',
  ])('%s is parsed as by the general parser', (text) => {
    expect(utc.read(text)).toBe(plain.read(text));
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

test('lists days, both ends inclusive', () => {
  expect(daysBetween('2024-02-28', '2024-03-01')).toEqual([
    '2024-02-28',
    '2024-02-29',
    '2024-03-01',
  ]);
});
