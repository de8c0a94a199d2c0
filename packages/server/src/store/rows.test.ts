import { createQueryId } from 'kysely';
import { expect, test } from 'vitest';
import { StoreRows, withNulls } from './rows.ts';

test("reads null as undefined, and an integer that a merchant's driver returns as text as a number", async () => {
  const row = { charge_id: null, created_at: '1795176000000', merchant_order_id: '1795', tries: 2 };
  const { rows } = await new StoreRows().transformResult({
    result: { rows: [row] },
    queryId: createQueryId(),
  });
  expect(rows).toStrictEqual([
    { chargeId: undefined, createdAt: 1_795_176_000_000, merchantOrderId: '1795', tries: 2 },
  ]);
});

test('writes null for an undefined value', () => {
  expect(withNulls({ id: 'a', reason: undefined, tries: 0 })).toStrictEqual({
    id: 'a',
    reason: null,
    tries: 0,
  });
});
