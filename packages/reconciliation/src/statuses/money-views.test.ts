import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { tables } from '../analytics/schema.ts';
import { moneyViews } from './money-views.ts';

test('cash flows without orders have the sums of all flows, for days that begin at a quarter of an hour', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(tables);
  await connection.run(`
    insert into paid_lines
    select 'order:' || i, if(i % 4 = 0, 'EUR', 'USD'), if(i % 3 = 0, 'refund', 'settle'),
      'lender ' || i % 2, null, null, i % 5 * 86400000 + i * 190001, (i % 5 + i % 7) * 86400000 + i * 170003,
      100 + i, i, 100, null, null, null, null
    from range(500) t(i);
    insert into cash_flows select order_key, currency, lender, settled_at, 'short', amount
    from paid_lines where amount % 9 = 0`);
  const sums = async (view: string) => {
    const found = await connection.runAndReadAll(
      `select currency, lender, (moved_at - 81900000) // 86400000 as day, step, sum(amount)::bigint
      from (${view}) group by all order by all`,
    );
    return found.getRowsJson();
  };
  const summed = await sums(moneyViews.sumFlows);
  expect(summed).toEqual(await sums(moneyViews.flows));
  expect(summed.length).toBeGreaterThan(100);
  connection.closeSync();
  instance.closeSync();
});
