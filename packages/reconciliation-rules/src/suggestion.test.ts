import { expect, test } from 'vitest';
import { type OpenAmount, suggestMatches } from './suggestion.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20);
const exact = { tolerance: { minorUnits: 0, basisPoints: 0 } };
const orphan: OpenAmount = { orderKey: 'funding:x', amount: -10_000, at: START };

const order = (name: string, amount: number, days: number): OpenAmount => ({
  orderKey: `order:${name}`,
  amount,
  at: START + days * DAY,
});

test('money that nobody expects may belong to an order of which as much is open', () => {
  expect(suggestMatches(orphan, [order('a', 10_000, -2)], exact)).toEqual([
    { orderKey: 'order:a', amount: 10_000, daysApart: -2 },
  ]);
});

test.each([-30, 30])('%i days apart are still about the same time', (days) => {
  expect(suggestMatches(orphan, [order('a', 10_000, days)], exact)).toMatchObject([
    { daysApart: days },
  ]);
});

test.each([
  ['another amount', order('a', 10_001, 0)],
  ['open the same way', order('a', -10_000, 0)],
  ['another month', order('a', 10_000, -31)],
  ['itself', { ...orphan, amount: 10_000 }],
])('%s is no suggestion', (_, candidate) => {
  expect(suggestMatches(orphan, [candidate], exact)).toEqual([]);
});

test('within the tolerance of the residual it is one, and the exact one comes first', () => {
  const policy = { tolerance: { minorUnits: 0, basisPoints: 10 } };
  const candidates = [
    order('near', 9_990, 0),
    order('far', 9_989, 0),
    order('late', 10_000, 9),
    order('b', 10_000, -1),
    order('a', 10_000, 1),
  ];
  const found = suggestMatches(orphan, candidates, policy);
  expect(found.map(({ orderKey }) => orderKey)).toEqual([
    'order:a',
    'order:b',
    'order:late',
    'order:near',
  ]);
  expect(suggestMatches(orphan, candidates.toReversed(), policy)).toEqual(found);
});

test('of many the five nearest are named', () => {
  const many = Array.from({ length: 20 }, (_, days) => order(`o${days}`, 10_000, days));
  expect(suggestMatches(orphan, many, exact).map(({ daysApart }) => daysApart)).toEqual([
    0, 1, 2, 3, 4,
  ]);
});
