import { isOfOrders } from '../../analytics/key-hash.ts';
import { type DuckDBValue, listValue } from '../../platform/duckdb.ts';
import { orderPlaceSql } from '../../platform/order-key.ts';
import type {
  ExceptionCode,
  Headline,
  WalkAmount,
} from '@financing-checkout/contract/reconciliation';
import type { Span } from '../basis/period.ts';
import type { OrderPlace } from '../basis/rows.ts';
import {
  differenceAmounts,
  differences,
  inTransit,
  paidFlows,
} from '../../statuses/money-views.ts';

/** Filter of orders. Times are milliseconds since 1970. */
export interface StatusFilter {
  orderKeys?: readonly string[] | undefined;
  headline?: Headline | undefined;
  exception?: ExceptionCode | undefined;
  /** All names of a lender: only orders with a funding from this lender. */
  lenders?: readonly string[] | undefined;
  currency?: string | undefined;
  /** Only orders with an assumed currency, or only orders without one. */
  currencyAssumed?: boolean | undefined;
  /** Only orders with a settle, refund or funding at or after `from` and before `to`. */
  from?: number | undefined;
  to?: number | undefined;
  /** Only orders that contribute to this amount in the walk of the period and the lender. */
  step?: { name: WalkAmount; lender: string | undefined } | undefined;
  /** Only orders with a share of a total other than a step. */
  selected?: ShareFilter | undefined;
}

/** SQL that selects the order key, currency and share of orders, with its parameters. */
export interface ShareFilter {
  shares: string;
  parameters: Record<string, DuckDBValue>;
  /** Whether the shares are of fundings in the period, which are counted as `fundings`. */
  countsFundings?: boolean;
}

/** Returns whether each order has a share of a total. */
export function hasShares({ selected, step }: StatusFilter): boolean {
  return step !== undefined || selected !== undefined;
}

/** An SQL condition with its parameters. */
export interface Conditions {
  /** SQL to follow `from`: `s`, with a column `share` if the filter has shares. */
  source: string;
  /** Starts with `where`; empty if there is no condition. */
  conditions: string;
  parameters: Record<string, DuckDBValue>;
  /** Selects the shares of all orders, if the filter has shares. */
  shares?: string;
}

/**
 * Returns the condition that an order has a settle, refund or funding in a period.
 * @param alias of a table with the order key and the currency
 */
export function movedWithin(
  alias: string,
  { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }: Partial<Span>,
): { condition: string; parameters: Record<string, DuckDBValue> } {
  const between = (column: string) => `${column} >= $from::bigint and ${column} < $to::bigint`;
  // A funding of unknown currency belongs to each currency of its order.
  const condition = `(${alias}.order_key, ${alias}.currency) in (
      select (order_key, currency) from fundings where problem is null and ${between('funded_at')}
      union all
      select (order_key, currency) from ledger_lines where ${between('occurred_at')}
      union all
      select (o.order_key, o.currency) from fundings f join order_statuses o on o.order_key = f.order_key
      where f.problem is null and f.currency = '' and ${between('f.funded_at')})`;
  return { condition, parameters: { from: BigInt(from), to: BigInt(to) } };
}

/**
 * Returns the rows of `order_statuses`, named `s`, that match a filter.
 * @param first maximum number of orders after `after` to examine for a step
 */
