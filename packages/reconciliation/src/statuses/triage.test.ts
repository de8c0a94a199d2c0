import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge } from './judge.ts';
import { moneyByRules, moneyIn } from './money-rows.fixture.ts';
import {
  book,
  judgeable,
  judgedBy,
  mark,
  openDatabase,
  ruled,
  rowsOf,
  rulesHere,
  statusesIn,
} from './orders.fixture.ts';
import { orders, policies } from './random-orders.fixture.ts';
import { orderCases, policyCases } from './triage-cases.fixture.ts';

test('property: triage combined with the rules matches the rules alone, order by order', async () => {
  const database = await openDatabase();
  let [paid, all] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      orders,
      policies,
      fc.constantFrom(90, 1_000, 1_000),
      async (list, policy, shardRows) => {
        await book(database, list);
        const { now, complete } = policy;
        const result = await judge(database, {
          policy,
          now,
          complete,
          all: true,
          rules: rulesHere,
          sizes: { shardRows, batchLines: 30, pendingLines: 100 },
        });
        expect(await statusesIn(database)).toEqual(ruled(list, await judgedBy(database, policy)));
        const exact = judgeable(list, policy);
        expect(await moneyIn(database)).toEqual(moneyByRules(exact, () => policy));
        const withLines = list.filter(
          ({ ledger, fundings }) => ledger.length + fundings.length > 0,
        );
        expect(result).toMatchObject({
          judged: withLines.length,
          failed: withLines.length - exact.length,
        });
        paid += result.judged - result.byRules;
        all += result.judged;
      },
    ),
    { numRuns: 6 },
  );
  // Ensures that the test covers triage.
  expect(paid / all).toBeGreaterThan(0.05);
});

test('property: judging changed orders matches judging all orders', async () => {
  const database = await openDatabase();
  await fc.assert(
    fc.asyncProperty(orders, orders, policies, async (before, after, policy) => {
      const { now, complete } = policy;
      const options = { policy, now, complete, rules: rulesHere };
      await book(database, before);
      await judge(database, { ...options, all: true });
      await book(database, after);
      const keys = [...before, ...after].map(({ orderKey }) => orderKey);
      await mark(database, keys);
      const result = await judge(database, options);
      expect(result.all).toBe(false);
      expect(await statusesIn(database)).toEqual(ruled(after, await judgedBy(database, policy)));
      expect(await moneyIn(database)).toEqual(moneyByRules(judgeable(after, policy), () => policy));
      expect(await rowsOf(database, 'from dirty_orders')).toEqual([]);
    }),
    { numRuns: 3 },
  );
});

test('triage matches the rules for each combination of policy and order', async () => {
  const database = await openDatabase();
  await book(database, orderCases);
  for (const policy of policyCases) {
    const { now, complete } = policy;
    const result = await judge(database, { policy, now, complete, all: true, rules: rulesHere });
    expect(await statusesIn(database)).toEqual(ruled(orderCases, await judgedBy(database, policy)));
    expect(result).toMatchObject({ judged: orderCases.length, failed: 0 });
    // Ensures that each policy has orders on both sides.
    expect(result.byRules).toBeGreaterThan(0);
    expect(result.byRules).toBeLessThan(result.judged);
  }
});

test('the worker of the rules loads no schema library', () => {
  for (const file of ['rules-thread-main', 'judge-batch', 'judged-tables', 'order-lines']) {
    const text = readFileSync(new URL(`./${file}.ts`, import.meta.url), 'utf8');
    const imports = [...text.matchAll(/^import (?!type ).*from '([^']+)'/gms)].map((it) => it[1]);
    expect(imports.filter((from = '') => /^zod$|contract\/(?!money$|plain$)/.test(from))).toEqual(
      [],
    );
  }
});
