import { describe, expect, it } from 'vitest';
import { found } from './found.fixture.ts';
import { funding, line } from './order.fixture.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1', merchantTransactionId: 'M1' });
const posted = (amount: number, status: string, ids = {}) =>
  funding('Settle', amount, { status, ...ids });
const T1 = { transactionId: 'T1' };

describe('what the service says', () => {
  it.each([
    ['a wrong amount is one, of whatever kind it is called', [posted(9_000, 'TYPE_MISMATCH', T1)]],
    ['a wrong type without any id may be one', [posted(10_000, 'TYPE_MISMATCH')]],
    [
      'a wrong type by the ids of something else may be one',
      [posted(10_000, 'TYPE_MISMATCH', { transactionId: 'T9', merchantTransactionId: 'M9' })],
    ],
  ])('is not held against it: %s', (_, fundings) => {
    expect(found([settle], fundings).map(([code]) => code)).not.toContain('STATUS_DISAGREES');
  });

  it('a wrong amount is true of the whole, where more of it is posted', () => {
    const fundings = [10_000, 500].map((part) => posted(part, 'AMOUNT_MISMATCH', T1));
    expect(found([settle], fundings)).toEqual([['AMOUNT_MISMATCH', 500]]);
  });

  it('a wrong amount is true of what is paid twice', () => {
    const fundings = [10_000, 10_000].map((whole) => posted(whole, 'AMOUNT_MISMATCH', T1));
    expect(found([settle], fundings)).toEqual([['DUPLICATE_FUNDING', 10_000]]);
  });

  it.each([T1, { merchantTransactionId: 'M1' }])('a wrong type is none by the id of %o', (ids) => {
    expect(found([settle], [posted(10_000, 'TYPE_MISMATCH', ids)])).toEqual([
      ['STATUS_DISAGREES', 10_000],
    ]);
  });

  it('a wrong type is one, though the books expect nothing', () => {
    const nothing = line('Settle', 0, T1);
    const refund = funding('Refund', 500, { ...T1, status: 'TYPE_MISMATCH' });
    expect(found([nothing], [refund])).toEqual([['TYPE_MISMATCH', 500]]);
  });
});
