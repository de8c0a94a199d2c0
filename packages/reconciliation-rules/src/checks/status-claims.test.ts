import { describe, expect, it } from 'vitest';
import { findExceptions } from '../exceptions.fixture.ts';
import { funding, line } from '../order.fixture.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1', merchantTransactionId: 'M1' });
const posted = (amount: number, status: string, ids = {}) =>
  funding('Settle', amount, { status, ...ids });
const T1 = { transactionId: 'T1' };

describe('the status of a funding', () => {
  it.each([
    ['a wrong amount is one, of whatever kind it is called', [posted(9_000, 'TYPE_MISMATCH', T1)]],
    ['a wrong type without any id may be one', [posted(10_000, 'TYPE_MISMATCH')]],
    [
      'accepts TYPE_MISMATCH when the ids belong to another kind of line',
      [posted(10_000, 'TYPE_MISMATCH', { transactionId: 'T9', merchantTransactionId: 'M9' })],
    ],
  ])('causes no exception: %s', (_, fundings) => {
    expect(findExceptions([settle], fundings).map(([code]) => code)).not.toContain(
      'STATUS_DISAGREES',
    );
  });

  it('accepts AMOUNT_MISMATCH for the whole amount when a larger total is posted', () => {
    const fundings = [10_000, 500].map((part) => posted(part, 'AMOUNT_MISMATCH', T1));
    expect(findExceptions([settle], fundings)).toEqual([['AMOUNT_MISMATCH', 500]]);
  });

  it('accepts AMOUNT_MISMATCH for a duplicate', () => {
    const fundings = [10_000, 10_000].map((whole) => posted(whole, 'AMOUNT_MISMATCH', T1));
    expect(findExceptions([settle], fundings)).toEqual([['DUPLICATE_FUNDING', 10_000]]);
  });

  it.each([T1, { merchantTransactionId: 'M1' }])(
    'rejects TYPE_MISMATCH when the id %o names a line of the same type',
    (ids) => {
      expect(findExceptions([settle], [posted(10_000, 'TYPE_MISMATCH', ids)])).toEqual([
        ['STATUS_DISAGREES', 10_000],
      ]);
    },
  );

  it('accepts TYPE_MISMATCH when the ledger expects nothing', () => {
    const nothing = line('Settle', 0, T1);
    const refund = funding('Refund', 500, { ...T1, status: 'TYPE_MISMATCH' });
    expect(findExceptions([nothing], [refund])).toEqual([['TYPE_MISMATCH', 500]]);
  });
});
