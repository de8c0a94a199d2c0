import { exceptionCodes, headlines } from '@financing-checkout/contract/reconciliation';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { OrderLines, OrderStatus } from '../order/lines.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { ledgerStartKey } from '../policy/ledger-start.ts';
import { judgeOrder, reconcileOrder } from './order-status.ts';
import { paidInFull } from './paid-in-full.ts';
import { anyOrder, anyPolicy, nearlyPlainOrder } from '../random-order.fixture.ts';

const runs = { numRuns: 3_000 };

/** Returns the same lines in another arrival order. */
const reordered = (lines: OrderLines) =>
  fc
    .tuple(
      fc.shuffledSubarray([...lines.ledger], { minLength: lines.ledger.length }),
      fc.shuffledSubarray([...lines.fundings], { minLength: lines.fundings.length }),
    )
    .map(([ledger, fundings]) => ({ ...lines, ledger, fundings }));

describe('any order', () => {
  test('has the same status in any arrival order', () => {
    const twice = anyOrder.chain((lines) => fc.tuple(fc.constant(lines), reordered(lines)));
    fc.assert(
      fc.property(twice, anyPolicy, ([lines, again], terms) => {
        expect(reconcileOrder(again, terms)).toEqual(reconcileOrder(lines, terms));
      }),
      runs,
    );
  });

  test('has one headline and each exception once, most severe first', () => {
    fc.assert(
      fc.property(anyOrder, anyPolicy, (lines, terms) => {
        const { headline, exceptions, funding: axis, returns } = reconcileOrder(lines, terms);
        expect(headlines).toContain(headline);
        const codes = exceptions.map(({ code }) => code);
        expect(codes).toEqual(exceptionCodes.filter((code) => codes.includes(code)));
        if (codes[0]) expect(headline).toBe(codes[0]);
        // Each excess and unexpected amount has an exception with its reason.
        if (axis === 'OVER_FUNDED' || axis === 'UNEXPECTED') expect(codes).not.toEqual([]);
        if (returns === 'CHARGED_BACK') expect(codes).not.toEqual([]);
      }),
      runs,
    );
  });

  test('has whole minor units, and only timestamps of its own lines', () => {
    fc.assert(
      fc.property(anyOrder, anyPolicy, (lines, terms) => {
        const status = reconcileOrder(lines, terms);
        for (const amount of amountsOf(status)) expect(Number.isSafeInteger(amount)).toBe(true);
        for (const { count, since } of status.exceptions) {
          expect(count).toBeGreaterThan(0);
          expect(count).toBeLessThanOrEqual(lines.ledger.length + lines.fundings.length);
          expect(since).toBeLessThanOrEqual(Math.max(terms.now, day(100)));
        }
        expect(status.awaiting).toBeGreaterThanOrEqual(0);
        expect(status.recheckAt ?? Infinity).toBeGreaterThan(terms.now);
      }),
      runs,
    );
  });

  test('does not change before recheckAt through time alone', () => {
    fc.assert(
      fc.property(anyOrder, anyPolicy, (lines, terms) => {
        const status = reconcileOrder(lines, terms);
        const { recheckAt = terms.now + 1e9 } = status;
        expect(reconcileOrder(lines, { ...terms, now: recheckAt - 1 })).toEqual(status);
      }),
      runs,
    );
  });

  test('has the same status when a page repeats, and when reconciled twice', () => {
    fc.assert(
      fc.property(anyOrder, anyPolicy, (lines, terms) => {
        const status = reconcileOrder(lines, terms);
        const repeated = { ...lines, fundings: [...lines.fundings, ...lines.fundings] };
        expect(reconcileOrder(repeated, terms)).toEqual(status);
        expect(reconcileOrder(lines, terms)).toEqual(status);
      }),
      runs,
    );
  });

  test('keeps its input lines unchanged', () => {
    fc.assert(
      fc.property(anyOrder, anyPolicy, (lines, terms) => {
        const before = JSON.stringify(lines);
        reconcileOrder(lines, terms);
        expect(JSON.stringify(lines)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the fast path for the simplest order', () => {
  test('gives the same result as the full checks', () => {
    let short = 0;
    fc.assert(
      fc.property(nearlyPlainOrder, anyPolicy, (lines, terms) => {
        const status = paidInFull(lines, terms);
        if (!status) return;
        short += 1;
        expect(status).toEqual(judgeOrder(lines, terms));
      }),
      runs,
    );
    expect(short).toBeGreaterThan(150);
  });

  it('applies to an order that was settled and funded', () => {
    const plain = order(
      [line('Settle', 10_000, { transactionId: 'T1' })],
      [funding('Settle', 10_000, { transactionId: 'T1' })],
    );
    expect(paidInFull(plain, policy)?.headline).toBe('FUNDED');
  });
});

describe('the headline without an exception', () => {
  const settle = line('Settle', 10_000, { transactionId: 'T1' });
  const paid = funding('Settle', 10_000, { transactionId: 'T1' });
  const refund = (amount: number) =>
    [
      line('Refund', amount, { transactionId: 'T2' }),
      funding('Refund', amount, { transactionId: 'T2' }),
    ] as const;
  const [part, partTaken] = refund(4_000);
  const [whole, wholeTaken] = refund(10_000);
  const fresh = { ...settle, occurredAt: day(99) };
  const half = funding('Settle', 5_000, { transactionId: 'T1', status: 'AMOUNT_MISMATCH' });
  const chargeback = funding('Chargeback', 6_000);
  const reversal = funding('Reversal', 6_000, { fundedAt: day(30) });

  it.each([
    ['NOTHING_DUE', 'NONE', 'NONE', order([], [])],
    ['NOTHING_DUE', 'NONE', 'NONE', order([], [funding('Void', 10_000)])],
    ['FUNDED', 'FUNDED', 'NONE', order([settle], [paid])],
    ['AWAITING_FUNDING', 'UNFUNDED', 'NONE', order([fresh], [])],
    ['PARTIALLY_FUNDED', 'PARTIALLY_FUNDED', 'NONE', order([fresh], [half])],
    [
      'PARTIALLY_REFUNDED',
      'FUNDED',
      'PARTIALLY_REFUNDED',
      order([settle, part], [paid, partTaken]),
    ],
    ['REFUNDED', 'FUNDED', 'REFUNDED', order([settle, whole], [paid, wholeTaken])],
    [
      'CHARGEBACK_REVERSED',
      'FUNDED',
      'CHARGEBACK_REVERSED',
      order([settle], [paid, chargeback, reversal]),
    ],
    ['CHARGEBACK_OPEN', 'FUNDED', 'PARTIALLY_CHARGED_BACK', order([settle], [paid, chargeback])],
    [
      'CHARGEBACK_OPEN',
      'FUNDED',
      'CHARGED_BACK',
      order([settle], [paid, funding('Chargeback', 10_000)]),
    ],
    ['NOT_IN_LEDGER', 'UNEXPECTED', 'NONE', order([], [paid])],
    [
      'DUPLICATE_FUNDING',
      'FUNDED',
      'NONE',
      order([settle], [paid, { ...paid, id: 'again', lenderReferenceId: 'again' }]),
    ],
  ])('%s: funding %s, returns %s', (headline, axis, returns, lines) => {
    expect(reconcileOrder(lines, policy)).toMatchObject({ headline, funding: axis, returns });
  });

  const notRecorded = ['NOT_IN_LEDGER', 'LINE_NOT_IN_LEDGER', 'REFUND_NOT_IN_LEDGER'];
  const older = { fundedAt: day(9) };
  it.each([
    ['while no ledger exists', new Map(), order([], [paid]), 'BEFORE_LEDGER'],
    ['before the first line', new Map([['USD', day(13)]]), order([], [paid]), 'BEFORE_LEDGER'],
    [
      'before the first line of its lender',
      new Map([
        ['USD', day(0)],
        [ledgerStartKey('USD', 'Quillmoor'), day(13)],
      ]),
      order([], [paid]),
      'BEFORE_LEDGER',
    ],
    [
      'on an order with later lines',
      new Map([['USD', day(10)]]),
      order([line('Settle', 10_000)], [paid, funding('Refund', 500, older)]),
      'PARTIALLY_REFUNDED',
    ],
  ])('does not report a funding %s as missing from the ledger', (_, starts, lines, headline) => {
    const policyOfStart = { ...policy, ledgerStarts: starts };
    const status = reconcileOrder(lines, policyOfStart);
    expect(status.headline).toBe(headline);
    expect(status.exceptions.filter(({ code }) => notRecorded.includes(code))).toEqual([]);
    expect(reconcileOrder(lines, policy).exceptions).not.toEqual([]);
  });

  it('reports a funding posted at the time of the first ledger line', () => {
    const starts = new Map([['USD', paid.fundedAt]]);
    expect(reconcileOrder(order([], [paid]), { ...policy, ledgerStarts: starts })).toMatchObject({
      headline: 'NOT_IN_LEDGER',
    });
  });

  it('rejects an amount with a fraction or beyond exact integers', () => {
    for (const amount of [10.5, Number.NaN, -1, Number.MAX_SAFE_INTEGER]) {
      const lines = order([line('Settle', amount), line('Settle', 1)], []);
      expect(() => reconcileOrder(lines, policy)).toThrow(RangeError);
    }
    const broken = order([settle], [{ ...paid, discountAmount: 0.5 }]);
    expect(() => reconcileOrder(broken, policy)).toThrow(/whole number of minor units/);
  });

  const most = Number.MAX_SAFE_INTEGER;
  const odd = (of: string, amount: number, discountAmount: number, netAmount: number) =>
    [1, 2].map(() => funding(of, amount, { discountAmount, netAmount }));

  it.each([
    ['refunds of the ledger', order([line('Refund', most), line('Refund', most)], [])],
    ['settles', order([], odd('Settle', most, 0, 0))],
    ['refunds', order([], odd('Refund', most, 0, 0))],
    ['chargebacks', order([], odd('Chargeback', most, 0, 0))],
    ['reversals', order([], odd('Reversal', most, 0, 0))],
    ['discounts', order([], odd('Settle', 0, most, 0))],
    ['net amounts', order([], odd('Settle', 0, 0, most))],
    ['halves of units of the ledger', order([line('Settle', 0.5), line('Settle', 0.5)], [])],
    ['halves of units', order([], odd('Settle', 0.5, 0, 0))],
    ['halves of units as discount', order([], odd('Settle', 0, 0.5, 0))],
    ['halves of units as net', order([], odd('Settle', 0, 0, 0.5))],
  ])('rejects amounts whose sum would not be exact: %s', (_, lines) => {
    expect(() => reconcileOrder(lines, policy)).toThrow(RangeError);
  });

  it.each([
    [-most, 2 * most],
    [2 * most, -most],
  ])(
    'rejects such amounts in the simplest order, too: discount %i, net %i',
    (discountAmount, netAmount) => {
      const id = { transactionId: 'T1' };
      const lines = order(
        [line('Settle', most, id)],
        [funding('Settle', most, { ...id, discountAmount, netAmount })],
      );
      expect(() => reconcileOrder(lines, { ...policy, contracts: [] })).toThrow(RangeError);
    },
  );
});

function amountsOf({
  expected,
  funded,
  discount,
  net,
  awaiting,
  exceptions,
}: OrderStatus): number[] {
  return [
    ...Object.values(expected),
    ...Object.values(funded),
    ...[discount, net, awaiting],
    ...exceptions.map(({ amount }) => amount),
  ];
}
