import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { indexExpectations } from '../order/expectation.ts';
import type { Expectation } from '../order/posting.ts';
import { findExceptions, lenient } from '../exceptions.fixture.ts';
import { LineSets } from './line-sets.ts';
import type { FundingLine, LedgerLine } from '../order/lines.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';

const expectations = (amounts: readonly number[]): Expectation[] =>
  indexExpectations(amounts.map((amount) => line('Settle', amount))).all;

/** Returns every set of at least two lines that sums to an amount within tolerance. */
function everySet(
  lines: readonly Expectation[],
  amount: number,
  tolerance: number,
): Expectation[][] {
  return Array.from({ length: 2 ** lines.length }, (_, bits) =>
    lines.filter((__, place) => bits & (2 ** place)),
  ).filter(
    (set) =>
      set.length > 1 &&
      set.every((one) => one.amount > 0 && one.amount < amount - tolerance) &&
      Math.abs(set.reduce((sum, one) => sum + one.amount, 0) - amount) <= tolerance,
  );
}

test('property: finds the only set of lines, and none if there are several', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 9 }),
      fc.integer({ min: 1, max: 90 }),
      fc.constantFrom(0, 0, 1, 4),
      (amounts, amount, tolerance) => {
        const lines = expectations(amounts);
        const sets = everySet(lines, amount, tolerance);
        const set = new LineSets().find(lines, amount, tolerance);
        if (sets.length > 1) expect(set).toBe('several');
        else expect(new Set(set === 'several' ? [] : set)).toEqual(new Set(sets[0]));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('bounds its work and finds no set among very many lines', () => {
  // Even amounts have many sums, none of which is odd.
  const lines = expectations(Array.from({ length: 60 }, (_, at) => 2 * (at + 1) ** 3));
  const sets = new LineSets();
  expect(sets.find(lines, 999_999, 0)).toBeUndefined();
  expect(sets.isSpent).toBe(true);
});

describe.each([
  ['Settle', 'LINE_NOT_IN_LEDGER', 'MISSING_AT_LENDER'],
  ['Refund', 'REFUND_NOT_IN_LEDGER', 'REFUND_NOT_TAKEN'],
] as const)('one %s for several lines', (type, loose, missing) => {
  const paidSettle = line('Settle', 100_000, { transactionId: 'T1' });
  const settled = funding('Settle', 100_000, { transactionId: 'T1' });
  const judged = (lines: readonly LedgerLine[], fundings: readonly FundingLine[], tolerance = 0) =>
    findExceptions([paidSettle, ...lines], [settled, ...fundings], lenient(tolerance));
  const lines = [line(type, 40_000), line(type, 20_489)];

  it.each([undefined, 'T9'])('pays a set of lines with the id %s', (transactionId) => {
    const posted = funding(type, 60_489, { transactionId });
    expect(judged(lines, [posted])).toEqual([]);
    expect(judged(lines.toReversed(), [posted])).toEqual([]);
  });

  it('pays lines with ids that differ from the funding’s', () => {
    const named = lines.map((one, at) => ({ ...one, transactionId: `own-${at}` }));
    expect(judged(named, [funding(type, 60_489, { transactionId: 'T9' })])).toEqual([]);
  });

  it('does not match a funding to lines whose sum differs from it', () => {
    expect(judged(lines, [funding(type, 60_490, { transactionId: 'T9' })])).toEqual([
      [loose, 60_490],
      [missing, 60_489],
    ]);
  });

  it.each([undefined, 'T9'])('pays a set of lines within tolerance with the id %s', (id) => {
    const halves = [line(type, 45_042), line(type, 45_043)];
    const posted = funding(type, 90_084, { transactionId: id });
    expect(judged(halves, [posted], 1)).toEqual([]);
  });

  it('pays the only exact set even if others are within tolerance', () => {
    const open = [6_000, 4_000, 3_999].map((amount) => line(type, amount));
    expect(judged(open, [funding(type, 10_000)], 1)).toEqual([[missing, 3_999]]);
  });

  it('pays no line when two sets are within tolerance', () => {
    const open = [6_000, 4_000, 3_998].map((amount) => line(type, amount));
    expect(judged(open, [funding(type, 9_999)], 1)).toEqual([
      ['AMBIGUOUS_PAYMENT', 9_999],
      [missing, 13_998],
    ]);
  });

  it('pays no line with a sum outside the tolerance', () => {
    const halves = [line(type, 45_042), line(type, 45_043)];
    expect(judged(halves, [funding(type, 90_084)])).toEqual([
      [loose, 90_084],
      [missing, 90_085],
    ]);
  });

  it('does not take a line that another funding names', () => {
    const own = funding(type, 40_000);
    expect(judged(lines, [own, funding(type, 60_489, { transactionId: 'T9' })])).toEqual([
      [loose, 60_489],
      [missing, 20_489],
    ]);
  });

  it('pays no line when two sets fit, even of equal amounts', () => {
    for (const amounts of [
      [6_000, 4_000, 7_000, 3_000],
      [5_000, 5_000, 5_000],
    ]) {
      const open = amounts.map((amount) => line(type, amount));
      const sum = amounts.reduce((all, amount) => all + amount, 0);
      expect(judged(open, [funding(type, 10_000, { transactionId: 'T9' })])).toEqual([
        ['AMBIGUOUS_PAYMENT', 10_000],
        [missing, sum],
      ]);
      // Without an id it is not a part of another line either.
      expect(judged([...open, line(type, 90_000)], [funding(type, 10_000)])).toEqual([
        ['AMBIGUOUS_PAYMENT', 10_000],
        [missing, sum + 90_000],
      ]);
    }
  });

  it('pays the remaining set once another funding has paid its lines', () => {
    const open = [610, 390, 700, 300, 51].map((amount) => line(type, amount));
    const fundings = [
      funding(type, 1_000, { transactionId: 'T8', fundedAt: day(12) }),
      funding(type, 751, { transactionId: 'T9', fundedAt: day(13) }),
    ];
    expect(judged(open, fundings)).toEqual([[missing, 300]]);
  });
});

test('treats jointly paid lines as one line that is awaited until the last of them is late', () => {
  const lines = [
    line('Settle', 40_000, { occurredAt: day(10) }),
    line('Settle', 20_489, { occurredAt: day(11) }),
  ];
  const status = reconcileOrder(order(lines, [funding('Settle', 60_489)]), policy);
  expect(status).toMatchObject({ headline: 'FUNDED', exceptions: [], awaiting: 0 });
  const twice = [funding('Settle', 60_489), funding('Settle', 60_489)];
  expect(findExceptions(lines, twice)).toEqual([['DUPLICATE_FUNDING', 60_489]]);
});
