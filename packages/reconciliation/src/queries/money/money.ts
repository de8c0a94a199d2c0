import {
  type DiscountAuditRecord,
  type MovedAmount,
  movedAmounts,
  type RadarRecord,
  type Walk,
  type WalkAmount,
  type WalkMonths,
  type WalkStatement,
} from '@financing-checkout/contract/reconciliation';
import { lenderOf, compareTexts } from '@financing-checkout/reconciliation-rules';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { isoTime } from '@financing-checkout/kit';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import { type Period, type Span, statedPeriod } from '../basis/period.ts';
import {
  differenceAmounts,
  differences,
  moneyViews,
  monthSums,
  walkSums,
} from '../../statuses/money-views.ts';
import { countLeftOut } from './left-out.ts';
import { type QueryContext, reliabilityOf } from '../basis/reliability.ts';
import { optional, type Row, select, text, whole } from '../basis/rows.ts';

/** Filter of sums: one currency, one lender, one period. */
export interface Part {
  currency?: string | undefined;
  lender?: string | undefined;
  /** All names of the lender. */
  lenders?: readonly string[] | undefined;
  period: Period;
  /** Start and end of the period. */
  span: Span;
}

/** Steps of a walk to sum within a period, other than those that connect periods. */
const steps = [
  'over',
  'refunds',
  'chargebacks',
  'reversals',
  'duplicates',
  'other',
  'discount',
] as const;

/**
 * Returns the cash walk of a period, from the expected to the posted amount. The opening amount in
 * transit was expected before the period, and was not paid, late or accepted by its start.
 * @throws {InexactSumError}
 */
export async function cashWalk(ctx: QueryContext, part: Part): Promise<Walk> {
  const { period, span } = part;
  const own = ofLender(ctx, part);
  const { lender } = own;
  const reliability = await reliabilityOf(ctx);
  const [sums, leftOut] = await ctx.database.read(
    async (connection) => [
      await readWalkSums(connection, boundsOf(span), own),
      await countLeftOut(connection, part),
    ],
    ctx.signal,
  );
  return {
    ...reliability,
    ...(lender === undefined ? {} : { lender }),
    ...statedPeriod(period),
    statements: [...sums].map(([currency, own]) => walkStatement(currency, own)),
    ...leftOut,
  };
}

/** Names of {@link WalkSums}. `written_off` was expected and is neither paid nor in transit. */
export const walkSumNames = [
  ...(['opening', 'expected', 'funded', 'written_off', 'short', 'accepted'] as const),
  ...steps,
  'net',
] as const;
/** The sums of a cash walk in one currency. */
export type WalkSums = Record<(typeof walkSumNames)[number], number>;

/** Returns the sums of a period by currency, sorted. @throws {InexactSumError} */
export async function readWalkSums(
  connection: DuckDBConnection,
  within: { from: number; to: number },
  own: Own,
): Promise<Map<string, WalkSums>> {
  const condition = conditionOf(own);
  const rows = await select(
    connection,
    `select s.* exclude (short), s.short as written_off, d.short, d.accepted
    from (${walkSums(['expected', 'funded', 'short', ...steps, 'net'], within, condition)}) s
    left join (
      select currency, sum(${differenceAmounts.short}) as short,
        sum(${differenceAmounts.accepted}) as accepted
      from (${differences})
      where moved_at >= ${within.from} and moved_at < ${within.to} and ${condition}
      group by currency) d on d.currency = s.currency
    order by s.currency`,
    parametersOf(own),
  );
  return new Map(rows.map((row) => [text(row.currency), walkSumsOf(row)]));
}

/** Returns the sums in a row. @throws {InexactSumError} */
export function walkSumsOf(row: Row): WalkSums {
  const sums = walkSumNames.map((name) => [name, whole(row[name])] as const);
  return Object.fromEntries(sums) as WalkSums;
}

/** Composes the statement of a cash walk. */
export function walkStatement(currency: string, sums: WalkSums): WalkStatement {
  const { opening, expected, funded, written_off: writtenOff, short, accepted, net } = sums;
  const awaiting = 0 - exact(opening + expected - funded - writtenOff);
  const explained = steps.reduce(
    (all, step) => all + sums[step],
    opening + expected + awaiting + short + accepted,
  );
  const { over, refunds, chargebacks, reversals, duplicates, other, discount } = sums;
  return {
    currency,
    opening,
    expected,
    awaiting,
    short,
    accepted,
    over,
    refunds,
    chargebacks,
    reversals,
    duplicates,
    other,
    discount,
    net,
    unexplained: exact(net - explained),
  };
}

