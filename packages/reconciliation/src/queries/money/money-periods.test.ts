import { movedAmounts } from '@financing-checkout/contract/reconciliation';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '@financing-checkout/kit';
import { type Period, spanOf } from '../basis/period.ts';
import { judge } from '../../statuses/judge.ts';
import {
  book,
  type BookedOrder,
  DAY_MS,
  NOW,
  openDatabase,
  rulesHere,
} from '../../statuses/orders.fixture.ts';
import { defaultPolicy } from '../../statuses/policy.ts';
import { orders, policies } from '../../statuses/random-orders.fixture.ts';
import { cashWalk, claimRadar, discountAudit, monthsUntil, walkMonths } from './money.ts';

type Judging = Omit<Parameters<typeof judge>[1], 'rules' | 'complete'>;

/** Records and judges the orders, and returns the results of the three queries. */
async function judged(
  database: Awaited<ReturnType<typeof openDatabase>>,
  list: readonly BookedOrder[],
  { policy, now }: Judging,
) {
  await book(database, list);
  await judge(database, { policy, now, complete: true, all: true, rules: rulesHere });
  return {
    database,
    policy: { ...defaultPolicy, ...policy },
    clock: { ...systemClock, now: () => now },
    facts: { days: () => Promise.resolve([]) },
  };
}

/** An order whose settle is funded at a given time: plainly paid, or judged by the rules. */
const funded = (at: string, isPlain: boolean): BookedOrder => {
  const fundedAt = Date.parse(at);
  const id = `${at} ${isPlain}`;
  return {
    orderKey: `order:${id}`,
    currency: 'USD',
    ledger: [
      { id, type: 'Settle', amount: 10_000, occurredAt: fundedAt - DAY_MS, transactionId: id },
    ],
    fundings: [
      {
        id,
        status: isPlain ? 'RECONCILED' : 'UNRECONCILED',
        transactionType: 'Settle',
        transactionAmount: 10_000,
        discountAmount: 290,
        netAmount: 9_710,
        transactionId: id,
        fundedAt,
        updatedAt: fundedAt,
        lenderName: 'Quillmoor',
      },
    ],
  };
};

test.each([true, false])(
  'counts fundings on their day of the business zone where the clocks change (plainly paid: %s)',
  async (isPlain) => {
    const database = await openDatabase();
    // In New York, 2026-11-01 has 25 hours: it lasts from 04:00 UTC to 05:00 UTC of the next day.
    const moments = [
      ...['2026-11-01T03:59:59.999Z', '2026-11-01T04:00:00.000Z'],
      ...['2026-11-02T04:59:59.999Z', '2026-11-02T05:00:00.000Z'],
    ];
    const list = moments.map((at) => funded(at, isPlain));
    const ctx = await judged(database, list, { policy: defaultPolicy, now: NOW });
    const of = async (from: string, to: string) => {
      const period: Period = { from, to, zone: 'America/New_York' };
      const part = { period, span: spanOf(period) };
      const audit = await discountAudit(ctx, part);
      const radar = await claimRadar(ctx, part);
      expect([audit, radar]).toMatchObject([period, period]);
      return [audit.rows[0]?.settles.count, radar.rows[0]?.all.count];
    };
    expect(await of('2026-10-31', '2026-10-31')).toEqual([1, 1]);
    expect(await of('2026-11-01', '2026-11-01')).toEqual([2, 2]);
    expect(await of('2026-11-02', '2026-11-02')).toEqual([1, 1]);
    expect(await of('2026-10-01', '2026-10-30')).toEqual([undefined, undefined]);
  },
);

/** Totals of the rows, keyed by their text values. */
function totals(...answers: { rows: readonly object[] }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of answers.flatMap(({ rows }) => rows)) {
    const { settles, refunds, all, wrong, ...texts } = row as Record<string, object>;
    const names = { ...texts, effectiveBasisPoints: undefined, wrongBasisPoints: undefined };
    for (const [group, amounts] of Object.entries({ settles, refunds, all, wrong })) {
      for (const [name, amount] of Object.entries<number>({ ...amounts })) {
        const key = JSON.stringify([names, group, name]);
        sums.set(key, (sums.get(key) ?? 0) + amount);
      }
    }
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Orders whose sums are exact: larger sums are refused. */
const summable = orders.map((list) =>
  list.filter(({ fundings }) => fundings.every((one) => one.transactionAmount < 1e13)),
);

test('property: sums of parts of a period add up to the sum of the period', async () => {
  const database = await openDatabase();
  const cuts = fc.integer({ min: -60, max: 10 }).map((days) => NOW + days * DAY_MS);
  await fc.assert(
    fc.asyncProperty(summable, policies, cuts, async (list, policy, cut) => {
      const ctx = await judged(database, list, { policy, now: policy.now });
      const of = (from: number | undefined, to: number | undefined) => ({
        period: { zone: 'UTC' },
        span: { from, to },
      });
      const parts = [of(undefined, cut), of(cut, undefined)];
      for (const ask of [discountAudit, claimRadar]) {
        const answers = await Promise.all(parts.map((part) => ask(ctx, part)));
        expect(totals(...answers)).toEqual(totals(await ask(ctx, of(undefined, undefined))));
      }
    }),
    { numRuns: 20, endOnFailure: true },
  );
});

test('property: monthly sums equal the cash walk of each month', async () => {
  const database = await openDatabase();
  const zones = fc.constantFrom('UTC', 'America/New_York', 'Pacific/Kiritimati');
  const months = monthsUntil(new Date(NOW).toISOString().slice(0, 7), 4);
  await fc.assert(
    fc.asyncProperty(summable, policies, zones, async (list, policy, zone) => {
      const ctx = await judged(database, list, { policy, now: policy.now });
      const found = await walkMonths(ctx, { months, zone });
      const walked = await Promise.all(
        months.map(async (month) => {
          const period = { from: `${month}-01`, to: lastDayOf(month), zone };
          const { statements } = await cashWalk(ctx, { period, span: spanOf(period) });
          return statements
            .map((statement) => {
              const sums = movedAmounts.map((name) => [name, statement[name]] as const);
              return { sums, currency: statement.currency };
            })
            .filter(({ sums }) => sums.some(([, sum]) => sum !== 0))
            .map(({ sums, currency }) => ({ ...Object.fromEntries(sums), month, currency }));
        }),
      );
      expect(found.months).toEqual(walked.flat());
    }),
    { numRuns: 20, endOnFailure: true },
  );
});

const lastDayOf = (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
};
