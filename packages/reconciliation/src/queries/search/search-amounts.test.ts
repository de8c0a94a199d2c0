import { expect, test } from 'vitest';
import { amountsMeant } from './search-amounts.ts';

test.each([
  ['1.234,56', 'EUR', [123_456]],
  ['1,234.56', 'USD', [123_456]],
  ['$8.55', 'USD', [855]],
  ['$8.55', 'EUR', []],
  ['8,55 €', 'EUR', [855]],
  ['8.55 eur', 'EUR', [855]],
  ['855', 'USD', [85_500, 855]],
  ['855', 'JPY', [855]],
  ['1.500', 'USD', [150, 150_000]],
  ['1.500', 'KWD', [1_500, 1_500_000]],
  ["1'234.50", 'CHF', [123_450]],
  ['(8.55)', 'USD', [855]],
  ['-8.55', 'USD', [855]],
  ['0.00', 'USD', []],
  ['8.555', 'USD', [855_500]],
  ['A-855', 'USD', []],
])('reads %s in %s as %j', (written, currency, amounts) => {
  expect(amountsMeant(written, currency)).toEqual(amounts);
});
