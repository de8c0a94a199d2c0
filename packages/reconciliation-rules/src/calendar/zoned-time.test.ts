import { expect, test } from 'vitest';
import { isZone, ZonedTime } from './zoned-time.ts';

const iso = (zone: string, text: string) => {
  const time = new ZonedTime(zone).read(text);
  return time === undefined ? undefined : new Date(time).toISOString();
};

test.each([
  ['America/New_York', '2026-11-01T03:30:00.000Z', '2026-10-31 23:30'],
  // The hour that is repeated, and the hour that is skipped.
  ['America/New_York', '2026-11-01T05:30:00.000Z', '2026-11-01 01:30'],
  ['America/New_York', '2026-11-01T06:30:00.000Z', '2026-11-01 01:30'],
  ['America/New_York', '2026-03-08T07:00:00.000Z', '2026-03-08 03:00'],
  ['Asia/Kathmandu', '2026-01-31T18:15:00.000Z', '2026-02-01 00:00'],
])('in %s, clocks show %s as %s', (zone, moment, shown) => {
  expect(new ZonedTime(zone).minuteOf(Date.parse(moment))).toBe(shown);
});

test.each([
  ['UTC', '2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['America/New_York', '2026-03-01', '2026-03-01T05:00:00.000Z'],
  ['America/New_York', '2026-07-01 08:30', '2026-07-01T12:30:00.000Z'],
  // An explicit zone overrides the declared one.
  ['America/New_York', '2026-07-01T08:30:15.25Z', '2026-07-01T08:30:15.250Z'],
  ['America/New_York', '2026-07-01T08:30:00+05:30', '2026-07-01T03:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15:00.000Z'],
  // The clocks go forward from 2:00 to 3:00, and back from 3:00 to 2:00.
  ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59:00.000Z'],
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25T03:30', '2026-10-25T02:30:00.000Z'],
  // A zone with a fixed offset, and a whole day that the country skips.
  ['+05:30', '2026-01-01T00:00', '2025-12-31T18:30:00.000Z'],
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00.000Z'],
  ['UTC', '2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ['UTC', '1969-12-31T23:59:60Z', '1970-01-01T00:00:00.000Z'],
])('in %s, %s is %s', (zone, text, expected) => {
  expect(iso(zone, text)).toBe(expected);
});

test.each([
  ...['', '1.3.2026', '20260101', 'today', '2026-0a-01', '0050-01-01'],
  ...['2026-02-30', '2026-13-01', '2026-00-10', '2026-04-31', '2100-02-29'],
  ...['2026-01-01T25:00Z', '2026-04-30T24:00:00.000Z', '2026-04-30T23:60:00.000Z'],
])('rejects "%s"', (text) => {
  expect(iso('UTC', text)).toBeUndefined();
});

test.each(['Mars/Phobos', '2026-01-01T00:00Z[Europe/Berlin]'])('rejects the zone "%s"', (zone) => {
  expect(() => new ZonedTime(zone)).toThrow(RangeError);
});

test('a period of constant offset lasts from one clock change to the next', () => {
  const times = new ZonedTime('America/New_York');
  const change = Date.UTC(2026, 10, 1, 6);
  const next = Date.UTC(2027, 2, 14, 7);
  expect(times.periodOf(change)).toEqual({ from: change, to: next, offset: -5 * 3_600_000 });
  expect(times.periodOf(change - 1)).toMatchObject({ to: change, offset: -4 * 3_600_000 });
});

test('recognizes an invalid zone', () => {
  expect([isZone('Europe/Berlin'), isZone('Moon/Sea'), isZone('')]).toEqual([true, false, false]);
});
