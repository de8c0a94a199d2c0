import { describe, expect, it } from 'vitest';
import { findExceptions, lenient } from '../exceptions.fixture.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import type { LedgerLine } from './lines.ts';

describe('ledger lines', () => {
  it('form one expectation when they name the same transaction of the merchant', () => {
    const id = { merchantTransactionId: 'M1' };
    const items = [4_000, 6_000].map((amount) => line('Settle', amount, id));
    expect(findExceptions(items, [funding('Settle', 10_000, id)])).toEqual([]);
    expect(findExceptions(items, [funding('Settle', 9_000, id)])).toEqual([
      ['AMOUNT_MISMATCH', -1_000],
    ]);
  });

  it('do not share a transaction when its id is empty', () => {
    const none = { transactionId: '', merchantTransactionId: '' };
    const items = [4_000, 6_000].map((amount) => line('Settle', amount, none));
    expect(findExceptions(items, [funding('Settle', 4_000, none)])).toEqual([
      ['MISSING_AT_LENDER', 6_000],
    ]);
  });

  it('of one expectation are late when the last line is late', () => {
    const items = [10, 99].map((at) =>
      line('Settle', 5_000, { transactionId: 'T1', occurredAt: day(at) }),
    );
    expect(reconcileOrder(order(items, []), policy)).toMatchObject({
      headline: 'AWAITING_FUNDING',
      awaiting: 10_000,
      recheckAt: day(102),
    });
  });
});

it('an amount within tolerance of two lines pays the smaller one, whatever their ids in the ledger', () => {
  for (const [one, two] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const lines = [line('Settle', 1_002, { id: one }), line('Settle', 1_000, { id: two })];
    expect(findExceptions(lines, [funding('Settle', 1_001)], lenient(5))).toEqual([
      ['MISSING_AT_LENDER', 1_002],
    ]);
  }
});

describe('assigns a part without any id to', () => {
  const part = funding('Settle', 300, { status: 'UNRECONCILED' });
  const named = (ids: object) => funding('Settle', 600, { ...ids, status: 'UNRECONCILED' });
  const is = (lines: readonly LedgerLine[], ids: object) =>
    findExceptions(lines, [named(ids), part]);

  it.each([
    [
      'the line that was settled first',
      line('Settle', 1_000, { transactionId: 'T2', occurredAt: day(10) }),
      line('Settle', 1_000, { transactionId: 'T1', occurredAt: day(11) }),
    ],
    [
      'of simultaneous lines the one with the smaller id',
      line('Settle', 1_000, { transactionId: 'T1' }),
      line('Settle', 1_000, { transactionId: 'T2' }),
    ],
  ])('%s, whatever the ids of the ledger lines', (_, first, other) => {
    const { transactionId, merchantTransactionId } = first;
    const ids = { transactionId, merchantTransactionId };
    for (const [one, two] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const lines = [
        { ...first, id: one },
        { ...other, id: two },
      ];
      const findings = [
        ['AMOUNT_MISMATCH', -100],
        ['MISSING_AT_LENDER', other.amount],
      ];
      expect(is(lines, ids)).toEqual(findings);
      expect(is(lines.toReversed(), ids)).toEqual(findings);
    }
  });

  it('neither of two lines of different amounts, even when one is partly paid', () => {
    const lines = [
      line('Settle', 1_000, { merchantTransactionId: 'M1' }),
      line('Settle', 1_500, { merchantTransactionId: 'M2' }),
    ];
    const findings = [
      ['AMOUNT_MISMATCH', -400],
      ['AMBIGUOUS_PAYMENT', 300],
      ['MISSING_AT_LENDER', 1_500],
    ];
    expect(is(lines, { merchantTransactionId: 'M1' })).toEqual(findings);
    expect(is(lines.toReversed(), { merchantTransactionId: 'M1' })).toEqual(findings);
  });

  it('the same one of two equal lines in any arrival order', () => {
    const lines = ['M1', 'M2'].map((id) => line('Settle', 1_000, { merchantTransactionId: id }));
    const ids = { merchantTransactionId: 'M1' };
    expect(is(lines.toReversed(), ids)).toEqual(is(lines, ids));
  });
});
