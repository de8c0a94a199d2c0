import { DuckDBInstance } from '../platform/duckdb.ts';
import { expect, test } from 'vitest';
import { tables } from '../analytics/schema.ts';
import { moneyViews, walkSums } from './money-views.ts';

const steps = ['expected', 'funded', 'short', 'refunds', 'discount', 'net', 'other'];
const DAY = 86_400_000;

test.each([
  ['a period', { from: 2 * DAY, to: 5 * DAY }, 'true', 2],
  ['the beginning', { from: Number.MIN_SAFE_INTEGER, to: 3 * DAY + 1 }, 'true', 2],
  ['everything', { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }, 'true', 2],
  ['one lender', { from: 2 * DAY, to: 5 * DAY }, "lender = 'lender 1'", 1],
  ['nothing', { from: 20 * DAY, to: 21 * DAY }, "currency = 'CAD'", 0],
])('a walk of %s sums the flows of all orders', async (_, { from, to }, condition, currencies) => {
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
  const rowsOf = async (query: string) =>
    (await connection.runAndReadAll(`${query} order by currency`)).getRowsJson();
  const sums = steps.map(
    (step) => `coalesce(sum(amount) filter (step = '${step}' and moved_at >= ${from}), 0)`,
  );
  const walk = await rowsOf(walkSums(steps, { from, to }, condition));
  expect(walk).toEqual(
    await rowsOf(`select currency,
      coalesce(sum(case step when 'expected' then amount when 'funded' then -amount
        when 'short' then -amount end) filter (moved_at < ${from}), 0),
      ${sums.join(', ')}
    from (${moneyViews.flows}) where moved_at < ${to} and ${condition} group by currency`),
  );
  expect(walk).toHaveLength(currencies);
  connection.closeSync();
  instance.closeSync();
});
