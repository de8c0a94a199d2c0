import {
  type DiscountAuditRecord,
  type MovedAmount,
  movedAmounts,
  type RadarRecord,
  type Walk,
  type WalkMonths,
} from '@financing-checkout/contract';
import { lenderOf } from '@financing-checkout/reconciliation-rules';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { isoTime } from '@financing-checkout/kit';
import { compareTexts } from '../platform/compare-texts.ts';
import { monthAfter } from '../platform/months.ts';
import { type Period, type Span, statedPeriod } from '../platform/period.ts';
import {
  differenceAmounts,
  differences,
  moneyViews,
  monthSums,
  walkSums,
} from '../statuses/money-views.ts';
import { countLeftOut } from './left-out.ts';
import { type QueryContext, reliabilityOf } from './reliability.ts';
import { optional, select, text, whole } from './rows.ts';

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
  const within = boundsOf(span);
  const condition = conditionOf(own);
  const [rows, sorted, leftOut] = await ctx.database.read(
    async (connection) => [
      await select(
        connection,
        `${walkSums(['expected', 'funded', 'short', ...steps, 'net'], within, condition)} order by currency`,
        parametersOf(own),
      ),
      await select(
        connection,
        `select currency, sum(${differenceAmounts.short}) as short,
          sum(${differenceAmounts.accepted}) as accepted
        from (${differences})
        where moved_at >= ${within.from} and moved_at < ${within.to} and ${condition}
        group by currency`,
        parametersOf(own),
      ),
      await countLeftOut(connection, part),
    ],
    ctx.signal,
  );
  const differencesOf = new Map(sorted.map((row) => [text(row.currency), row]));
  return {
    ...reliability,
    ...(lender === undefined ? {} : { lender }),
    ...statedPeriod(period),
    statements: rows.map((row) => {
      const value = (name: string) => whole(row[name]);
      const funded = value('funded');
      const inTransit = exact(value('opening') + value('expected') - funded - value('short'));
      const sums = Object.fromEntries(steps.map((step) => [step, value(step)])) as Record<
        (typeof steps)[number],
        number
      >;
      const difference = differencesOf.get(text(row.currency));
      const short = whole(difference?.short);
      const accepted = whole(difference?.accepted);
      const awaiting = 0 - inTransit;
      const explained = steps.reduce(
        (all, step) => all + sums[step],
        value('opening') + value('expected') + awaiting + short + accepted,
      );
      return {
        currency: text(row.currency),
        opening: value('opening'),
        expected: value('expected'),
        awaiting,
        short,
        accepted,
        ...sums,
        net: value('net'),
        unexplained: exact(value('net') - explained),
      };
    }),
    ...leftOut,
  };
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
      .map((row) => ({
        currency: text(row.currency),
        lender: text(row.lender),
        status: text(row.status),
        all: { count: whole(row.count), amount: whole(row.amount) },
        wrong: { count: whole(row.wrong_count), amount: whole(row.wrong_amount) },
      }))
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
type Own = Pick<Part, 'currency' | 'lender'>;

function ofLender({ policy }: QueryContext, { currency, lender }: Own): Own {
  return { currency, lender: lender === undefined ? undefined : lenderOf(lender, policy) };
}

function postedWithin(span: Span): string {
  const { from, to } = boundsOf(span);
  return `posted_at >= ${from} and posted_at < ${to}`;
}

function boundsOf({ from, to }: Span): { from: number; to: number } {
  return { from: from ?? Number.MIN_SAFE_INTEGER, to: to ?? Number.MAX_SAFE_INTEGER };
}

function conditionOf({ currency, lender }: Own): string {
  const conditions = [
    ...(currency === undefined ? [] : ['currency = $currency']),
    ...(lender === undefined ? [] : ['lender = $lender']),
  ];
  return conditions.length === 0 ? 'true' : conditions.join(' and ');
}

function parametersOf({ currency, lender }: Own): Record<string, string> {
  return {
    ...(currency === undefined ? {} : { currency }),
    ...(lender === undefined ? {} : { lender }),
  };
}

function exact(sum: number): number {
  return whole(Number.isSafeInteger(sum) ? sum : BigInt(Math.trunc(sum)));
}
