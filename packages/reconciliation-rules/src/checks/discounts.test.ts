import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { agreedDiscounts } from '../sums/discount-audit.ts';
import {
  auditDiscounts,
  effectiveBasisPoints,
  type DiscountAudit,
} from '../sums/discount-audit.fixture.ts';
import type { FundingLine, OrderLines, Policy } from '../order/lines.ts';
import { day, funding, line, now, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import { anyOrder, anyPolicy } from '../random-order.fixture.ts';
import { agreedAt, contractOf } from '../policy/contract.ts';

const paid = (amount: number, discountAmount: number, transactionId = 'T1') =>
  funding('Settle', amount, { transactionId, discountAmount });
const settle = (amount: number, transactionId = 'T1') => line('Settle', amount, { transactionId });
const found = (lines: OrderLines, terms: Policy = policy) =>
  reconcileOrder(lines, terms).exceptions.map(({ code, amount }) => [code, amount]);

describe('the contracted discount', () => {
  it.each([
    // 2.9 percent of 9,983 is 289.507.
    [289, []],
    [290, []],
    [288, [['MDR_VARIANCE', -2]]],
    [291, [['MDR_VARIANCE', 1]]],
  ])('may be rounded to a whole unit either way: %i', (discount, findings) => {
    expect(found(order([settle(9_983)], [paid(9_983, discount)]))).toEqual(findings);
  });

  it.each([
    // 2.875% of 9,983 is 287.01125, and 2.8751% is 287.0212…; of 10,000,000,000,000 both are exact.
    [9_983, 287.5, 287, []],
    [9_983, 287.5, 288, []],
    [9_983, 287.5, 289, [['MDR_VARIANCE', 2]]],
    [10_000_000_000_000, 287.51, 287_510_000_000, []],
    [10_000_000_000_000, 287.51, 287_510_000_001, [['MDR_VARIANCE', 1]]],
    [10_000_000_000_000, 1.13, 1_130_000_000, []],
  ])(
    'may have a rate with fractions of a basis point: amount %i, rate %d',
    (amount, basisPoints, discount, findings) => {
      const contracts = policy.contracts.map((contract) => ({ ...contract, basisPoints }));
      const lines = order([settle(amount)], [paid(amount, discount)]);
      expect(found(lines, { ...policy, contracts })).toEqual(findings);
    },
  );

  describe('with a fixed amount per settle', () => {
    const contracts = policy.contracts.map((contract) => ({ ...contract, perSettle: { USD: 30 } }));
    const terms = { ...policy, contracts };

    it.each([
      [320, []],
      [290, [['MDR_VARIANCE', -30]]],
      [350, [['MDR_VARIANCE', 30]]],
    ])('is the fixed amount plus the share: %i', (discount, findings) => {
      expect(found(order([settle(10_000)], [paid(10_000, discount)]), terms)).toEqual(findings);
    });

    it('applies only to its own currency', () => {
      const yen = { ...order([settle(10_000)], [paid(10_000, 290)]), currency: 'JPY' };
      expect(found(yen, terms)).toEqual([]);
    });

    it('is kept once per settle, even when the settle is funded in parts', () => {
      const part = (discount: number) => ({ ...paid(5_000, discount), status: 'AMOUNT_MISMATCH' });
      expect(found(order([settle(10_000)], [part(175), part(145)]), terms)).toEqual([]);
      expect(found(order([settle(10_000)], [part(175), part(175)]), terms)).toEqual([
        ['MDR_VARIANCE', 30],
      ]);
      const two = [paid(5_000, 175), paid(5_000, 175, 'T2')];
      expect(found(order([settle(5_000), settle(5_000, 'T2')], two), terms)).toEqual([]);
    });

    it('is kept once from an unexpected settle in parts, and not from a reversed settle', () => {
      const ledger = [settle(10_000)];
      const part = (amount: number, discount: number) => paid(amount, discount, 'T9');
      const unknown = (...parts: FundingLine[]) =>
        found(order(ledger, [paid(10_000, 320), ...parts]), terms);
      expect(unknown(part(5_000, 175), part(5_000, 145))).toEqual([['LINE_NOT_IN_LEDGER', 10_000]]);
      expect(unknown(part(5_000, 175), part(5_000, 175))).toEqual([
        ['LINE_NOT_IN_LEDGER', 10_000],
        ['MDR_VARIANCE', 30],
      ]);
      expect(unknown(part(5_000, 175), part(-5_000, -175))).toEqual([]);
    });

    it('is not returned on a refund', () => {
      const refund = line('Refund', 10_000, { transactionId: 'T2' });
      const back = funding('Refund', 10_000, {
        transactionId: 'T2',
        discountAmount: 290,
        fundedAt: day(13),
      });
      const lines = order([settle(10_000), refund], [paid(10_000, 320), back]);
      expect(found(lines, terms)).toEqual([]);
      expect(agreedDiscounts(lines, terms)).toMatchObject([
        { kind: 'settle', basisPoints: 290, perSettle: 30, agreed: 320, discount: 320, kept: 0 },
        { kind: 'refund', basisPoints: 290, perSettle: 0, agreed: 290, discount: 290, kept: 0 },
      ]);
      const sums: DiscountAudit = new Map();
      auditDiscounts(sums, lines, terms);
      expect([...sums.values()]).toMatchObject([
        { basisPoints: 290, perSettle: 30, settles: { variance: 0 }, refunds: { kept: 0 } },
      ]);
    });
  });

  it('tolerates one unit for each funding of a split payment', () => {
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

  it('is exact even if a product exceeds 2^53', () => {
    const amount = 99_999_999_999_999;
    const exact = 2_900_000_000_000;
    expect(found(order([settle(amount)], [paid(amount, exact)]))).toEqual([]);
    expect(found(order([settle(amount)], [paid(amount, exact + 1)]))).toEqual([
      ['MDR_VARIANCE', 1],
    ]);
    expect(found(order([settle(amount)], [paid(amount, exact - 2)]))).toEqual([
      ['MDR_VARIANCE', -2],
    ]);
  });

  it('is returned on a refund only if the contract says so', () => {
    const refund = line('Refund', 4_000, { transactionId: 'T2' });
    const ledger = [settle(10_000), refund];
    const taken = (discountAmount: number) =>
      order(ledger, [
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

  it('comes from the most specific contract, under any name of the lender', () => {
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
    const rate = (of: object) => contractOf({ ...paid(1, 0), ...of }, terms, now)?.basisPoints;
    expect(rate({})).toBe(100);
    expect(rate({ productType: 'Installments' })).toBe(200);
    expect(rate({ productType: 'LineOfCredit', promoCode: 'SPRING' })).toBe(300);
    expect(rate({ productType: 'Installments', promoCode: 'SPRING' })).toBe(400);
    expect(rate({ lenderName: 'Tamberley' })).toBeUndefined();
  });

  const since = (basisPoints: number, from?: number, other = {}) => ({
    lender: 'Quillmoor',
    basisPoints,
    from,
    returnedOnRefund: true,
    ...other,
  });
  /** 2.9 percent, and 3.5 percent from day 20. */
  const raised = { ...policy, contracts: [since(350, day(20)), since(290)] };

  it.each([
    [day(20) - 1, 290],
    [day(20), 350],
  ])('is the one in effect when the order was settled: %i', (occurredAt, agreed) => {
    const ledger = [line('Settle', 10_000, { transactionId: 'T1', occurredAt })];
    const other = 290 + 350 - agreed;
    expect(found(order(ledger, [paid(10_000, agreed)]), raised)).toEqual([]);
    expect(found(order(ledger, [paid(10_000, other)]), raised)).toEqual([
      ['MDR_VARIANCE', other - agreed],
    ]);
  });

  it('follows the first settle, even for refunds and later settles', () => {
    const ledger = [
      line('Settle', 8_000, { transactionId: 'T2', occurredAt: day(25) }),
      line('Settle', 10_000, { transactionId: 'T1', occurredAt: day(19) }),
      line('Refund', 10_000, { transactionId: 'T3', occurredAt: day(30) }),
    ];
    const posted = (rate: number) => [
      { ...paid(10_000, 100 * rate), fundedAt: day(20) },
      { ...paid(8_000, 80 * rate, 'T2'), fundedAt: day(26) },
      {
        ...funding('Refund', 10_000, { transactionId: 'T3', discountAmount: 100 * rate }),
        fundedAt: day(32),
      },
    ];
    expect(found(order(ledger, posted(2.9)), raised)).toEqual([]);
    expect(found(order(ledger, posted(3.5)), raised).map(([code]) => code)).toContain(
      'MDR_VARIANCE',
    );
  });

  it('follows the first funded settle if the ledger has none, else the first line of any kind', () => {
    const early = { lenderReferenceId: 'R1', fundedAt: day(18) };
    const late = { lenderReferenceId: 'R2', fundedAt: day(21) };
    const at = (...fundings: FundingLine[]) => agreedAt(order([], fundings));
    expect(at(funding('Refund', 1, early), funding('Settle', 1, late))).toBe(day(21));
    expect(at(funding('Refund', 1, late), funding('Chargeback', 1, early))).toBe(day(18));
    const refund = line('Refund', 1, { occurredAt: day(3) });
    expect(agreedAt(order([refund], [funding('Settle', 1, late)]))).toBe(day(21));
  });

  it('is not checked before the first contract starts, and follows a more specific one once it starts', () => {
    const begun = { ...policy, contracts: [since(350, day(20))] };
    expect(found(order([settle(10_000)], [paid(10_000, 123)]), begun)).toEqual([]);
    const terms = {
      ...policy,
      contracts: [
        since(290),
        since(350, day(20)),
        since(100, day(15), { productType: 'Installments' }),
      ],
    };
    const rate = (at: number, productType?: string) =>
      contractOf({ ...paid(1, 0), productType }, terms, at)?.basisPoints;
    expect([14, 15, 20].map((count) => rate(day(count), 'Installments'))).toEqual([290, 100, 100]);
    expect([14, 15, 20].map((count) => rate(day(count)))).toEqual([290, 290, 350]);
  });
});

test('each discount is listed with its contract, and in full when paid in parts', () => {
  const parts = [4_000, 6_000].map((amount) => ({ ...paid(amount, amount / 40), promoCode: 'X' }));
  const refund = line('Refund', 1_000, { transactionId: 'T2' });
  const back = funding('Refund', 1_000, { transactionId: 'T2', discountAmount: 0 });
  const told = { lender: 'Quillmoor', productType: undefined, from: undefined, perSettle: 0 };
  expect(agreedDiscounts(order([settle(10_000), refund], [...parts, back]), policy)).toEqual([
    {
      ...told,
      kind: 'settle',
      promoCode: 'X',
      amount: 10_000,
      basisPoints: 290,
      agreed: 290,
      discount: 250,
      kept: -40,
    },
    {
      ...told,
      kind: 'refund',
      promoCode: undefined,
      amount: 1_000,
      basisPoints: 290,
      agreed: 29,
      discount: 0,
      kept: 29,
    },
  ]);
  expect(agreedDiscounts(order([settle(1)], [paid(1, 0)]), { ...policy, contracts: [] })).toEqual(
    [],
  );
});

describe('the audit', () => {
  const audit = (orders: readonly OrderLines[], terms = policy): DiscountAudit => {
    const sums: DiscountAudit = new Map();
    for (const lines of orders) auditDiscounts(sums, lines, terms);
    return sums;
  };

  it('shows the effective rate, the excess over the contract, and the discount kept on refunds', () => {
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

  it('has a row for each contract start', () => {
    const terms = {
      ...policy,
      contracts: policy.contracts.flatMap((contract) => [
        contract,
        { ...contract, basisPoints: 350, from: day(20) },
      ]),
    };
    const later = line('Settle', 10_000, { transactionId: 'T1', occurredAt: day(20) });
    const sums: DiscountAudit = new Map();
    auditDiscounts(sums, order([settle(10_000)], [paid(10_000, 290)]), terms);
    auditDiscounts(sums, order([later], [paid(10_000, 290)]), terms);
    expect([...sums.values()]).toMatchObject([
      { basisPoints: 290, agreedFrom: undefined, settles: { count: 1, variance: 0 } },
      { basisPoints: 350, agreedFrom: day(20), settles: { count: 1, variance: -60 } },
    ]);
  });

  test('has the same variances as the orders', () => {
    fc.assert(
      fc.property(fc.array(anyOrder, { maxLength: 5 }), anyPolicy, (orders, terms) => {
        const variance = [...audit(orders, terms).values()].reduce(
          (sum, { settles, refunds }) => sum + settles.variance + refunds.variance,
          0,
        );
        const exceptions = orders.flatMap((lines) => reconcileOrder(lines, terms).exceptions);
        const deviations = exceptions.filter(({ code }) => code.startsWith('MDR_'));
        expect(variance).toBe(deviations.reduce((sum, { amount }) => sum + amount, 0));
      }),
      { numRuns: 1_000 },
    );
  });
});
