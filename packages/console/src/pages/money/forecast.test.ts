import { expect, it } from 'vitest';
import { setZone } from '../../locale/locale.ts';
import { expectedOf } from './forecast.ts';

it.each([
  // 23:30 on the day on which the clocks change: 23 hours in March, 25 in November.
  ['2026-03-09T03:30:00.000Z', '2026-03-08', '2026-03-21'],
  ['2026-11-02T04:30:00.000Z', '2026-11-01', '2026-11-14'],
])('begins with the day of the business zone, at %s', (asOf, first, last) => {
  setZone('America/New_York');
  const amounts = { currency: 'EUR', amount: 500, count: 1 };
  const [eur] = expectedOf({ asOf, days: [{ day: first, ...amounts }], late: [] });
  expect(eur?.days[0]).toEqual({ day: first, amount: 500, count: 1 });
  expect(eur?.days.at(-1)?.day).toBe(last);
});

it('returns all 14 days of each currency, with sums and late amounts', () => {
  setZone('UTC');
  const [chf, eur] = expectedOf({
    asOf: '2026-02-27T22:15:00.000Z',
    days: [
      { day: '2026-02-27', currency: 'EUR', amount: 500, count: 1 },
      { day: '2026-03-12', currency: 'EUR', amount: 250, count: 2 },
    ],
    late: [{ currency: 'CHF', amount: 90, count: 1 }],
  });
  expect(eur).toMatchObject({ currency: 'EUR', amount: 750, count: 3, late: { count: 0 } });
  expect(eur?.days).toHaveLength(14);
  expect(eur?.days.map(({ day }) => day)).toContain('2026-02-28');
  expect(eur?.days[0]).toEqual({ day: '2026-02-27', amount: 500, count: 1 });
  expect(eur?.days.at(-1)).toEqual({ day: '2026-03-12', amount: 250, count: 2 });
  expect(chf).toMatchObject({ currency: 'CHF', amount: 0, late: { amount: 90, count: 1 } });
});

it('omits a sum that is not exact', () => {
  const [eur] = expectedOf({
    asOf: '2026-02-27T22:15:00.000Z',
    days: [
      { day: '2026-02-27', currency: 'EUR', amount: null, count: 1 },
      { day: '2026-02-28', currency: 'EUR', amount: 250, count: 2 },
    ],
    late: [],
  });
  expect(eur?.amount).toBeNull();
});
