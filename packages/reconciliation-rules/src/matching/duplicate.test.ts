import { describe, expect, it } from 'vitest';
import { findExceptions, lenient } from '../exceptions.fixture.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1' });
/** Returns fundings posted one after the other. */
const posted = (...amounts: readonly number[]) =>
  amounts.map((amount, later) =>
    funding('Settle', amount, {
      transactionId: 'T1',
      status: 'UNRECONCILED',
      fundedAt: day(12 + later),
    }),
  );

describe('duplicate fundings', () => {
  it('repeat approximately the whole amount; any other excess is a wrong amount', () => {
    expect(findExceptions([settle], posted(10_000, 500))).toEqual([['AMOUNT_MISMATCH', 500]]);
    expect(findExceptions([settle], posted(10_000, 9_990), lenient(10))).toEqual([
      ['DUPLICATE_FUNDING', 9_990],
    ]);
    expect(findExceptions([settle], posted(10_000, 9_989), lenient(10))).toEqual([
      ['AMOUNT_MISMATCH', 9_989],
    ]);
  });

  it('need more than the tolerance: a few units followed by the whole amount are parts', () => {
    expect(findExceptions([settle], posted(10, 10_000), lenient(10))).toEqual([]);
    expect(findExceptions([settle], posted(11, 10_000), lenient(10))).toEqual([
      ['AMOUNT_MISMATCH', 11],
    ]);
  });

  it.each([
    [[500, 10_000], [['AMOUNT_MISMATCH', 500]]],
    [[10_000, 10_000, -9_000], [['AMOUNT_MISMATCH', 1_000]]],
    [[5_000, 10_000, 5_000], [['DUPLICATE_FUNDING', 10_000]]],
    [
      [500, 10_000, 10_000],
      [
        ['DUPLICATE_FUNDING', 10_000],
        ['AMOUNT_MISMATCH', 500],
      ],
    ],
  ])('exclude a posting that is needed to pay the whole amount: %j', (amounts, findings) => {
    expect(findExceptions([settle], posted(...amounts))).toEqual(findings);
  });

  it.each([
    [100, 1_000],
    [1_000, 100],
  ])(
    'are not reported next to a different amount, in either posting order: %i, %i',
    (...amounts) => {
      const small = line('Settle', 100, { transactionId: 'T1' });
      const status = reconcileOrder(order([small], posted(...amounts)), {
        ...policy,
        contracts: [],
      });
      expect(status).toMatchObject({ funding: 'OVER_FUNDED', funded: { settle: 1_100 } });
      expect(status.exceptions).toMatchObject([{ code: 'AMOUNT_MISMATCH', amount: 1_000 }]);
    },
  );

  it('leave an order funded if all payments name one of its lines', () => {
    const ledger = [
      line('Settle', 1_000, { transactionId: 'T2' }),
      line('Settle', 100, { transactionId: 'T1' }),
    ];
    for (const amounts of [
      [1_000, 100],
      [100, 1_000],
    ]) {
      const status = reconcileOrder(order(ledger, posted(...amounts)), policy);
      expect(status).toMatchObject({ funding: 'FUNDED', funded: { settle: 1_100 } });
    }
  });

  it.each([
    [5_000, 5_000, 10_000],
    [5_000, 10_000, 5_000],
    [10_000, 5_000, 5_000],
  ])(
    'include the whole amount next to parts that sum to it, in any posting order: %i, %i, %i',
    (...amounts) => {
      expect(findExceptions([settle], posted(...amounts))).toEqual([['DUPLICATE_FUNDING', 10_000]]);
    },
  );

  it('include an amount within tolerance next to the exact amount, in either posting order', () => {
    for (const amounts of [
      [9_995, 10_000],
      [10_000, 9_995],
    ]) {
      expect(findExceptions([settle], posted(...amounts), lenient(10))).toEqual([
        ['DUPLICATE_FUNDING', 9_995],
      ]);
    }
  });

  it('exclude reversed payments, even if the line is small relative to the tolerance', () => {
    const ledger = [settle, line('Settle', 5, { transactionId: 'T2' })];
    const fundings = [20, -3].map((amount, later) =>
      funding('Settle', amount, { transactionId: 'T2', fundedAt: day(12 + later) }),
    );
    expect(findExceptions(ledger, [...posted(10_000), ...fundings], lenient(10))).toEqual([
      ['AMOUNT_MISMATCH', 12],
    ]);
  });

  it('exclude parts of a line that is as small as the tolerance', () => {
    const ledger = [settle, line('Settle', 5, { transactionId: 'T2' })];
    const parts = [4, 3].map((amount) => funding('Settle', amount, { transactionId: 'T2' }));
    expect(findExceptions(ledger, [...posted(10_000), ...parts], lenient(10))).toEqual([]);
  });

  it('date from the second payment when one of three was reversed', () => {
    const lines = order([settle], posted(10_000, 10_000, 10_000, -10_000));
    expect(reconcileOrder(lines, policy).exceptions).toEqual([
      { code: 'DUPLICATE_FUNDING', amount: 10_000, count: 1, since: day(13) },
    ]);
  });
});
