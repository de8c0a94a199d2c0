import { expect, test } from 'vitest';
import { borrowAnalytics } from '../analytics/analytics.fixture.ts';
import { onceARevision } from './once-a-revision.ts';
import { select } from './rows.ts';

test('queries the database again after a write, during a write and for other arguments', async () => {
  const { database } = await borrowAnalytics({
    facts: { id: 'store-1', head: () => Promise.resolve(0) },
    fill: () => Promise.resolve(),
  });
  let asked = 0;
  const count = onceARevision((ctx: { database: typeof database }, key: string) => {
    asked += 1;
    return ctx.database.read(async (connection) => {
      const sql = 'select count(*) as count from dirty_orders where order_key = $key';
      return (await select(connection, sql, { key }))[0]?.count;
    });
  });
  const ctx = { database };
  const insert = (key: string) =>
    database.write((connection) => connection.run('insert into dirty_orders values ($1)', [key]));
  expect([await count(ctx, 'a'), await count(ctx, 'a'), asked]).toEqual([0, 0, 1]);
  await insert('a');
  expect([await count(ctx, 'a'), await count(ctx, 'a'), asked]).toEqual([1, 1, 2]);
  expect([await count(ctx, 'b'), asked]).toEqual([0, 3]);
  // A result from before the commit is not cached beyond the write.
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const writing = database.write(async (connection) => {
    await connection.run(`insert into dirty_orders values ('b')`);
    await promise;
  });
  expect(await count(ctx, 'b')).toBe(0);
  resolve(undefined);
  await writing;
  expect(await count(ctx, 'b')).toBe(1);
});
