import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { tables } from '../analytics/schema.ts';
import { moneyViews } from './money-views.ts';

test('daily flows have the sums of the flows of all orders', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(tables);
  await connection.run(`
    insert into paid_lines
    select 'order:' || i, if(i % 4 = 0, 'EUR', 'USD'), if(i % 3 = 0, 'refund', 'settle'),
      'lender ' || i % 2, null, null, i % 5, i % 5 + i % 7, 100 + i, i, 100, null, null, null, null
    from range(500) t(i);
    insert into cash_flows select order_key, currency, lender, settled_day, 'short', amount
    from paid_lines where amount % 9 = 0`);
  const sums = async (view: string) => {
    const found = await connection.runAndReadAll(
      `select currency, lender, day, step, sum(amount)::bigint from (${view}) group by all order by all`,
    );
    return found.getRowsJson();
  };
  const daily = await sums(moneyViews.dailyFlows);
  expect(daily).toEqual(await sums(moneyViews.flows));
  expect(daily.length).toBeGreaterThan(100);
  connection.closeSync();
  instance.closeSync();
});
