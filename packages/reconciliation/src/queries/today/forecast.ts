import type { Forecast, Lags } from '@financing-checkout/contract/reconciliation';
import { addDays } from '@financing-checkout/contract/money';
import { calendarOf, compareTexts } from '@financing-checkout/reconciliation-rules';
import { type Period, type Span, statedPeriod } from '../basis/period.ts';
import { countLeftOut, type LeftOut } from '../money/left-out.ts';
import { onceARevision } from '../basis/once-a-revision.ts';
import { openSlots } from '../money/open-slots.ts';
import { type QueryContext, reliabilityOf } from '../basis/reliability.ts';
import { type Row, added, select, text, whole } from '../basis/rows.ts';

const DAY_MS = 86_400_000;
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
 * overdue, as a whole and by lender.
 */
export async function fundingForecast(ctx: QueryContext): Promise<Forecast> {
  const reliability = await reliabilityOf(ctx);
  const { slots, leftOut } = await openSlots(ctx);
  const today = calendarOf(ctx.policy.slaDays).dayOf(ctx.clock.now());
  const end = addDays(today, FORECAST_DAYS);
  const days = new Map<string, Sum & { day: string }>();
  const late = new Map<string, Sum>();
  const lenders = new Map<string, Sum & { day: string | undefined; lender: string | undefined }>();
  for (const slot of slots) {
    const { day, lender } = slot;
    if (day !== undefined && day >= end) continue;
    if (day === undefined) addTo(late, '', slot, {});
    else addTo(days, day, slot, { day });
    addTo(lenders, JSON.stringify([day, lender]), slot, { day, lender });
  }
  const byCurrency = (a: Sum, b: Sum) => compareTexts(a.currency, b.currency);
  return {
    ...reliability,
    ...leftOut,
    days: [...days.values()].sort((a, b) => compareTexts(a.day, b.day) || byCurrency(a, b)),
    late: [...late.values()].sort(byCurrency),
    lenders: [...lenders.values()]
      .map((one) => ({
        ...one,
        due: one.day === undefined ? ('late' as const) : ('expected' as const),
      }))
      .sort(
        (a, b) =>
          byCurrency(a, b) ||
          compareTexts(a.lender ?? '', b.lender ?? '') ||
          compareTexts(a.day ?? '', b.day ?? ''),
      ),
  };
}

/** Adds a slot to the running total of its currency, in a map by place and currency. */
function addTo<Place extends object>(
  sums: Map<string, Sum & Place>,
  place: string,
  { amount, count, currency }: Sum,
  more: Place,
): void {
  const key = `${place} ${currency}`;
  const sum = sums.get(key) ?? { currency, amount: 0, count: 0, ...more };
  sums.set(key, {
    ...sum,
    amount: added(sum.amount, amount ?? Number.NaN),
    count: sum.count + count,
  });
}
