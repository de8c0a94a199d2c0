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

test('suggests an order with an equal open amount for unexpected money', () => {
  expect(suggestMatches(orphan, [order('a', 10_000, -2)], exact)).toEqual([
    { orderKey: 'order:a', amount: 10_000, daysApart: -2 },
  ]);
});

test.each([-30, 30])('suggests orders %i days apart', (days) => {
  expect(suggestMatches(orphan, [order('a', 10_000, days)], exact)).toMatchObject([
    { daysApart: days },
  ]);
});

test.each([
  ['another amount', order('a', 10_001, 0)],
  ['open the same way', order('a', -10_000, 0)],
  ['another month', order('a', 10_000, -31)],
  ['itself', { ...orphan, amount: 10_000 }],
])('does not suggest %s', (_, candidate) => {
  expect(suggestMatches(orphan, [candidate], exact)).toEqual([]);
});

test('suggests amounts within the tolerance, the exact one first', () => {
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

test('suggests at most the five nearest', () => {
  const many = Array.from({ length: 20 }, (_, days) => order(`o${days}`, 10_000, days));
  expect(suggestMatches(orphan, many, exact).map(({ daysApart }) => daysApart)).toEqual([
    0, 1, 2, 3, 4,
  ]);
});
