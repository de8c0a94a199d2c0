import { addDays } from '@financing-checkout/contract/money';
import { expect, test } from 'vitest';
import { periodOf, periodsBetween, periodsSchema } from './book-periods.ts';

test('divides time into calendar months', () => {
  expect(periodOf('months', '2028-02-10')).toEqual({
    id: '2028-02',
    from: '2028-02-01',
    to: '2028-02-29',
  });
  expect(periodsBetween('months', '2026-11-30', '2027-01-01').map(({ id }) => id)).toEqual([
    '2026-11',
    '2026-12',
    '2027-01',
  ]);
});

test('adds a 53rd week to the last period of a business year', () => {
  const calendar = periodsSchema.parse({
    weeks: '4-4-5',
    years: ['2025-02-02', '2026-02-01', '2027-02-07'],
  });
  const year = periodsBetween(calendar, '2026-02-01', '2027-02-06');
  expect(
    year.map(({ from, to }) => (Date.parse(addDays(to, 1)) - Date.parse(from)) / 604_800_000),
  ).toEqual([4, 4, 5, 4, 4, 5, 4, 4, 5, 4, 4, 6]);
  expect([year[0]?.id, year.at(-1)]).toEqual([
    '2026-P01',
    { id: '2026-P12', from: '2026-12-27', to: '2027-02-06' },
  ]);
});

test('continues after the last stated year with years of 52 weeks', () => {
  const calendar = periodsSchema.parse({ weeks: '5-4-4', years: ['2026-02-01'] });
  expect(periodOf(calendar, '2026-01-31')).toBeUndefined();
  expect(periodOf(calendar, '2027-01-31')).toMatchObject({ id: '2027-P01', from: '2027-01-31' });
  expect(periodOf(calendar, '2029-01-30')).toMatchObject({ id: '2029-P01', from: '2029-01-28' });
});

test('covers each day with exactly one period', () => {
  const calendar = periodsSchema.parse({ weeks: '4-5-4', years: ['2026-02-01', '2027-02-07'] });
  let expected = '2026-02-01';
  for (const { from, to } of periodsBetween(calendar, '2026-02-01', '2029-12-31')) {
    expect(from).toBe(expected);
    expected = addDays(to, 1);
  }
});

test('uses only the listed periods', () => {
  const calendar = periodsSchema.parse([{ id: 'H1', from: '2026-01-01', to: '2026-06-30' }]);
  expect(periodOf(calendar, '2026-06-30')?.id).toBe('H1');
  expect(periodsBetween(calendar, '2025-12-01', '2026-12-31')).toHaveLength(1);
});
