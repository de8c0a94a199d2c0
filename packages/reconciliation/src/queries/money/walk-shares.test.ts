import { type WalkAmount, walkAmounts } from '@financing-checkout/contract/reconciliation';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '@financing-checkout/kit';
import { judge } from '../../statuses/judge.ts';
import {
  book,
  type BookedOrder,
  DAY_MS,
  insert,
  NOW,
  openDatabase,
  rowsOf,
  rulesHere,
} from '../../statuses/orders.fixture.ts';
import { defaultPolicy } from '../../statuses/policy.ts';
import { orders, policies } from '../../statuses/random-orders.fixture.ts';
import { cashWalk } from './money.ts';
import { sharesOfStep } from '../orders/order-filter.ts';

const order = (name: string, netAmount: number | undefined): BookedOrder => {
  const at = NOW - 40 * DAY_MS;
  return {
    orderKey: `order:${name}`,
    currency: 'USD',
    ledger: [{ id: name, type: 'Settle', amount: 10_000, occurredAt: at, transactionId: name }],
    fundings: [netAmount].flatMap((net) =>
      net === undefined
        ? []
        : {
            id: name,
            status: 'RECONCILED',
            transactionType: 'Settle',
            transactionId: name,
            transactionAmount: 10_000,
            discountAmount: 290,
            netAmount: net,
            fundedAt: at + DAY_MS,
            updatedAt: at + DAY_MS,
            lenderName: 'Quillmoor',
          },
    ),
  };
};

test('distinguishes late and unexplained amounts from those accepted with a reason', async () => {
  const database = await openDatabase();
  await book(database, [order('late', undefined), order('net', 9_000), order('paid', 9_710)]);
  const policy = defaultPolicy;
  await judge(database, { policy, now: NOW, complete: true, rules: rulesHere });
  const ctx = {
    database,
    policy,
    clock: { ...systemClock, now: () => NOW },
    facts: { days: () => Promise.resolve([]) },
  };
  const walk = async () =>
    (await cashWalk(ctx, { period: { zone: 'UTC' }, span: always })).statements[0];
  expect(await walk()).toMatchObject({ short: -10_000, accepted: 0, unexplained: -710 });
  const ignore = (name: string, code: string) =>
    insert(database, 'cases', [
      {
        id: `case_${name}`,
        order_key: `order:${name}`,
        currency: 'USD',
        code,
        amount: 1,
        state: 'ignored',
        number: 1,
        count: 1,
        since: NOW,
        content_hash: '',
        reason: 'Agreed',
        opened_at: NOW,
        open_since: NOW,
        updated_at: NOW,
        body: '{}',
      },
    ]);
  await ignore('late', 'STATUS_DISAGREES');
  expect(await walk()).toMatchObject({ short: -10_000, accepted: 0, unexplained: -710 });
  await ignore('late', 'MISSING_AT_LENDER');
  expect(await walk()).toMatchObject({ short: 0, accepted: -10_000, unexplained: -710 });
  await ignore('net', 'NET_MISMATCH');
  expect(await walk()).toMatchObject({ short: 0, accepted: -10_710, unexplained: 0, net: 18_710 });
  const shares = await rowsOf(
    database,
    `select * from (${sharesOfStep('accepted', always, false)}) order by order_key`,
  );
  expect(shares.map(({ order_key: key, share }) => [key, share])).toEqual([
    ['order:late', -10_000],
    ['order:net', -710],
  ]);
});

const always = { from: undefined, to: undefined };

const bound = fc.option(
  fc.integer({ min: -60, max: 10 }).map((days) => NOW + days * DAY_MS),
  { nil: undefined },
);

test('property: the shares of orders in each step add up exactly to the step', async () => {
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
        database,
        policy: { ...defaultPolicy, ...policy },
        clock: { ...systemClock, now: () => now },
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
