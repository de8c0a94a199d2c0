import { render } from 'lit';
import { expect, test } from 'vitest';
import { verdictView } from './walk.ts';
import type { Statement } from './waterfall.ts';

const statement: Statement = {
  currency: 'USD',
  opening: 0,
  expected: 10_000,
  awaiting: 0,
  short: 0,
  accepted: 0,
  over: 0,
  refunds: 0,
  chargebacks: 0,
  reversals: 0,
  duplicates: 0,
  other: 0,
  discount: 0,
  net: 10_000,
  unexplained: 0,
};

test('lists the fundings excluded from sums even if the walk explains every cent', () => {
  const place = document.createElement('div');
  render(verdictView(statement, { withoutCurrency: 1, assumedCurrency: 2 }), place);
  const texts = [...place.querySelectorAll('.verdict small')].map(({ textContent }) => textContent);
  expect(texts).toEqual([
    'Every cent is explained.',
    '1 funding of orders with several currencies in no sum: their own currency is unknown.',
    '2 fundings with an assumed currency in no sum.',
  ]);
  render(verdictView(statement, { withoutCurrency: 0, assumedCurrency: 0 }), place);
  expect(place.querySelectorAll('.verdict small')).toHaveLength(1);
});
