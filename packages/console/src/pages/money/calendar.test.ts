import { render } from 'lit';
import { expect, it } from 'vitest';
import type { Forecast, Lags } from '@financing-checkout/contract/reconciliation';
import { setZone } from '../../locale/locale.ts';
import { calendarView, spansOf } from './calendar.ts';

const reliable = { complete: true, unprovenDays: 0, quarantined: 0 };
const leftOut = { withoutCurrency: 0, assumedCurrency: 0 };
const part = (day: string | undefined, lender: string | undefined, amount: number | null) => ({
  day,
  lender,
  currency: 'USD',
  amount,
  count: 1,
  due: day === undefined ? ('late' as const) : ('expected' as const),
});
const forecast: Forecast = {
  ...reliable,
  ...leftOut,
  // A Friday.
  asOf: '2026-11-27T12:00:00.000Z',
  days: [],
  late: [],
  lenders: [
    part(undefined, undefined, 4_000),
    part('2026-11-27', 'Bank', 100),
    part('2026-11-29', 'Bank', 20),
    part('2026-11-30', 'Bank', 3),
    part('2026-12-06', undefined, 7),
    // After the next week.
    part('2026-12-07', 'Bank', 90_000),
    { ...part('2026-11-30', 'Bank', null), currency: 'EUR' },
  ],
};
const lags: Lags = {
  ...reliable,
  ...leftOut,
  asOf: forecast.asOf,
  zone: 'UTC',
  lenders: [{ lender: 'Bank', currency: 'USD', count: 57, p50Days: 0.5, p95Days: 2.5 }],
};

const rowsOf = (...view: Parameters<typeof calendarView>) => {
  const place = document.createElement('div');
  render(calendarView(...view), place);
  const text = (element: Element) => element.textContent.replaceAll(/\s+/g, ' ').trim();
  return [...place.querySelectorAll('tbody tr')].map((row) => ({
    cells: [...row.querySelectorAll('th, td')].map(text),
    links: [...row.querySelectorAll('a')].map((link) => link.getAttribute('href')),
  }));
};

it.each([
  ['2026-11-27T12:00:00.000Z', '2026-11-27..2026-11-29', '2026-11-30..2026-12-06'],
  ['2026-11-29T12:00:00.000Z', '2026-11-29', '2026-11-30..2026-12-06'],
  ['2026-11-30T12:00:00.000Z', '2026-11-30..2026-12-06', '2026-12-07..2026-12-13'],
])('ends the weeks of %s on Sundays', (asOf, thisWeek, nextWeek) => {
  setZone('UTC');
  expect(spansOf(asOf).map(({ due }) => due)).toEqual(['late', thisWeek, nextWeek]);
});

it('shows late and expected amounts by lender, with sums, certainty and orders', () => {
  setZone('UTC');
  const rows = rowsOf(forecast, lags, { detail: 'lenders', currency: 'USD' });
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['Lender not named yet', '$40.00 1 settle', '–', '$0.07 1 settle', 'no history'],
    ['Bank', '–', '$1.20 2 settles', '$0.03 1 settle', '95 % within 2.5 days, of 57 settles'],
    ['All in USD', '$40.00 1 settle', '$1.20 2 settles', '$0.10 2 settles', ''],
  ]);
  expect(rows.map(({ links }) => links[0])).toEqual([
    '/console/orders?due=late&currency=USD&lenderUnknown=true',
    '/console/orders?due=2026-11-27..2026-11-29&currency=USD&lender=Bank',
    '/console/orders?due=late&currency=USD',
  ]);
});

it('shows one row for each currency, also with a sum that is not exact', () => {
  setZone('UTC');
  const rows = rowsOf(forecast, undefined, { detail: 'currencies' });
  expect(rows.map(({ cells }) => cells[0])).toEqual(['USD', 'EUR']);
  expect(rows[1]?.cells[3]).toBe('— 1 settle');
});
