import type { Forecast, Lags } from '@financing-checkout/contract';
import { addDays } from '@financing-checkout/contract/days';
import { calendarOf, dueOf, lenderOf } from '@financing-checkout/reconciliation-rules';
import { compareTexts } from '../platform/compare-texts.ts';
import { type Period, type Span, statedPeriod } from '../platform/period.ts';
import { countLeftOut, type LeftOut } from './left-out.ts';
import { onceARevision } from './once-a-revision.ts';
import { type QueryContext, reliabilityOf } from './reliability.ts';
import { optional, type Row, select, text, whole } from './rows.ts';
import { added } from './sum.ts';

const DAY_MS = 86_400_000;
/**
 * Zone offsets are multiples of a quarter hour, so that a quarter lies within one day in any zone.
 */
const QUARTER_MS = 900_000;
const FORECAST_DAYS = 14;

/**
 * Returns how long lenders take to fund a settle: for plainly paid settles, and for other orders
 * with one settle that is fully funded. Orders with a guessed currency are excluded.
 */
export async function lenderLags(
  ctx: QueryContext,
  { currency, period, span }: { currency: string | undefined; period: Period; span: Span },
): Promise<Lags> {
  const reliability = await reliabilityOf(ctx);
  const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER } = span;
  const [rows, leftOut] = await findLags(ctx, currency, from, to);
  const days = (value: unknown) => Math.round((Number(value) / DAY_MS) * 10) / 10;
  return {
    ...reliability,
    ...leftOut,
    ...statedPeriod(period),
    lenders: rows
      .map((row) => ({
        lender: text(row.lender),
        currency: text(row.currency),
        count: whole(row.count),
        p50Days: days(row.p50),
        p95Days: days(row.p95),
      }))
      .sort((a, b) => compareTexts(a.lender, b.lender) || compareTexts(a.currency, b.currency)),
  };
}

/** Selects the lags within a period. */
const findLags = onceARevision(
  (
    ctx: QueryContext,
    currency: string | undefined,
    from: number,
    to: number,
  ): Promise<[Row[], LeftOut]> =>
    ctx.database.read(
      async (connection) => [
        await select(
          connection,
          `with lags as (
          select currency, lender, funded_at, funded_at - settled_at as lag
          from paid_lines where kind = 'settle'
          union all
          select currency, max(lender), max(moved_at) filter (step = 'funded') as funded_at,
            max(moved_at) filter (step = 'funded') - max(moved_at) filter (step = 'expected')
          from cash_flows where step in ('expected', 'funded') group by order_key, currency
          having count(*) filter (step = 'expected') = 1
            and sum(amount) filter (step = 'expected') = sum(amount) filter (step = 'funded'))
        select currency, lender, count, lags[1] as p50, lags[2] as p95 from (
          select currency, lender, count(*) as count, quantile_disc(lag, [0.5, 0.95]) as lags
          from lags where funded_at >= ${from} and funded_at < ${to} ${currency === undefined ? '' : 'and currency = $currency'}
          group by currency, lender)`,
          currency === undefined ? {} : { currency },
        ),
        await countLeftOut(connection, { currency }),
      ],
      ctx.signal,
    ),
);

interface Sum {
  currency: string;
  amount: number | null;
  count: number;
}

/**
 * Returns the amounts that lenders should post in the next 14 days, and the amounts that are
 * overdue. The newest settles of an order count as its open ones, because lenders pay settles in
 * order.
 */
export async function fundingForecast(ctx: QueryContext): Promise<Forecast> {
  const { clock, policy } = ctx;
  const reliability = await reliabilityOf(ctx);
  const [open, missing, leftOut] = await findOpen(ctx);
  const calendar = calendarOf(policy.slaDays);
  const today = calendar.dayOf(clock.now());
  const end = addDays(today, FORECAST_DAYS);
  const days = new Map<string, Sum & { day: string }>();
  const late = new Map<string, Sum>();
  for (const row of missing) addTo(late, '', row);
  for (const row of open) {
    const name = optional(row.lender);
    const due = dueOf(whole(row.quarter) * QUARTER_MS, slaOf(name), policy.slaDays);
    const day = calendar.dayOf(due);
    if (day >= end) continue;
    if (day < today) addTo(late, '', row);
    else addTo(days, day, row, { day });
  }
  const byCurrency = (a: Sum, b: Sum) => compareTexts(a.currency, b.currency);
  return {
    ...reliability,
    ...leftOut,
    days: [...days.values()].sort((a, b) => compareTexts(a.day, b.day) || byCurrency(a, b)),
    late: [...late.values()].sort(byCurrency),
  };

  function slaOf(name: string | undefined): number {
    const { default: usual, lenders } = policy.slaDays;
    const lender = name === undefined ? undefined : lenderOf(name, policy);
    if (lender === undefined || !Object.hasOwn(lenders, lender)) return usual;
    return lenders[lender] ?? usual;
  }
}

/** Selects the open settles by lender and quarter of an hour, and the overdue amounts. */
const findOpen = onceARevision((ctx: QueryContext): Promise<[Row[], Row[], LeftOut]> =>
  ctx.database.read(
    async (connection) => [
      await select(
        connection,
        `with waiting as materialized (
          select order_key, currency, awaiting from order_statuses
          where awaiting > 0 and not assumed and currency <> ''),
        lines as (
          select w.order_key, w.currency, w.awaiting, l.amount, l.occurred_at,
            sum(l.amount) over (partition by w.order_key, w.currency
              order by l.occurred_at desc, l.id rows unbounded preceding) - l.amount as newer
          from waiting w join ledger_lines l on l.order_key = w.order_key
            and l.currency = w.currency and l.type = 'Settle'),
        named as (
          select f.order_key, f.currency, arg_max(f.lender_name, f.funded_at) as lender
          from fundings f semi join waiting w on w.order_key = f.order_key and w.currency = f.currency
          group by all)
        select l.currency, n.lender, l.occurred_at // ${QUARTER_MS} as quarter, count(*) as count,
          sum(least(l.amount, l.awaiting - l.newer)) as amount
        from lines l left join named n on n.order_key = l.order_key and n.currency = l.currency
        where l.newer < l.awaiting group by all`,
      ),
      await select(
        connection,
        `select currency, count(*) as count, sum(abs(amount)) as amount from order_exceptions
        where code = 'MISSING_AT_LENDER' and not assumed and currency <> '' group by currency`,
      ),
      await countLeftOut(connection, {}),
    ],
    ctx.signal,
  ),
);

/** Adds a row to the running total of its currency, in a map by place and currency. */
function addTo<Place extends object>(
  sums: Map<string, Sum & Place>,
  place: string,
  row: Awaited<ReturnType<typeof select>>[number],
  ...[more = {} as Place]: [Place?]
): void {
  const currency = text(row.currency);
  const key = `${place} ${currency}`;
  const sum = sums.get(key) ?? { currency, amount: 0, count: 0, ...more };
  const amount = typeof row.amount === 'number' ? row.amount : Number.NaN;
  sums.set(key, { ...sum, amount: added(sum.amount, amount), count: sum.count + whole(row.count) });
}
