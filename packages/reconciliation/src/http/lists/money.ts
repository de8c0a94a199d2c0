import { fundingForecast, lenderLags } from '../../queries/forecast.ts';
import { ageingOfCases } from '../../queries/cases.ts';
import { claimRadar, discountAudit, walkMonths } from '../../queries/money.ts';
import { namesOfLender } from '../lender.ts';
import { wantedMonths } from '../months.ts';
import { checkedSpan } from '../period.ts';
import { tooLarge } from '../routes/money.ts';
import { type ListContext, type ListFilter, type ListSources, percentOf } from './list.ts';

async function wantedOf(
  { engine, signal, zone }: ListContext,
  { currency, from, lender, to }: ListFilter,
) {
  const context = engine.data.context(signal);
  const period = { from, to, zone };
  const lenders = await namesOfLender(context, lender);
  return { context, wanted: { currency, lender, lenders, period, span: checkedSpan(period) } };
}

/** The lists of sums over many orders. */
export const moneyLists: ListSources<
  'months' | 'discounts' | 'radar' | 'lags' | 'forecast' | 'ageing'
> = {
  async *months({ engine, signal, zone }, { currency, lender, months, until }) {
    const context = engine.data.context(signal);
    const wanted = await wantedMonths(context, { currency, lender, months, until, zone }, zone);
    const sums = await walkMonths(context, wanted).catch(tooLarge);
    yield sums.months.map(({ expected, ...row }) => ({ ...row, settled: expected, zone }));
  },

  async *discounts(ctx, filter) {
    const { context, wanted } = await wantedOf(ctx, filter);
    const { rows } = await discountAudit(context, wanted).catch(tooLarge);
    yield rows.map((row) => ({
      currency: row.currency,
      lender: row.lender,
      product_type: row.productType,
      promo_code: row.promoCode,
      agreed_from: row.agreedFrom,
      agreed_percent: percentOf(row.agreedBasisPoints),
      agreed_per_settle: row.agreedPerSettle,
      effective_percent: percentOf(row.effectiveBasisPoints),
      settles: row.settles.count,
      settled: row.settles.amount,
      discount: row.settles.discount,
      variance: row.settles.variance,
      refunds: row.refunds.count,
      refunded: row.refunds.amount,
      returned: row.refunds.returned,
      not_returned: row.refunds.variance,
    }));
  },

  async *radar(ctx, filter) {
    const { context, wanted } = await wantedOf(ctx, filter);
    const { rows } = await claimRadar(context, wanted).catch(tooLarge);
    yield rows.map(({ all, currency, lender, status, wrong }) => ({
      currency,
      lender,
      status,
      count: all.count,
      amount: all.amount,
      wrong_count: wrong.count,
      wrong_percent: percentOf(all.count === 0 ? 0 : (wrong.count / all.count) * 10_000),
      wrong_amount: wrong.amount,
    }));
  },

  async *lags(ctx, filter) {
    const { context, wanted } = await wantedOf(ctx, filter);
    const { from, lenders, to, zone } = await lenderLags(context, wanted);
    yield lenders.map(({ count, currency, lender, p50Days, p95Days }) => ({
      currency,
      lender,
      settles: count,
      p50_days: p50Days,
      p95_days: p95Days,
      from,
      to,
      zone,
    }));
  },

  async *forecast({ engine, signal }, { currency }) {
    const { lenders } = await fundingForecast(engine.data.context(signal));
    yield lenders
      .filter((one) => currency === undefined || one.currency === currency)
      .map((one) => ({
        currency: one.currency,
        due: one.day === undefined ? 'late' : 'expected',
        day: one.day,
        lender: one.lender,
        settles: one.count,
        amount: one.amount ?? undefined,
      }));
  },

  async *ageing({ engine, signal }) {
    const { cells } = await ageingOfCases(engine.data.context(signal));
    yield cells.map(({ amount, count, currency, days, money }) => ({
      currency,
      age: days,
      size: money,
      cases: count,
      amount: amount ?? undefined,
    }));
  },
};
