import { DuckDBInstance } from './duckdb.ts';
import { expect, test } from 'vitest';
import { orderPlaceSql } from './order-key.ts';

const rows = `(values ('funding:a', 'USD'), ('order:z', 'USD'), ('order:a', 'USD'), ('order:a', 'EUR'))
  t(order_key, currency)`;
const place = orderPlaceSql('order_key', 'currency');

test('places fundings without an order after all orders, on every page', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const read = async (sql: string, parameters: string[] = []) =>
    (await connection.runAndReadAll(`select order_key, currency from ${rows} ${sql}`, parameters))
      .getRows()
      .map(([key, currency]) => [String(key), String(currency)] as const);
  const all = await read(`order by ${place}`);
  expect(all.map((row) => row.join(' '))).toEqual([
    'order:a EUR',
    'order:a USD',
    'order:z USD',
    'funding:a USD',
  ]);
  for (const [index, row] of all.entries()) {
    const next = `where (${place}) > (${orderPlaceSql('$1', '$2')}) order by ${place}`;
    expect(await read(next, [...row])).toEqual(all.slice(index + 1));
  }
});