/**
 * Returns the SQL of an amount that {@link walkStatement} composes, from columns that are named like
 * the sums.
 */
export function walkAmountSql(step: WalkAmount): string {
  const awaiting = '-(opening + expected - funded - written_off)';
  if (step === 'awaiting') return awaiting;
  if (step !== 'unexplained') return step;
  const explained = ['opening', 'expected', awaiting, 'short', 'accepted', ...steps];
  return `net - (${explained.join(' + ')})`;
}

/** Filter of sums by month. */
export interface MonthsPart extends Omit<Part, 'period' | 'span'> {
  /** The months in order, without a gap, such as 2026-01. */
  months: readonly string[];
  zone: string;
}

/**
 * Returns the amounts of the cash walk of each month that are sums of what moved in it.
 * @throws {InexactSumError}
 */
export async function walkMonths(ctx: QueryContext, part: MonthsPart): Promise<WalkMonths> {
  const { months, zone } = part;
  const [from = '', to = from] = [months[0], months.at(-1)];
  const own = ofLender(ctx, part);
  const { lender } = own;
  const reliability = await reliabilityOf(ctx);
  const calendar = new Calendar(zone);
  const starts = [...months, monthAfter(to)].map((month) => calendar.startOf(`${month}-01`));
  const [rows, leftOut] = await ctx.database.read(
    async (connection) => [
      await select(
        connection,
        monthSums(movedAmounts, starts, conditionOf(own)),
        parametersOf(own),
      ),
      await countLeftOut(connection, part),
    ],
    ctx.signal,
  );
  return {
    ...reliability,
    ...(lender === undefined ? {} : { lender }),
    from,
    to,
    zone,
    months: rows.map((row) => ({
      ...(Object.fromEntries(movedAmounts.map((name) => [name, whole(row[name])])) as Record<
        MovedAmount,
        number
      >),
      month: months[whole(row.month)] ?? to,
      currency: text(row.currency),
    })),
    ...leftOut,
  };
}

/**
 * Returns the discounts kept from settles and returned with refunds, compared with the contracts,
 * for fundings posted in the period. The variance of a transaction counts with its first funding.
 * @throws {InexactSumError}
 */
export async function discountAudit(ctx: QueryContext, part: Part): Promise<DiscountAuditRecord> {
  const reliability = await reliabilityOf(ctx);
  const sums = ['settle_count', 'settle_amount', 'settle_discount', 'settle_variance']
    .concat(['refund_count', 'refund_amount', 'refund_returned', 'refund_variance', 'refund_kept'])
    .map((name) => `sum(${name}) as ${name}`);
  const own = ofLender(ctx, part);
  const [rows, leftOut] = await ctx.database.read(
    async (connection) => [
      await select(
        connection,
        `select currency, lender, product_type, promo_code, agreed_from,
          max(agreed_basis_points) as agreed_basis_points,
          max(agreed_per_settle) as agreed_per_settle, ${sums.join(', ')}
        from (${moneyViews.discounts}) where ${conditionOf(own)} and ${postedWithin(part.span)}
        group by currency, lender, product_type, promo_code, agreed_from`,
        parametersOf(own),
      ),
      await countLeftOut(connection, part),
    ],
    ctx.signal,
  );
  return {
    ...reliability,
    ...leftOut,
    ...statedPeriod(part.period),
    rows: rows
      .map((row) => {
        const productType = optional(row.product_type);
        const promoCode = optional(row.promo_code);
        const basisPoints = row.agreed_basis_points;
        const agreedFrom = row.agreed_from;
        const perSettle = whole(row.agreed_per_settle);
        const settled = whole(row.settle_amount);
        const kept = whole(row.settle_discount);
        return {
          currency: text(row.currency),
          lender: text(row.lender),
          ...(productType === undefined ? {} : { productType }),
          ...(promoCode === undefined ? {} : { promoCode }),
          ...(typeof basisPoints === 'number' ? { agreedBasisPoints: basisPoints } : {}),
          ...(perSettle === 0 ? {} : { agreedPerSettle: perSettle }),
          ...(typeof agreedFrom === 'number' ? { agreedFrom: isoTime(agreedFrom) } : {}),
          ...(settled === 0
            ? {}
            : { effectiveBasisPoints: Math.round((kept / settled) * 1_000_000) / 100 }),
          settles: {
            count: whole(row.settle_count),
            amount: settled,
            discount: kept,
            variance: whole(row.settle_variance),
          },
          refunds: {
            count: whole(row.refund_count),
            amount: whole(row.refund_amount),
            returned: whole(row.refund_returned),
            variance: whole(row.refund_variance),
            kept: whole(row.refund_kept),
          },
        };
      })
      .sort(
        (a, b) =>
          compareTexts(a.currency, b.currency) ||
          compareTexts(a.lender, b.lender) ||
          b.settles.amount - a.settles.amount ||
          compareTexts(JSON.stringify(a), JSON.stringify(b)),
      ),
  };
}

