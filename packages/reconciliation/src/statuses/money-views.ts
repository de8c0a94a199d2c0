/**
 * Cash flows that the rules would return for lines that triage found paid: step, kind, amount,
 * moment.
 */
const paidSteps = [
  ['expected', 'settle', 'amount', 'settled_at'],
  ['funded', 'settle', 'amount', 'funded_at'],
  ['refunds', 'refund', '-amount', 'funded_at'],
  ['discount', 'settle', '-discount', 'funded_at'],
  ['discount', 'refund', 'discount', 'funded_at'],
  ['net', 'settle', 'net', 'funded_at'],
  ['net', 'refund', '-net', 'funded_at'],
] as const;

/**
 * Selects all cash flows. @param keys columns besides moved_at, step and amount @param paid source
 * of the paid lines
 */
function flows(keys: string, paid: string): string {
  const ofPaid = paidSteps.map(
    ([step, kind, amount, moment]) =>
      `select ${keys}, ${moment} as moved_at, '${step}' as step, ${amount} as amount
      from ${paid} where kind = '${kind}'`,
  );
  return [`select ${keys}, moved_at, step, amount from cash_flows`, ...ofPaid].join(' union all ');
}

/** In every zone, days begin at a quarter of an hour. */
const QUARTER_MS = 900_000;
const quarter = (moment: string) =>
  `${moment} - ((${moment} % ${QUARTER_MS}) + ${QUARTER_MS}) % ${QUARTER_MS} as ${moment}`;

/**
 * Selects over all orders, plainly paid or not: cash flows, discounts with their contracts, and
 * claims of the service. Their sums are the walk, the discount audit and the radar.
 */
export const moneyViews = {
  flows: flows('order_key, currency, lender', 'paid_lines'),
  /**
   * Cash flows without their orders, to be summed by days of any zone. Reads the many paid lines
   * once for all steps.
   */
  sumFlows: `
    with paid as materialized (
      select currency, lender, kind, ${quarter('settled_at')}, ${quarter('funded_at')},
        sum(amount) as amount, sum(discount) as discount, sum(net) as net
      from paid_lines group by all)
    ${flows('currency, lender', 'paid')}`,
  discounts: `
    select * from discounts
    union all
    select order_key, currency, lender, product_type, promo_code, agreed_basis_points,
      coalesce(agreed_per_settle, 0), agreed_from,
      (kind = 'settle')::integer, case kind when 'settle' then amount else 0 end,
      case kind when 'settle' then discount else 0 end, 0,
      (kind = 'refund')::integer, case kind when 'refund' then amount else 0 end,
      case kind when 'refund' then discount else 0 end, 0,
      case when kind = 'refund' and agreed is not null then agreed - discount else 0 end
    from paid_lines`,
  claims: `
    select * from claims
    union all
    select order_key, currency, lender, 'RECONCILED', 1, amount, 0, 0 from paid_lines`,
} as const;
