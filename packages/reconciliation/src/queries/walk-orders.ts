import type { WalkAmount } from '@financing-checkout/contract';
import type { Span } from '../platform/period.ts';

/** The flow steps whose sum should equal the net amount. */
const explained = [
  ...['funded', 'over', 'refunds', 'chargebacks', 'reversals', 'duplicates', 'other', 'discount'],
];

/** Plainly paid lines that have an amount: its kind, its value and its moment. */
const paidLines: Partial<Record<WalkAmount, readonly [value: string, moment: string]>> = {
  expected: ["kind = 'settle'", 'settled_at'],
  refunds: ["kind = 'refund'", 'funded_at'],
  discount: ['discount <> 0', 'funded_at'],
  net: ['net <> 0', 'funded_at'],
};

/**
 * Selects order key and currency of the orders with an amount of the cash walk: the orders whose
 * own part of it is not zero. Uses the parameter `step_lender` if the walk is of one lender.
 * @param span the period; in transit before it is `opening`, and at its end `awaiting`
 */
export function placesOfStep(step: WalkAmount, { from, to }: Span, ofLender: boolean): string {
  const lender = ofLender ? 'and lender = $step_lender' : '';
  const within = (moment: string) =>
    `${moment} >= ${from ?? Number.MIN_SAFE_INTEGER} and ${moment} < ${to ?? Number.MAX_SAFE_INTEGER}`;
  const flows = (sum: string, range: string) =>
    `select (order_key, currency) from cash_flows where ${range} ${lender}
    group by order_key, currency having ${sum} <> 0`;
  if (step === 'opening' || step === 'awaiting') {
    const end =
      step === 'opening' ? (from ?? Number.MIN_SAFE_INTEGER) : (to ?? Number.MAX_SAFE_INTEGER);
    const inTransit = `sum(case step when 'expected' then amount when 'funded' then -amount
      when 'short' then -amount else 0 end)`;
    // A plainly paid line is in transit between its settle and its funding.
    return `${flows(inTransit, `moved_at < ${end}`)}
      union all select (order_key, currency) from paid_lines
      where kind = 'settle' and (settled_at < ${end}) <> (funded_at < ${end}) ${lender}`;
  }
  if (step === 'unexplained') {
    // Nothing of a plainly paid line is unexplained.
    const sum = `sum(case when step = 'net' then amount
      when step in (${explained.map((name) => `'${name}'`).join(', ')}) then -amount else 0 end)`;
    return flows(sum, within('moved_at'));
  }
  const own = flows('sum(amount)', `step = '${step}' and ${within('moved_at')}`);
  const paid = paidLines[step];
  if (paid === undefined) return own;
  const [value, moment] = paid;
  return `${own} union all select (order_key, currency) from paid_lines
    where ${value} and ${within(moment)} ${lender}`;
}
