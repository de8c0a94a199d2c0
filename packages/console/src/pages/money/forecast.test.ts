import { expect, it } from 'vitest';
import { expectedOf } from './forecast.ts';

it('returns all 14 days of each currency, with sums and what is late', () => {
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

it('does not state a sum that is not exact', () => {
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