/**
 * Returns the service's statuses of fundings posted in the period, and how often they are wrong.
 * @throws {InexactSumError}
 */
export async function claimRadar(ctx: QueryContext, part: Part): Promise<RadarRecord> {
  const reliability = await reliabilityOf(ctx);
  const own = ofLender(ctx, part);
  const [rows, leftOut] = await ctx.database.read(
    async (connection) => [
      await select(
        connection,
        `select currency, lender, status, sum(count) as count, sum(amount) as amount,
          sum(wrong_count) as wrong_count, sum(wrong_amount) as wrong_amount
        from (${moneyViews.claims}) where ${conditionOf(own)} and ${postedWithin(part.span)}
        group by currency, lender, status`,
        parametersOf(own),
      ),
      await countLeftOut(connection, part),
    ],
    ctx.signal,
  );
  return {
    ...reliability,
    ...leftOut,
    ...statedPeriod(part.period),
    rows: rows
      .map((row) => {
        const all = { count: whole(row.count), amount: whole(row.amount) };
        const wrong = { count: whole(row.wrong_count), amount: whole(row.wrong_amount) };
        return {
          currency: text(row.currency),
          lender: text(row.lender),
          status: text(row.status),
          all,
          wrong,
          wrongBasisPoints: all.count === 0 ? 0 : (wrong.count / all.count) * 10_000,
        };
      })
      .sort(
        (a, b) =>
          b.wrong.count - a.wrong.count ||
          compareTexts(a.status, b.status) ||
          compareTexts(a.currency, b.currency) ||
          compareTexts(a.lender, b.lender),
      ),
  };
}

/** A filter with the lender's own name. */
export type Own = Pick<Part, 'currency' | 'lender'>;

export function ofLender({ policy }: Pick<QueryContext, 'policy'>, { currency, lender }: Own): Own {
  return { currency, lender: lender === undefined ? undefined : lenderOf(lender, policy) };
}

/** Returns an SQL condition for fundings that were posted within a period. */
export function postedWithin(span: Span): string {
  const { from, to } = boundsOf(span);
  return `posted_at >= ${from} and posted_at < ${to}`;
}

function boundsOf({ from, to }: Span): { from: number; to: number } {
  return { from: from ?? Number.MIN_SAFE_INTEGER, to: to ?? Number.MAX_SAFE_INTEGER };
}

export function conditionOf({ currency, lender }: Own): string {
  const conditions = [
    ...(currency === undefined ? [] : ['currency = $currency']),
    ...(lender === undefined ? [] : ['lender = $lender']),
  ];
  return conditions.length === 0 ? 'true' : conditions.join(' and ');
}

export function parametersOf({ currency, lender }: Own): Record<string, string> {
  return {
    ...(currency === undefined ? {} : { currency }),
    ...(lender === undefined ? {} : { lender }),
  };
}

function exact(sum: number): number {
  return whole(Number.isSafeInteger(sum) ? sum : BigInt(Math.trunc(sum)));
}

/** Returns the month that is a number of months later: 2026-12 is one after 2026-11. */
function monthAfter(month: string, distance = 1): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + distance)).toISOString().slice(0, 'YYYY-MM'.length);
}

/** Returns consecutive months that end with the given one. */
export function monthsUntil(last: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => monthAfter(last, index + 1 - count));
}
