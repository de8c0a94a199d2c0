import { describe, expect, test } from 'vitest';
import { exceptionRow, places } from '../places.fixture.ts';
import { environment, NOW } from './orders.fixture.ts';
import { writePaid } from './statuses.ts';

describe.each(places)('statuses on %s', (_, open) => {
  test('an order that comes to be paid in one currency keeps what is wrong with it in another', async () => {
    const { store, db } = await open();
    const row = exceptionRow();
    await db
      .insertInto('order_exceptions')
      .values(['USD', 'EUR'].map((currency) => ({ ...row, currency })))
      .execute();
    const sums = { settle: 10_000, refund: 0, discount: 290, net: 9_710 };
    const paid = { orderKey: row.order_key, currency: 'USD', ...sums, stood: true };
    await store.bulk.write((writer) => writePaid(writer, environment, [paid], NOW));
    const left = await db.selectFrom('order_exceptions').select('currency').execute();
    expect(left).toEqual([{ currency: 'EUR' }]);
  });
});
