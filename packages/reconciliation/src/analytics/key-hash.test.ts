import { beforeEach, expect, test } from 'vitest';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { configure, run, shopDays, startShop } from '../program.fixture.ts';
import { select } from '../queries/basis/rows.ts';
import { insert, openDatabase } from '../statuses/orders.fixture.ts';
import type { RevisedDatabase } from './database.ts';
import { hashedTables, isOfOrders } from './key-hash.ts';

const line = (orderKey: string, id = orderKey) => ({
  order_key: orderKey,
  currency: 'USD',
  id,
  merchant_order_id: merchantOrderIdOf(orderKey) ?? '',
  type: 'Settle',
  amount: 1,
  occurred_at: 1,
  source: 'import',
  own: false,
});

let database: RevisedDatabase;
beforeEach(async () => {
  database = await openDatabase();
  const keys = ['order:A', 'order:B', 'order:C', 'funding:d'];
  await insert(database, 'ledger_lines', [...keys.map((key) => line(key)), line('order:A', 'A2')]);
});

function found(orderKeys: readonly string[]): Promise<unknown[]> {
  const { condition, parameters } = isOfOrders({ table: 'ledger_lines', alias: 'l' }, orderKeys);
  return database.read(async (connection) => {
    const sql = `select l.id from ledger_lines l where ${condition} order by l.id`;
    return (await select(connection, sql, parameters)).map(({ id }) => id);
  });
}

const others = Array.from({ length: 100 }, (_, index) => `order:none-${index}`);

test.each([
  ['one order', ['order:A'], ['A2', 'order:A']],
  ['several orders', ['order:A', 'funding:d', 'order:none'], ['A2', 'funding:d', 'order:A']],
  ['many orders', ['order:A', 'funding:d', ...others], ['A2', 'funding:d', 'order:A']],
  ['an unknown order', ['order:none'], []],
  ['no order', [], []],
])('finds the rows of %s', async (_, keys, ids) => {
  expect(await found(keys)).toEqual(ids);
});

test('does not find an order whose key has the same hash', async () => {
  await database.write((connection) =>
    connection.run(`update ledger_lines set key_hash = hash_of_key('order:A')`),
  );
  expect(await found(['order:A'])).toEqual(['A2', 'order:A']);
  expect(await found(['order:A', 'order:none'])).toEqual(['A2', 'order:A']);
});

test('each row of a synced, imported and judged order has the hash of its key', async () => {
  const shop = await startShop(2);
  const program = await run(configure(shop));
  const imported = { merchantOrderId: 'I-1', type: 'settle', amount: 700, currency: 'USD' };
  const lines = ['I-1', 'I-2'].map((merchantOrderId) =>
    JSON.stringify({
      ...imported,
      merchantOrderId,
      date: shopDays().to,
      transactionId: `t-${merchantOrderId}`,
    }),
  );
  const response = await program.app.request('/ledger', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect(response.status).toBe(200);
  await program.sync(shopDays());
  const counts = await program.engine.data.database.read((connection) =>
    Promise.all(
      hashedTables.map(async (table) => {
        const [row] = await select(
          connection,
          `select count(*) > 2 as many, count(*) filter (key_hash <> hash_of_key(order_key)) as wrong
          from ${table}`,
        );
        return row;
      }),
    ),
  );
  expect(counts).toEqual(hashedTables.map(() => ({ many: true, wrong: 0 })));
});
