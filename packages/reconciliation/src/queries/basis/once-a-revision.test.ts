import { expect, test } from 'vitest';
import { borrowAnalytics } from '../../analytics/analytics.fixture.ts';
import { AnswersOnce, onceARevision } from './once-a-revision.ts';
import { select } from './rows.ts';

test('queries the database again after a write and for other arguments', async () => {
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
  expect([await count(ctx, 'a'), asked]).toEqual([1, 3]);
  // Until a write ends, queries see the data from before it.
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const writing = database.write(async (connection) => {
    await connection.run(`insert into dirty_orders values ('b')`);
    await promise;
  });
  expect([await count(ctx, 'b'), asked]).toEqual([0, 3]);
  resolve(undefined);
  await writing;
  expect([await count(ctx, 'b'), asked]).toEqual([1, 4]);
});

test('shares one answer among concurrent calls', async () => {
  const answers = new AnswersOnce<number>(2);
  const { promise, resolve } = Promise.withResolvers<number>();
  let found = 0;
  const ask = (find: () => Promise<number>) =>
    answers.answer('today', '1', () => {
      found += 1;
      return find();
    });
  const both = [ask(() => promise), ask(() => Promise.resolve(2))];
  resolve(1);
  expect([await Promise.all(both), found]).toEqual([[1, 1], 1]);
});

test('queries once for all other callers when the first client disconnects', async () => {
  const answers = new AnswersOnce<string>(2);
  const { promise, reject } = Promise.withResolvers<string>();
  let found = 0;
  const find = () => {
    found += 1;
    return Promise.resolve('found');
  };
  const first = answers.answer('today', '1', () => promise);
  const others = [1, 2].map(() => answers.answer('today', '1', find));
  reject(new Error('The client disconnected.'));
  await expect(first).rejects.toThrow('disconnected');
  expect([await Promise.all(others), found]).toEqual([['found', 'found'], 1]);
});

test('evicts the least recently used question', async () => {
  const answers = new AnswersOnce<string>(2);
  const found: string[] = [];
  const ask = (question: string) =>
    answers.answer(question, '1', () => {
      found.push(question);
      return Promise.resolve(question);
    });
  for (const question of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(question);
  expect(found).toEqual(['a', 'b', 'c', 'b']);
});
