import { expect, test } from 'vitest';
import { comparedRows } from './comparison.ts';

const nothing = { settle: 0, refund: 0, chargeback: 0, reversal: 0 };

test('shows returned money as negative, and sums to the cent', () => {
  const { rows, total } = comparedRows({
    expected: { settle: 271_891, refund: 143_407 },
    funded: { settle: 271_891, refund: 143_407, chargeback: 10_001, reversal: 1 },
  });
  expect(rows).toEqual([
    { name: 'settle', expected: 271_891, funded: 271_891 },
    { name: 'refund', expected: -143_407, funded: -143_407 },
    { name: 'chargeback', expected: 0, funded: -10_001 },
    { name: 'reversal', expected: 0, funded: 1 },
  ]);
  expect(total).toEqual({ name: 'total', expected: 128_484, funded: 118_484 });
});

test('omits rows without an amount, except the settles', () => {
  const { rows } = comparedRows({ expected: { settle: 0, refund: 0 }, funded: nothing });
  expect(rows).toEqual([{ name: 'settle', expected: 0, funded: 0 }]);
});
