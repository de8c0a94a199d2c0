/** Rows of lines that triage found paid, as the flows that the rules would give. */
const paidFlows = [
  ['expected', 'settle', 'amount', 'settled_day'],
  ['funded', 'settle', 'amount', 'funded_day'],
  ['refunds', 'refund', '-amount', 'funded_day'],
  ['discount', 'settle', '-discount', 'funded_day'],
  ['discount', 'refund', 'discount', 'funded_day'],
  ['net', 'settle', 'net', 'funded_day'],
  ['net', 'refund', '-net', 'funded_day'],
].map(
  ([step, kind, amount, day]) =>
    `select order_key, currency, lender, ${day} as day, '${step}' as step, ${amount} as amount
    from paid_lines where kind = '${kind}'`,
);

/**
 * Selects over all orders, those paid in full and all others: movements of money, discounts beside
 * their contracts, and claims of the service. A sum over them is a walk, a discount audit or a radar.
 */
export const moneyViews = {
  flows: [
    'select order_key, currency, lender, day, step, amount from cash_flows',
    ...paidFlows,
  ].join(' union all '),
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
