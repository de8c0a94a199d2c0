import type { WalkAmount } from '@financing-checkout/contract/reconciliation';
import type { Span } from '../platform/period.ts';
import { differenceAmounts, differences, inTransit, paidFlows } from '../statuses/money-views.ts';

/**
 * Selects the order key, currency and share of each order that contributes to an amount of the cash
 * walk: the order's nonzero part of the amount, with the sign of the step.
 * The shares of all orders in a currency add up to the amount. Uses the parameter `step_lender` if
 * the walk is restricted to one lender.
 * @param span the period: in transit before it is `opening`, and at its end `awaiting`
 * @param among table of orders that restricts the result
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

/** Selects the parts of an amount, with one or more rows per order. */
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