export function statusConditions(
  filter: StatusFilter,
  after?: OrderPlace,
  first?: number,
): Conditions {
  const { orderKeys, headline, exception, lenders, currency, currencyAssumed, from, to } = filter;
  const { selected, step } = filter;
  let source = 'order_statuses s';
  const conditions: string[] = [];
  const parameters: Record<string, DuckDBValue> = {};
  let shares: string | undefined;
  const placeOfRow = orderPlaceSql('s.order_key', 's.currency');
  const isAfter = `(${placeOfRow}) > (${orderPlaceSql('$after_key', '$after_currency')})`;
  if (orderKeys !== undefined) {
    const own = isOfOrders({ table: 'order_statuses', alias: 's' }, orderKeys);
    conditions.push(own.condition);
    Object.assign(parameters, own.parameters);
  }
  if (headline !== undefined) {
    conditions.push('s.headline = $headline');
    parameters.headline = headline;
  }
  if (currency !== undefined) {
    conditions.push('s.currency = $currency');
    parameters.currency = currency;
  }
  if (currencyAssumed !== undefined) conditions.push(`s.assumed = ${currencyAssumed}`);
  if (exception !== undefined) {
    conditions.push(`(s.order_key, s.currency) in
      (select (order_key, currency) from order_exceptions where code = $exception)`);
    parameters.exception = exception;
  }
  const withShares = (orders: string, own: string) =>
    `select o.*, p.* exclude (order_key, currency) from ${orders} o join (${own}) p
      on p.order_key = o.order_key and p.currency = o.currency`;
  if (selected !== undefined) {
    ({ shares } = selected);
    Object.assign(parameters, selected.parameters);
    source = `(${withShares('order_statuses', shares)}) s`;
  } else if (step !== undefined) {
    const { lender, name } = step;
    const sharesOf = (among?: string) =>
      sharesOfStep(name, { from, to }, lender !== undefined, among);
    shares = sharesOf();
    const firstOrders = `select s.* from order_statuses s ${after === undefined ? '' : `where ${isAfter}`}
      order by ${placeOfRow} limit ${first}`;
    source =
      first === undefined
        ? `(${withShares('order_statuses', shares)}) s`
        : `(with first_orders as materialized (${firstOrders})
          ${withShares('first_orders', sharesOf('first_orders'))}) s`;
    if (lender !== undefined) parameters.step_lender = lender;
  } else if (lenders !== undefined) {
    conditions.push(`(s.order_key, s.currency) in (select (order_key, currency) from fundings
      where lender_name in (select unnest($lenders::varchar[])) and problem is null)`);
    parameters.lenders = listValue([...lenders]);
  }
  const hasPeriod = step !== undefined || selected?.countsFundings === true;
  if (!hasPeriod && (from !== undefined || to !== undefined)) {
    const moved = movedWithin('s', { from, to });
    conditions.push(moved.condition);
    Object.assign(parameters, moved.parameters);
  }
  if (after !== undefined) {
    conditions.push(isAfter);
    parameters.after_key = after.orderKey;
    parameters.after_currency = after.currency;
  }
  return {
    source,
    conditions: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`,
    parameters,
    shares,
  };
}

/**
 * Selects the order key, currency and share of each order that contributes to an amount of the cash
 * walk: the order's own parts of the amount, with the sign of the step, where they are not zero.
 * The shares of all orders in a currency add up to the amount. Uses the parameter `step_lender` if
 * the walk is restricted to one lender.
 * @param span the period: in transit before it is `opening`, and at its end `awaiting`
 * @param among table of the only orders to select, if not all
 */
export function sharesOfStep(
  step: WalkAmount,
  span: Span,
  ofLender: boolean,
  among?: string,
): string {
  const condition = [
    ofLender ? 'and lender = $step_lender' : '',
    among === undefined
      ? ''
      : `and (order_key, currency) in (select (order_key, currency) from ${among})`,
  ].join(' ');
  return `select order_key, currency, sum(amount)::bigint as share
    from (${partsOfStep(step, span, condition)}) group by order_key, currency having sum(amount) <> 0`;
}

/** Returns whether plainly paid orders, which are most orders, contribute to an amount. */
export function isOfPaidOrders(step: WalkAmount): boolean {
  return paidFlows(step).length > 0;
}

/** Selects the amounts, one or more for each order. */
function partsOfStep(step: WalkAmount, { from, to }: Span, condition: string): string {
  const start = from ?? Number.MIN_SAFE_INTEGER;
  const end = to ?? Number.MAX_SAFE_INTEGER;
  const within = (moment: string) => `${moment} >= ${start} and ${moment} < ${end}`;
  const flows = (amount: string, range: string) =>
    `select order_key, currency, ${amount} as amount from cash_flows where ${range} ${condition}`;
  if (step === 'opening') return partsInTransit(start, '');
  if (step === 'awaiting') return partsInTransit(end, '-');
  if (step === 'short' || step === 'accepted' || step === 'unexplained') {
    // A plainly paid line has no shortfall and nothing unexplained.
    return `select order_key, currency, ${differenceAmounts[step]} as amount
      from (${differences}) where ${within('moved_at')} ${condition}`;
  }
  const paid = paidFlows(step).map(
    ({ kind, amount, moment }) =>
      `union all select order_key, currency, ${amount} from paid_lines
      where kind = '${kind}' and ${within(moment)} ${condition}`,
  );
  return [flows('amount', `step = '${step}' and ${within('moved_at')}`), ...paid].join(' ');

  function partsInTransit(moment: number, sign: string): string {
    const signs = Object.entries(inTransit).map(
      ([name, own]) => `when '${name}' then ${own}amount`,
    );
    // A plainly paid line is in transit between its settle and its funding.
    return `${flows(`${sign}(case step ${signs.join(' ')} else 0 end)`, `moved_at < ${moment}`)}
      union all select order_key, currency,
        ${sign}(case when settled_at < ${moment} then amount else -amount end) from paid_lines
      where kind = 'settle' and (settled_at < ${moment}) <> (funded_at < ${moment}) ${condition}`;
  }
}
