import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cashFlows } from './cash-flow.ts';
import { addFlows, walkStatements, type CashWalk } from './cash-walk.fixture.ts';
import { kindOf } from '../order/kind.ts';
import type { FundingLine, LedgerLine, OrderLines, Policy } from '../order/lines.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import { anyOrder, anyPolicy } from '../random-order.fixture.ts';

const walkOf = (orders: readonly OrderLines[], terms: Policy): CashWalk => {
  const walk: CashWalk = new Map();
  for (const lines of orders) addFlows(walk, cashFlows(lines, terms));
  return walk;
};

/**
 * Removes causes of an unexplained rest: net amounts that differ from gross minus discount, and
 * unknown types.
 */
const explained = anyOrder.map((lines) => ({
  ...lines,
  fundings: lines.fundings
    .filter((one) => kindOf(one) !== 'unknown')
    .map((one) => ({ ...one, netAmount: one.transactionAmount - one.discountAmount })),
}));

describe('the cash walk', () => {
  test('leaves nothing unexplained for any lender in any period', () => {
    const days = fc.integer({ min: 55, max: 130 }).map(day);
    fc.assert(
      fc.property(
        fc.array(explained, { maxLength: 5 }),
        anyPolicy,
        days,
        days,
        (orders, terms, from, to) => {
          const walk = walkOf(orders, terms);
          for (const lender of [undefined, 'Quillmoor', 'Tamberley', '']) {
            for (const statement of walkStatements(walk, { lender, from, to })) {
              expect(statement.unexplained).toBe(0);
              const { currency, net, unexplained, ...steps } = statement;
              expect([currency, Object.values(steps).reduce((sum, step) => sum + step, 0)]).toEqual(
                [currency, net - unexplained],
              );
            }
          }
        },
      ),
      { numRuns: 1_500 },
    );
  });

  test('equals the net amount that lenders posted, and has the orders’ awaited amounts in transit', () => {
    fc.assert(
      fc.property(anyOrder, anyPolicy, (lines, terms) => {
        const status = reconcileOrder(lines, terms);
        const [statement] = walkStatements(walkOf([lines], terms));
        expect(statement?.net ?? 0).toBe(status.net);
        expect(statement?.awaiting ?? 0).toBe(0 - status.awaiting);
        expect(statement?.expected ?? 0).toBe(status.expected.settle);
      }),
      { numRuns: 2_000 },
    );
  });

  it('carries the amount in transit from one period to the next', () => {
    const walk = walkOf(
      [
        order(
          [line('Settle', 10_000, { transactionId: 'T1', occurredAt: day(30) })],
          [funding('Settle', 10_000, { transactionId: 'T1', fundedAt: day(32) })],
        ),
      ],
      policy,
    );
    const period = (from: number, to: number) =>
      walkStatements(walk, { from: day(from), to: day(to) })[0];
    expect(period(0, 31)).toMatchObject({
      opening: 0,
      expected: 10_000,
      awaiting: -10_000,
      net: 0,
    });
    expect(period(31, 62)).toMatchObject({ opening: 10_000, expected: 0, awaiting: 0, net: 9_710 });
    expect(period(62, 90)).toMatchObject({ opening: 0, awaiting: 0, net: 0 });
  });

  it('counts a boundary day only in the period that begins with it', () => {
    const settle = line('Settle', 10_000, { occurredAt: day(31) });
    const walk = walkOf([order([settle], [])], { ...policy, now: day(32) });
    expect(walkStatements(walk, { from: day(0), to: day(31) })).toEqual([]);
    expect(walkStatements(walk, { from: day(31), to: day(62) })).toMatchObject([
      { opening: 0, expected: 10_000, awaiting: -10_000 },
    ]);
  });

  it('expects each line of a transaction on its own day from the lender that paid it', () => {
    const settle = (amount: number, at: number) =>
      line('Settle', amount, { transactionId: 'T1', occurredAt: day(at) });
    const posted = (amount: number, at: number, lenderName: string) =>
      funding('Settle', amount, { transactionId: 'T1', fundedAt: day(at), lenderName });
    const lines = order(
      [settle(6_000, 20), settle(4_000, 10)],
      [
        posted(3_000, 12, 'Quillmoor'),
        posted(2_000, 21, 'Tamberley'),
        posted(-2_000, 22, 'Tamberley'),
        posted(7_000, 23, 'Quillmoor'),
      ],
    );
    const walk = walkOf([lines], policy);
    const at = (count: number, lender?: string) =>
      walkStatements(walk, { lender, from: day(10), to: day(count) })[0];
    expect(at(12)).toMatchObject({ opening: 0, expected: 4_000, awaiting: -4_000 });
    expect(at(20)).toMatchObject({ expected: 4_000, awaiting: -1_000 });
    expect(at(22)).toMatchObject({ expected: 10_000, awaiting: -5_000 });
    expect(at(24)).toMatchObject({ expected: 10_000, awaiting: 0, short: 0, over: 0 });
    expect(at(24, 'Quillmoor')).toMatchObject({ expected: 10_000, awaiting: 0 });
    expect(at(24, 'Tamberley')).toMatchObject({ expected: 0, awaiting: 0 });
  });

  it('counts late amounts as short at the end of their due day, and does not carry them over', () => {
    const walk = walkOf([order([line('Settle', 10_000)], [])], policy);
    const period = (from: number, to: number) =>
      walkStatements(walk, { from: day(from), to: day(to) });
    expect(period(0, 13)).toMatchObject([{ awaiting: -10_000, short: 0 }]);
    expect(period(13, 14)).toMatchObject([{ opening: 10_000, awaiting: 0, short: -10_000 }]);
    expect(period(14, 62)).toMatchObject([{ opening: 0, awaiting: 0, short: 0 }]);
  });

  it('counts the tolerated residual as short once the rest is paid, even with duplicates', () => {
    const lenient = { ...policy, now: day(12), tolerance: { minorUnits: 4, basisPoints: 0 } };
    const paid = (amount: number, at: number) =>
      funding('Settle', amount, { transactionId: 'T1', fundedAt: day(at) });
    const settle = line('Settle', 10_000, { transactionId: 'T1' });
    const lines = order([settle], [paid(9_996, 11), paid(9_996, 12)]);
    const walk = walkOf([lines], lenient);
    expect(walkStatements(walk, { to: day(12) })).toMatchObject([
      { expected: 10_000, awaiting: 0, short: -4, duplicates: 0 },
    ]);
    expect(walkStatements(walk, { from: day(12) })).toMatchObject([
      { opening: 0, awaiting: 0, short: 0, duplicates: 9_996 },
    ]);
  });

  it('keeps residuals in transit that are tolerated individually but not in sum, until they are late', () => {
    const settles = ['T1', 'T2'].map((transactionId) => line('Settle', 10_000, { transactionId }));
    const paid = ['T1', 'T2'].map((transactionId) =>
      funding('Settle', 9_997, { transactionId, fundedAt: day(11) }),
    );
    const at = (count: number) => {
      const terms = { ...policy, now: day(count), tolerance: { minorUnits: 4, basisPoints: 0 } };
      const lines = order(settles, paid);
      expect(reconcileOrder(lines, terms).awaiting).toBe(count < 13 ? 6 : 0);
      return walkOf([lines], terms);
    };
    expect(walkStatements(at(12))).toMatchObject([{ awaiting: -6, short: 0 }]);
    expect(walkStatements(at(13), { to: day(13) })).toMatchObject([{ awaiting: -6, short: 0 }]);
    expect(walkStatements(at(13), { from: day(13) })).toMatchObject([
      { opening: 6, awaiting: 0, short: -6 },
    ]);
  });

  describe('with a tolerance of four units', () => {
    const few = { minorUnits: 4, basisPoints: 0 };
    const settle = (transactionId: string, amount: number) =>
      line('Settle', amount, { transactionId });
    const posted = (transactionId: string, amount: number) =>
      funding('Settle', amount, { transactionId, fundedAt: day(11) });

    it.each<
      [string, settles: LedgerLine[], fundings: FundingLine[], awaiting: number, rest: object]
    >([
      ['three units that nobody paid', [settle('T1', 3)], [], 0, { short: -3 }],
      ['twice three of them', [settle('T1', 3), settle('T2', 3)], [], 6, { short: 0 }],
      [
        'three residuals, and three units of a payment',
        [settle('T1', 3), settle('T2', 10_000)],
        [posted('T2', 9_997)],
        6,
        { short: 0 },
      ],
      [
        'an excess that is larger than two shortfalls',
        [settle('T1', 10_000), settle('T2', 10_000), settle('T3', 10_000)],
        [posted('T1', 10_002), posted('T2', 9_996), posted('T3', 9_996)],
        8,
        { short: 0, over: 2 },
      ],
      [
        'a shortfall, and an equal correction of a funding without a line',
        [settle('T1', 10_000)],
        [posted('T1', 9_997), posted('T9', -3)],
        3,
        { short: 0, other: -3 },
      ],
    ])(
      'has the amount in transit that the order awaits: %s',
      (_, settles, fundings, awaiting, rest) => {
        const terms = { ...policy, now: day(12), tolerance: few };
        const lines = order(settles, fundings);
        expect(reconcileOrder(lines, terms).awaiting).toBe(awaiting);
        expect(walkStatements(walkOf([lines], terms))).toMatchObject([
          { awaiting: 0 - awaiting, ...rest },
        ]);
        const late = { ...terms, now: day(13) };
        expect(reconcileOrder(lines, late).awaiting).toBe(0);
        expect(walkStatements(walkOf([lines], late))).toMatchObject([{ awaiting: 0 }]);
      },
    );
  });

  it('keeps a settle in transit, and later short, if its only posting has a wrong type and amount', () => {
    const settle = line('Settle', 10_000, { transactionId: 'T1' });
    const at = (count: number, amount: number) => {
      const wrong = funding('Refund', amount, { transactionId: 'T1', fundedAt: day(11) });
      const terms = { ...policy, now: day(count) };
      const { awaiting } = reconcileOrder(order([settle], [wrong]), terms);
      return [awaiting, walkStatements(walkOf([order([settle], [wrong])], terms))];
    };
    expect(at(12, 1)).toMatchObject([10_000, [{ awaiting: -10_000, short: 0, other: -1 }]]);
    expect(at(13, 1)).toMatchObject([0, [{ awaiting: 0, short: -10_000, other: -1 }]]);
    expect(at(12, 10_000)).toMatchObject([0, [{ awaiting: 0, short: -10_000, other: -10_000 }]]);
  });

  it('dates a correction on the day it was posted', () => {
    const refund = line('Refund', 3_000, { transactionId: 'T2' });
    const taken = [3_000, -3_000].map((amount, later) =>
      funding('Refund', amount, { transactionId: 'T2', fundedAt: day(12 + later) }),
    );
    const walk = walkOf([order([refund], taken)], policy);
    expect(walkStatements(walk, { to: day(13) })).toMatchObject([{ refunds: -3_000, net: -2_913 }]);
    expect(walkStatements(walk, { from: day(13) })).toMatchObject([{ refunds: 3_000, net: 2_913 }]);
  });

  it('assigns the unpaid rest to no lender when the order has two lenders', () => {
    const settles = ['T1', 'T2', 'T3'].map((transactionId) =>
      line('Settle', 10_000, { transactionId }),
    );
    const paid = ['Quillmoor', 'Tamberley'].map((lenderName, index) =>
      funding('Settle', 10_000, { transactionId: `T${index + 1}`, lenderName }),
    );
    const expectedOf = (lender: string, fundings: typeof paid) =>
      walkStatements(walkOf([order(settles, fundings)], policy), { lender })[0]?.expected;
    expect(['Quillmoor', 'Tamberley', ''].map((lender) => expectedOf(lender, paid))).toEqual([
      10_000, 10_000, 10_000,
    ]);
    expect(expectedOf('Quillmoor', paid.slice(0, 1))).toBe(30_000);
  });

  it('assigns the unpaid rest to the lender that paid a part, although the order has two lenders', () => {
    const settles = ['T1', 'T2'].map((transactionId) => line('Settle', 10_000, { transactionId }));
    const paid = [
      funding('Settle', 4_000, { transactionId: 'T1', lenderName: 'Quillmoor' }),
      funding('Settle', 10_000, { transactionId: 'T2', lenderName: 'Tamberley' }),
    ];
    const walk = walkOf([order(settles, paid)], policy);
    expect(walkStatements(walk, { lender: 'Quillmoor' })).toMatchObject([
      { expected: 10_000, short: -6_000 },
    ]);
  });

  it('separates refunds without a ledger line from expected ones', () => {
    const ledger = [
      line('Settle', 10_000, { transactionId: 'T1' }),
      line('Refund', 3_000, { transactionId: 'T2' }),
    ];
    const posted = [
      funding('Settle', 10_000, { transactionId: 'T1' }),
      funding('Refund', 3_000, { transactionId: 'T2' }),
      funding('Refund', 500, { transactionId: 'T3' }),
    ];
    expect(walkStatements(walkOf([order(ledger, posted)], policy))).toMatchObject([
      { refunds: -3_000, other: -500 },
    ]);
  });

  it('names each step by its cause', () => {
    const settle = (id: string) => line('Settle', 10_000, { transactionId: id });
    const paid = (id: string, amount = 10_000) => funding('Settle', amount, { transactionId: id });
    const lines = order(['T1', 'T2', 'T3'].map(settle), [
      paid('T1'),
      paid('T1'),
      paid('T2', 10_040),
      paid('T9', 70),
      funding('Chargeback', 600),
      funding('Reversal', 100),
    ]);
    const [statement] = walkStatements(walkOf([lines], { ...policy, contracts: [] }));
    expect(statement).toEqual({
      currency: 'USD',
      opening: 0,
      expected: 30_000,
      awaiting: 0,
      short: -10_000,
      over: 40,
      refunds: 0,
      chargebacks: -600,
      reversals: 100,
      duplicates: 10_000,
      other: 70,
      discount: -859,
      net: 28_751,
      unexplained: 0,
    });
  });

  it('reports a wrong net amount and an unknown type as unexplained', () => {
    const settle = line('Settle', 10_000, { transactionId: 'T1' });
    const paid = funding('Settle', 10_000, { transactionId: 'T1' });
    const lines = order(
      [settle],
      [
        { ...paid, netAmount: paid.netAmount - 37 },
        funding('Adjustment', 500, { discountAmount: 0 }),
      ],
    );
    expect(walkStatements(walkOf([lines], policy))).toMatchObject([{ unexplained: 463 }]);
  });

  it('never adds currencies together', () => {
    const usd = order([line('Settle', 100)], [funding('Settle', 100)]);
    const walk = walkOf([{ ...usd, currency: 'JPY' }, usd], policy);
    expect(walkStatements(walk)).toMatchObject([
      { currency: 'JPY', expected: 100 },
      { currency: 'USD', expected: 100 },
    ]);
  });

  it('rejects a sum that would no longer be exact', () => {
    const flow = { currency: 'USD', lender: '', at: 0, step: 'net', amount: 2 ** 53 - 1 } as const;
    const walk: CashWalk = new Map();
    expect(addFlows(walk, [flow])).toBe(walk);
    expect(() => addFlows(walk, [flow])).toThrow(RangeError);
  });
});
