import { addDays } from '@financing-checkout/contract/money';
import { calendarOf, dueOf, lenderOf } from '@financing-checkout/reconciliation-rules';
import { listValue } from '../../platform/duckdb.ts';
import type { ShareFilter } from '../orders/order-filter.ts';
import { countLeftOut, type LeftOut } from './left-out.ts';
import { onceARevision } from '../basis/once-a-revision.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { type Row, select, text, whole } from '../basis/rows.ts';
import { exceptionStakes } from '../basis/stakes.ts';

/**
 * Zone offsets are multiples of a quarter hour, so that a quarter lies within one day in any zone.
 */
const QUARTER_MS = 900_000;

/** A quarter without settles, because DuckDB cannot infer the type of an empty list. */
const NO_QUARTER = -2n;

/** Open settles with one currency and lender that are due on one day. */
export interface OpenSlot {
  currency: string;
  /** Canonical name; undefined until a funding of the order names the lender. */
  lender: string | undefined;
  /** The day on which they are due; undefined if they are already reported as missing. */
  day: string | undefined;
  /** In minor units; null if it is too large to be exact. */
  amount: number | null;
  count: number;
}

/**
 * The open settles of all orders: the newest settles of an order count as its open ones, because
 * lenders pay settles in order.
 */
const OPEN_LINES = `
  waiting as materialized (
    select order_key, currency, awaiting from order_statuses
    where awaiting > 0 and not assumed and currency <> ''),
  lines as (
    select w.order_key, w.currency, w.awaiting, l.amount, l.occurred_at,
      sum(l.amount) over (partition by w.order_key, w.currency
        order by l.occurred_at desc, l.id rows unbounded preceding) - l.amount as newer
    from waiting w join ledger_lines l on l.order_key = w.order_key
      and l.currency = w.currency and l.type = 'Settle'),
  missing as (
    select order_key, currency, at_stake from ${exceptionStakes}
    where code = 'MISSING_AT_LENDER' and is_open and at_stake > 0 and not assumed and currency <> ''),
  named as (
    select f.order_key, f.currency, arg_max(f.lender_name, f.funded_at) as lender
    from fundings f semi join (select order_key, currency from waiting union select order_key, currency from missing) w
      on w.order_key = f.order_key and w.currency = f.currency
    group by all),
  open_lines as (
    select l.order_key, l.currency, coalesce(n.lender, '') as lender,
      l.occurred_at // ${QUARTER_MS} as quarter, least(l.amount, l.awaiting - l.newer) as amount
    from lines l left join named n on n.order_key = l.order_key and n.currency = l.currency
    where l.newer < l.awaiting
    union all
    select m.order_key, m.currency, coalesce(n.lender, ''), -1, m.at_stake
    from missing m left join named n on n.order_key = m.order_key and n.currency = m.currency)`;

/** Returns the open settles by currency, lender and due day. */
export async function openSlots(
  ctx: QueryContext,
): Promise<{ slots: OpenSlot[]; leftOut: LeftOut }> {
  const [rows, leftOut] = await findOpen(ctx);
  return { slots: rows.map((row) => ({ ...placeOf(ctx, row), ...sumOf(row) })), leftOut };
}

/** Selects the open settles by lender and quarter of an hour; a missing one has the quarter -1. */
const findOpen = onceARevision((ctx: QueryContext): Promise<[Row[], LeftOut]> =>
  ctx.database.read(
    async (connection) => [
      await select(
        connection,
        `with ${OPEN_LINES} select currency, lender, quarter, count(*) as count, sum(amount) as amount
        from open_lines group by all`,
      ),
      await countLeftOut(connection, {}),
    ],
    ctx.signal,
  ),
);

function sumOf(row: Row): Pick<OpenSlot, 'currency' | 'amount' | 'count'> {
  const amount = typeof row.amount === 'number' ? row.amount : null;
  return { currency: text(row.currency), amount, count: whole(row.count) };
}

/**
 * Returns the lender and the due day of open settles. A settle that was due before today but is not
 * missing is expected today: unproven data or a funding of unknown currency may contain its payment.
 */
function placeOf({ clock, policy }: QueryContext, row: Row): Pick<OpenSlot, 'day' | 'lender'> {
  const name = text(row.lender);
  const lender = name === '' ? undefined : lenderOf(name, policy);
  const quarter = whole(row.quarter);
  if (quarter < 0) return { lender, day: undefined };
  const { default: usual, lenders } = policy.slaDays;
  const own =
    lender !== undefined && Object.hasOwn(lenders, lender) ? (lenders[lender] ?? usual) : usual;
  const calendar = calendarOf(policy.slaDays);
  const day = calendar.dayOf(dueOf(quarter * QUARTER_MS, own, policy.slaDays));
  const today = calendar.dayOf(clock.now());
  return { lender, day: day < today ? today : day };
}

/** Days on which settles are due, both inclusive, or those that are missing. */
export type DueDays = 'late' | { from: string; to: string };

/**
 * Returns the filter for orders with settles that are due on some days, whose shares add up to the
 * amounts of the forecast.
 * @param lender canonical name; null: only settles whose lender no funding has named
 */
export async function dueFilter(
  ctx: QueryContext,
  due: DueDays,
  lender: string | null | undefined,
): Promise<ShareFilter> {
  const [rows] = await findOpen(ctx);
  const chosen = rows.filter((row) => {
    const place = placeOf(ctx, row);
    if (lender !== undefined && place.lender !== (lender ?? undefined)) return false;
    if (due === 'late') return place.day === undefined;
    return place.day !== undefined && place.day >= due.from && place.day < addDays(due.to, 1);
  });
  return {
    shares: `with ${OPEN_LINES} select order_key, currency, sum(amount)::bigint as share
      from open_lines where (lender, quarter) in
        (select (unnest($due_lenders::varchar[]), unnest($due_quarters::bigint[])))
      group by order_key, currency`,
    parameters: {
      due_lenders: listValue(['', ...chosen.map((row) => text(row.lender))]),
      due_quarters: listValue([NO_QUARTER, ...chosen.map((row) => BigInt(whole(row.quarter)))]),
    },
  };
}
