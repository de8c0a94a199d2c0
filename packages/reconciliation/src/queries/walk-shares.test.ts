import { type WalkAmount, walkAmounts } from '@financing-checkout/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { judge } from '../statuses/judge.ts';
import { book, DAY_MS, NOW, openDatabase, rowsOf, rulesHere } from '../statuses/orders.fixture.ts';
import { orders, policies } from '../statuses/random-orders.fixture.ts';
import { cashWalk } from './money.ts';
import { sharesOfStep } from './walk-orders.ts';

const bound = fc.option(
  fc.integer({ min: -60, max: 10 }).map((days) => NOW + days * DAY_MS),
  { nil: undefined },
);

test('property: the shares of the orders of each step add up to the step, to the cent', async () => {
  const database = await openDatabase();
  const seen = new Set<WalkAmount>();
  await fc.assert(
    fc.asyncProperty(orders, policies, bound, bound, async (list, policy, one, other) => {
      const isReversed = one !== undefined && other !== undefined && one > other;
      const [from, to] = isReversed ? [other, one] : [one, other];
      await book(database, list);
      const { now, complete } = policy;
      await judge(database, { policy, now, complete, all: true, rules: rulesHere });
      const span = { from, to };
      const ctx = {
        ...{ database, policy, clock: { ...systemClock, now: () => now } },
        facts: { days: () => Promise.resolve([]) },
      };
      const { statements } = await cashWalk(ctx, { period: { zone: 'UTC' }, span });
      for (const step of walkAmounts) {
        const rows = await rowsOf(
          database,
          `select currency, sum(share)::bigint as amount from (${sharesOfStep(step, span, false)})
          group by currency having amount <> 0 order by currency`,
        );
        const bars = statements
          .map((statement) => ({ currency: statement.currency, amount: statement[step] }))
          .filter(({ amount }) => amount !== 0);
        expect([step, rows]).toEqual([step, bars]);
        if (bars.length > 0) seen.add(step);
      }
    }),
    { numRuns: 10, endOnFailure: true },
  );
  // Ensures that most steps are covered; rare ones are not in every run.
  expect(seen.size).toBeGreaterThan(8);
});
