import {
  cashFlows,
  type Policy,
  postedClaims,
  postedDiscounts,
} from '@financing-checkout/reconciliation-rules';
import type { Database } from '../analytics/session.ts';
import { moneyViews } from './money-views.ts';
import { type BookedOrder, DAY_MS, linesOf, rowsOf } from './orders.fixture.ts';

type Row = Record<string, unknown>;

/** Returns the money rows of all orders as stored in the tables, sorted. */
export async function moneyIn(
  database: Database,
): Promise<{ flows: Row[]; audit: Row[]; radar: Row[] }> {
  const flows = await rowsOf(
    database,
    `select order_key, currency, lender,
      moved_at - ((moved_at % 86400000) + 86400000) % 86400000 as day, step, sum(amount)::bigint as amount
    from (${moneyViews.flows}) group by all having amount <> 0 order by all`,
  );
  const audit = await rowsOf(
    database,
    `select order_key, currency, lender, posted_at, product_type, promo_code, agreed_basis_points,
      agreed_per_settle, agreed_from, sum(settle_count)::bigint as settle_count,
      sum(settle_amount)::bigint as settle_amount, sum(settle_discount)::bigint as settle_discount,
      sum(settle_variance)::bigint as settle_variance, sum(refund_count)::bigint as refund_count,
      sum(refund_amount)::bigint as refund_amount, sum(refund_returned)::bigint as refund_returned,
      sum(refund_variance)::bigint as refund_variance, sum(refund_kept)::bigint as refund_kept
    from (${moneyViews.discounts}) group by all order by all`,
  );
  const radar = await rowsOf(
    database,
    `select order_key, currency, lender, posted_at, status, sum(count)::bigint as count,
      sum(amount)::bigint as amount, sum(wrong_count)::bigint as wrong_count,
      sum(wrong_amount)::bigint as wrong_amount
    from (${moneyViews.claims}) group by all order by all`,
  );
  return { flows: sorted(flows), audit: sorted(audit), radar: sorted(radar) };
}

/** Returns the money rows of all orders as computed by the rules. */
export function moneyByRules(
  list: readonly BookedOrder[],
  policyOf: (order: BookedOrder) => Policy,
): { flows: Row[]; audit: Row[]; radar: Row[] } {
  const flows: Row[] = [];
  const audit: Row[] = [];
  const radar: Row[] = [];
  for (const order of list) {
    const own = { order_key: order.orderKey, currency: order.currency };
    const lines = linesOf(order);
    const policy = policyOf(order);
    const sums = new Map<string, Row & { amount: number }>();
    for (const { lender, at, step, amount } of cashFlows(lines, policy)) {
      const day = Math.floor(at / DAY_MS) * DAY_MS;
      const row = { ...own, lender, day, step, amount: 0 };
      const key = JSON.stringify(row);
      const sum = sums.get(key) ?? row;
      sum.amount += amount;
      sums.set(key, sum);
    }
    flows.push(...[...sums.values()].filter(({ amount }) => amount !== 0));
    for (const { at, sums: one } of postedDiscounts(lines, policy)) {
      audit.push({
        ...own,
        lender: one.lender,
        posted_at: at,
        product_type: one.productType ?? null,
        promo_code: one.promoCode ?? null,
        agreed_basis_points: one.basisPoints ?? null,
        agreed_per_settle: one.perSettle,
        agreed_from: one.agreedFrom ?? null,
        settle_count: one.settles.count,
        settle_amount: one.settles.amount,
        settle_discount: one.settles.discount,
        settle_variance: one.settles.variance,
        refund_count: one.refunds.count,
        refund_amount: one.refunds.amount,
        refund_returned: one.refunds.returned,
        refund_variance: one.refunds.variance,
        refund_kept: one.refunds.kept,
      });
    }
    for (const { at, sums } of postedClaims(lines, policy)) {
      const { lender, status, all, wrong } = sums;
      radar.push({
        ...own,
        lender,
        posted_at: at,
        status,
        count: all.count,
        amount: all.amount,
        wrong_count: wrong.count,
        wrong_amount: wrong.amount,
      });
    }
  }
  return { flows: sorted(flows), audit: sorted(audit), radar: sorted(radar) };
}

function sorted(rows: Row[]): Row[] {
  const texts = new Map(rows.map((row) => [row, JSON.stringify(Object.values(row))]));
  const text = (row: Row) => texts.get(row) ?? '';
  return rows.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}
