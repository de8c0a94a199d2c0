import { expect, test } from 'vitest';
import { previewOf } from './preview.ts';

const now = { settled: 129_000, refunded: 1_000, toSettle: 52_688, toRefund: 128_000 };
const after = (...args: Parameters<typeof previewOf>) =>
  Object.fromEntries(previewOf(...args).map((row) => [row.name, row.after]));

test('moves a settled amount from the settleable to the refundable amount', () => {
  expect(after('settle', 688, now)).toEqual({
    settled: 129_688,
    refunded: 1_000,
    toSettle: 52_000,
    toRefund: 128_688,
  });
});

test('deducts a refund only from the refundable amount', () => {
  expect(after('refund', 128_000, now)).toEqual({ ...now, refunded: 129_000, toRefund: 0 });
});

test('leaves nothing to settle after a void', () => {
  const open = { settled: 0, refunded: 0, toSettle: 52_688, toRefund: 0 };
  expect(after('void', 52_688, open)).toEqual({ ...open, toSettle: 0 });
});
