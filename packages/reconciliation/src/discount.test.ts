import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  auditDiscounts,
  effectiveBasisPoints,
  mergeAudits,
  type DiscountAudit,
} from './discount-audit.ts';
import type { OrderLines, Policy } from './lines.ts';
import { funding, line, order, policy } from './order.fixture.ts';
import { reconcileOrder } from './order-status.ts';
import { anyOrder } from './random-order.fixture.ts';
import { contractOf } from './terms.ts';

const paid = (amount: number, discountAmount: number, transactionId = 'T1') =>
  funding('Settle', amount, { transactionId, discountAmount });
const settle = (amount: number, transactionId = 'T1') => line('Settle', amount, { transactionId });
const found = (lines: OrderLines, terms: Policy = policy) =>
  reconcileOrder(lines, terms).exceptions.map(({ code, amount }) => [code, amount]);

describe('the discount agreed on', () => {
  it.each([
    // 2.9 percent of 9,983 is 289.507.
    [289, []],
    [290, []],
    [288, [['MDR_VARIANCE', -2]]],
    [291, [['MDR_VARIANCE', 1]]],
  ])('may be rounded to a whole unit either way: %i', (discount, findings) => {
    expect(found(order([settle(9_983)], [paid(9_983, discount)]))).toEqual(findings);
  });

  it('has a unit of room for each funding of what is paid in parts', () => {
    const parts = [3_334, 3_333, 3_333].map((amount) => ({
      ...paid(amount, 96),
      status: 'AMOUNT_MISMATCH',
    }));
    expect(found(order([settle(10_000)], parts))).toEqual([]);
    const [first, ...others] = parts;
    if (!first) throw new Error('there are three');
    const less = { ...first, discountAmount: 94, netAmount: first.transactionAmount - 94 };
    expect(found(order([settle(10_000)], [less, ...others]))).toEqual([['MDR_VARIANCE', -4]]);
  });

  it('holds exactly where a product is past 2^53', () => {
    const amount = 99_999_999_999_999;
    const exact = 2_900_000_000_000;
    expect(found(order([settle(amount)], [paid(amount, exact)]))).toEqual([]);
    expect(found(order([settle(amount)], [paid(amount, exact + 1)]))).toEqual([
      ['MDR_VARIANCE', 1],
    ]);
  });

  it('is given back with a refund where the contract says so, and only there', () => {
    const refund = line('Refund', 4_000, { transactionId: 'T2' });
    const books = [settle(10_000), refund];
    const taken = (discountAmount: number) =>
      order(books, [
        paid(10_000, 290),
        funding('Refund', 4_000, { transactionId: 'T2', discountAmount }),
      ]);
    const keeps = {
      ...policy,
      contracts: policy.contracts.map((contract) => ({ ...contract, returnedOnRefund: false })),
    };
    expect(found(taken(116))).toEqual([]);
    expect(found(taken(100))).toEqual([['MDR_NOT_RETURNED', 16]]);
    expect(found(taken(130))).toEqual([['MDR_VARIANCE', -14]]);
    expect(found(taken(0), keeps)).toEqual([]);
    expect(found(taken(116), keeps)).toEqual([['MDR_VARIANCE', -116]]);
  });

  it('is that of the most specific contract, under any name of the lender', () => {
    const contract = (basisPoints: number, of: object) => ({
      lender: 'Quill',
      basisPoints,
      returnedOnRefund: true,
      ...of,
    });
    const terms = {
      ...policy,
      aliases: { Quillmoor: 'Quill Finance', 'Quill Finance': 'Quill' },
      contracts: [
        contract(100, {}),
        contract(200, { productType: 'Installments' }),
        contract(300, { promoCode: 'SPRING' }),
        contract(400, { productType: 'Installments', promoCode: 'SPRING' }),
      ],
    };
    const rate = (of: object) => contractOf({ ...paid(1, 0), ...of }, terms)?.basisPoints;
    expect(rate({})).toBe(100);
    expect(rate({ productType: 'Installments' })).toBe(200);
    expect(rate({ productType: 'LineOfCredit', promoCode: 'SPRING' })).toBe(300);
    expect(rate({ productType: 'Installments', promoCode: 'SPRING' })).toBe(400);
    expect(rate({ lenderName: 'Tamberley' })).toBeUndefined();
  });
});

describe('the audit', () => {
  const audit = (orders: readonly OrderLines[]): DiscountAudit => {
    const sums: DiscountAudit = new Map();
    for (const lines of orders) auditDiscounts(sums, lines, policy);
    return sums;
  };

  it('tells the rate in fact, what is beyond the contract, and what is kept on refunds', () => {
    const refund = line('Refund', 4_000, { transactionId: 'T2' });
    const kept = funding('Refund', 4_000, { transactionId: 'T2', discountAmount: 0 });
    const sums = [
      ...audit([
        order([settle(10_000), refund], [paid(10_000, 340), kept]),
        order([settle(10_000)], [paid(10_000, 290)]),
      ]).values(),
    ];
    expect(sums).toMatchObject([
      {
        lender: 'Quillmoor',
        basisPoints: 290,
        settles: { count: 2, amount: 20_000, discount: 630, variance: 50 },
        refunds: { count: 1, amount: 4_000, returned: 0, variance: 116, kept: 116 },
      },
    ]);
    expect(sums.map(effectiveBasisPoints)).toEqual([315]);
  });

  test('has the variances that the orders have, however they are sliced and merged', () => {
    fc.assert(
      fc.property(fc.array(anyOrder, { maxLength: 5 }), fc.nat(5), (orders, cut) => {
        const whole = audit(orders);
        const merged = mergeAudits(audit(orders.slice(cut)), audit(orders.slice(0, cut)));
        expect(merged).toEqual(whole);
        const variance = [...whole.values()].reduce(
          (sum, { settles, refunds }) => sum + settles.variance + refunds.variance,
          0,
        );
        const exceptions = orders.flatMap((lines) => reconcileOrder(lines, policy).exceptions);
        const told = exceptions.filter(({ code }) => code.startsWith('MDR_'));
        expect(variance).toBe(told.reduce((sum, { amount }) => sum + amount, 0));
      }),
      { numRuns: 1_000 },
    );
  });
});
