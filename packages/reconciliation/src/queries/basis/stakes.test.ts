import type { ExceptionCode } from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { borrowAnalytics } from '../../analytics/analytics.fixture.ts';
import { mirrorCases } from '../../analytics/case-mirror.ts';
import type { CaseFact } from '../../facts/case-facts.ts';
import { insert, NOW } from '../../statuses/orders.fixture.ts';
import { select, text } from './rows.ts';
import { stakes } from './stakes.ts';

interface Order {
  /** Amounts of the order's cases. */
  cases: Partial<Record<ExceptionCode, number>>;
  decided?: ExceptionCode;
  expected?: { settle: number; refund: number };
  funded?: { settle: number; refund: number };
}

const of = (settle: number, refund = 0) => ({ settle, refund });

/** Returns the money at stake of each case of an order, and the cases whose money is counted in others. */
async function stakesOf({ cases, decided, expected = of(0), funded = of(0) }: Order) {
  const { database } = await borrowAnalytics({
    facts: { id: 'store-1', head: () => Promise.resolve(0) },
    fill: () => Promise.resolve(),
  });
  const order = { order_key: 'order:A', currency: 'USD' };
  const facts = Object.entries(cases).map(([code, amount]): CaseFact => ({
    id: `case_${code}`,
    orderKey: order.order_key,
    currency: order.currency,
    code: code as ExceptionCode,
    amount,
    state: code === decided ? 'ignored' : 'open',
    number: 1,
    count: 1,
    since: NOW,
    contentHash: 'x',
    openedAt: NOW,
    openSince: NOW,
    updatedAt: NOW,
    mentions: [],
  }));
  await database.write((connection) => mirrorCases(connection, facts));
  const sums = ['funded_chargeback', 'funded_reversal', 'discount', 'net', 'awaiting'];
  await insert(database, 'order_statuses', [
    {
      ...order,
      funding: 'FUNDED',
      returns: 'NONE',
      headline: 'FUNDED',
      expected_settle: expected.settle,
      expected_refund: expected.refund,
      funded_settle: funded.settle,
      funded_refund: funded.refund,
      ...Object.fromEntries(sums.map((name) => [name, 0])),
      judged: 1,
      computed_at: NOW,
      changed_at: NOW,
      assumed: false,
    },
  ]);
  const rows = await database.read((connection) =>
    select(connection, `select code, at_stake, is_counted from ${stakes}`),
  );
  return {
    atStake: Object.fromEntries(rows.map((row) => [text(row.code), row.at_stake])),
    counted: rows.flatMap((row) => (row.is_counted === true ? [text(row.code)] : [])),
  };
}

test.each<[string, Order, Awaited<ReturnType<typeof stakesOf>>]>([
  [
    'what is not posted, beside a payment of unclear lines',
    {
      cases: { MISSING_AT_LENDER: 400, AMBIGUOUS_PAYMENT: 300 },
      expected: of(400),
      funded: of(300),
    },
    { atStake: { MISSING_AT_LENDER: 100, AMBIGUOUS_PAYMENT: 0 }, counted: ['AMBIGUOUS_PAYMENT'] },
  ],
  [
    'the payment of unclear lines, if it covers all of them',
    {
      cases: { MISSING_AT_LENDER: 300, AMBIGUOUS_PAYMENT: 300 },
      expected: of(300),
      funded: of(300),
    },
    { atStake: { MISSING_AT_LENDER: 0, AMBIGUOUS_PAYMENT: 300 }, counted: ['MISSING_AT_LENDER'] },
  ],
  [
    'what is not taken, beside a refund of unclear lines',
    {
      cases: { REFUND_NOT_TAKEN: 90, AMBIGUOUS_PAYMENT: 60 },
      expected: of(500, 90),
      funded: of(500, 60),
    },
    { atStake: { REFUND_NOT_TAKEN: 30, AMBIGUOUS_PAYMENT: 0 }, counted: ['AMBIGUOUS_PAYMENT'] },
  ],
  [
    'both, if nothing of the missing lines is posted',
    {
      cases: { MISSING_AT_LENDER: 400, AMBIGUOUS_PAYMENT: 60 },
      expected: of(400, 120),
      funded: of(0, 60),
    },
    { atStake: { MISSING_AT_LENDER: 400, AMBIGUOUS_PAYMENT: 60 }, counted: [] },
  ],
  [
    'a chargeback once, of which a part is debited twice',
    { cases: { DOUBLE_DEBIT: 40, CHARGEBACK_OPEN: 100 } },
    { atStake: { DOUBLE_DEBIT: 40, CHARGEBACK_OPEN: 60 }, counted: [] },
  ],
  [
    'fundings once that neither the ledger nor the service has',
    { cases: { NOT_IN_LEDGER: -100, MISSING_IN_SERVICE: 100 } },
    { atStake: { NOT_IN_LEDGER: 100, MISSING_IN_SERVICE: 0 }, counted: ['MISSING_IN_SERVICE'] },
  ],
  [
    'all of an amount, if the other case is decided',
    { cases: { DOUBLE_DEBIT: 40, CHARGEBACK_OPEN: 100 }, decided: 'DOUBLE_DEBIT' },
    { atStake: { DOUBLE_DEBIT: 40, CHARGEBACK_OPEN: 100 }, counted: [] },
  ],
  [
    'amounts apart that tell of different money',
    { cases: { MDR_VARIANCE: -5, DUPLICATE_FUNDING: 100, CHARGEBACK_OPEN: 100 } },
    { atStake: { MDR_VARIANCE: 5, DUPLICATE_FUNDING: 100, CHARGEBACK_OPEN: 100 }, counted: [] },
  ],
])('counts %s', async (_, order, expected) => {
  expect(await stakesOf(order)).toEqual(expected);
});
