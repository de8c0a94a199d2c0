import { expect, test } from 'vitest';
import { settle } from '../companion/companion.fixture.ts';
import { dayBefore, shareProgram, shopDays, startShop } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const shared = shareProgram(async (atEnd) => {
  const shop = await startShop(4, atEnd);
  // A second order with a different amount, for a second case.
  const ids = { transactionId: 'txn-9', merchantTransactionId: 'mtx-9' };
  shop.entries.push(settle(9, 'A-9', 99_999, ids));
  shop.records.push(wireRecord(9, `${dayBefore(2)}T12:00:00.000Z`));
  return shop;
});

interface Page {
  count?: number;
  next?: string;
}

test('states the number of all matching orders and cases on the first page only', async () => {
  const { get, sync } = shared.program;
  await sync(shopDays());
  for (const path of ['/orders?currency=USD&', '/orders?step=expected&', '/cases?state=open&']) {
    const all = await get<Page & { orders?: unknown[]; cases?: unknown[] }>(`${path}limit=1000`);
    expect(all.count, path).toBeUndefined();
    const rows = all.orders ?? all.cases ?? [];
    expect(rows.length, path).toBeGreaterThan(1);
    const first = await get<Page>(`${path}limit=1`);
    expect(first.count, path).toBe(rows.length);
    const second = await get<Page>(`${path}limit=1&after=${first.next}`);
    expect(second.count, path).toBeUndefined();
  }
});
