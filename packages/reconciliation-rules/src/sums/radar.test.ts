import { describe, expect, it } from 'vitest';
import type { OrderLines, Policy } from '../order/lines.ts';
import { funding, line, order, policy } from '../order.fixture.ts';
import { sweepClaims, type ClaimRadar } from './radar.fixture.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1' });
const paid = (amount = 10_000, other: Parameters<typeof funding>[2] = {}) =>
  funding('Settle', amount, { transactionId: 'T1', ...other });

const radarOf = (orders: readonly OrderLines[]): ClaimRadar => {
  const radar: ClaimRadar = new Map();
  for (const lines of orders) sweepClaims(radar, lines, policy);
  return radar;
};

describe('the radar', () => {
  const orders = [
    order([settle], [paid()]),
    order([settle], [paid(), paid()]),
    order([settle], [paid(9_000)]),
    order([], [paid(700)]),
    order([settle], [paid(10_000, { status: 'AMOUNT_MISMATCH' })]),
    order(
      [settle],
      [paid(5_000, { status: 'AMOUNT_MISMATCH' }), paid(5_000, { status: 'AMOUNT_MISMATCH' })],
    ),
    order([settle], [paid(10_000, { lenderName: 'Tamberley', status: 'UNRECONCILED' })]),
  ];

  it('counts false RECONCILED statuses and false mismatches by lender', () => {
    expect([...radarOf(orders).values()]).toEqual([
      {
        currency: 'USD',
        lender: 'Quillmoor',
        status: 'RECONCILED',
        all: { count: 5, amount: 39_700 },
        wrong: { count: 3, amount: 19_700 },
      },
      {
        currency: 'USD',
        lender: 'Quillmoor',
        status: 'AMOUNT_MISMATCH',
        all: { count: 3, amount: 20_000 },
        wrong: { count: 1, amount: 10_000 },
      },
      {
        currency: 'USD',
        lender: 'Tamberley',
        status: 'UNRECONCILED',
        all: { count: 1, amount: 10_000 },
        wrong: { count: 0, amount: 0 },
      },
    ]);
  });

  it('applies the tolerance, even to fundings without a ledger line', () => {
    const tolerance = { minorUnits: 50, basisPoints: 0 };
    const wrongWith = (amount: number) => {
      const extra = paid(amount, { transactionId: 'T2' });
      const radar = sweepClaims(new Map(), order([settle], [paid(), extra]), {
        ...policy,
        tolerance,
      });
      return [...radar.values()].map(({ wrong }) => wrong);
    };
    expect(wrongWith(50)).toEqual([{ count: 0, amount: 0 }]);
    expect(wrongWith(51)).toEqual([{ count: 1, amount: 51 }]);
  });

  const wrongOf = (lines: OrderLines, terms: Partial<Policy> = {}) =>
    [...sweepClaims(new Map(), lines, { ...policy, ...terms }).values()].map(({ all, wrong }) => [
      all.count,
      wrong.amount,
    ]);
  const off = (units: number) => ({ ...paid(), netAmount: 9_710 + units });
  const stated = (type: string, other: Parameters<typeof funding>[2] = {}) =>
    order([settle], [funding(type, 10_000, { transactionId: 'T1', ...other })]);

  it.each<[string, OrderLines, wrong: number]>([
    ['of a type that nobody knows is wrong', order([], [funding('Adjustment', 600)]), 600],
    ['of a settle stated as such a type is wrong', stated('Adjustment'), 10_000],
    ['of a settle stated as a chargeback is wrong', stated('Chargeback'), 10_000],
    ['of a net that is a unit off is right', order([settle], [off(1)]), 0],
    ['of a net that is two units too much is wrong', order([settle], [off(2)]), 10_000],
    ['of a net that is two units too little is wrong', order([settle], [off(-2)]), 10_000],
    ['of a chargeback is right', order([settle], [funding('Chargeback', 600)]), 0],
    ['of a reversal is right', order([settle], [funding('Reversal', 600)]), 0],
    ['of a refund that the ledger do not know is wrong', order([], [funding('Refund', 600)]), 600],
  ])('RECONCILED %s', (_, lines, wrong) => {
    expect(wrongOf(lines)).toEqual([[1, wrong]]);
  });

  it.each([
    [9_999, true, 9_999],
    [9_999, false, 0],
    [10_001, true, 10_001],
    [10_001, false, 10_001],
  ])('checks RECONCILED for %i of 10,000, with complete data: %s', (amount, complete, wrong) => {
    const lines = order([settle], [paid(amount)]);
    expect(wrongOf(lines, { complete })).toEqual([[1, wrong]]);
    const tolerance = { minorUnits: 1, basisPoints: 0 };
    expect(wrongOf(lines, { complete, tolerance })).toEqual([[1, 0]]);
  });

  it('accepts a correct TYPE_MISMATCH, even for a settle of zero', () => {
    const mistyped = { status: 'TYPE_MISMATCH' };
    expect(wrongOf(stated('Refund', mistyped))).toEqual([[1, 0]]);
    const nothing = { ...settle, amount: 0 };
    expect(wrongOf({ ...stated('Refund', mistyped), ledger: [nothing] })).toEqual([[1, 0]]);
    expect(wrongOf(stated('Settle', mistyped))).toEqual([[1, 10_000]]);
  });

  it.each(['Settle', 'Refund'])(
    'accepts RECONCILED of a %s and of the posting that takes it back',
    (type) => {
      const posted = (amount: number, transactionId = 'T9') =>
        funding(type, amount, { transactionId });
      const back = [posted(600), posted(-600)];
      const wrong = (lines: OrderLines) => [...radarOf([lines]).values()].map((sums) => sums.wrong);
      expect(wrong(order([settle], [paid(), ...back]))).toEqual([{ count: 0, amount: 0 }]);
      expect(wrong(order([], back))).toEqual([{ count: 0, amount: 0 }]);
      const fundings = [paid(), ...back, posted(700, 'T8')];
      expect(wrong(order([settle], fundings))).toEqual([{ count: 1, amount: 700 }]);
    },
  );

  it('ignores fundings that move no money', () => {
    expect(wrongOf(order([], [funding('Authorize', 10_000), funding('Void', 10_000)]))).toEqual([]);
  });
});
