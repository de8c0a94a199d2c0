import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isZone, zoneWriter } from './zone.ts';

test.each([
  ['UTC', '2026-11-01T07:59:37.999Z', '2026-11-01T07:59:37+00:00'],
  // The night of the clock change repeats a time of day, distinguished by the offset.
  ['America/New_York', '2026-11-01T05:30:00.000Z', '2026-11-01T01:30:00-04:00'],
  ['America/New_York', '2026-11-01T06:30:00.000Z', '2026-11-01T01:30:00-05:00'],
  ['America/Los_Angeles', '2026-11-01T06:59:37.000Z', '2026-10-31T23:59:37-07:00'],
  ['Asia/Kathmandu', '2026-11-01T00:00:00.000Z', '2026-11-01T05:45:00+05:45'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00.000Z', '2026-04-05T01:30:00+10:30'],
])('%s: %s is written %s', (zone, iso, written) => {
  expect(zoneWriter(zone)(iso)).toBe(written);
});

test('property: formats the same moment', () => {
  const zone = fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Asia/Tokyo', 'Pacific/Apia');
  const time = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2100, 0) });
  fc.assert(
    fc.property(zone, time, (zone, time) => {
      const second = Math.floor(time / 1000) * 1000;
      expect(Date.parse(zoneWriter(zone)(new Date(second).toISOString()))).toBe(second);
    }),
  );
});

test('recognises an invalid zone', () => {
  expect([isZone('Europe/Berlin'), isZone('Moon/Sea'), isZone('')]).toEqual([true, false, false]);
});
