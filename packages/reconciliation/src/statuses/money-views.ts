/** Rows of lines that triage found paid, as the flows that the rules would give. */
const paidFlows = [
  ['expected', 'settle', 'amount', 'settled_at'],
  ['funded', 'settle', 'amount', 'funded_at'],
  ['refunds', 'refund', '-amount', 'funded_at'],
  ['discount', 'settle', '-discount', 'funded_at'],
  ['discount', 'refund', 'discount', 'funded_at'],
  ['net', 'settle', 'net', 'funded_at'],
  ['net', 'refund', '-net', 'funded_at'],
].map(
  ([step, kind, amount, moment]) =>
    `select order_key, currency, lender, ${moment} as moved_at, '${step}' as step, ${amount} as amount
    from paid_lines where kind = '${kind}'`,
);

/**
 * Selects over all orders, those paid in full and all others: movements of money, discounts beside
 * their contracts, and claims of the service. A sum over them is a walk, a discount audit or a radar.
 */
export const moneyViews = {
  flows: [
    'select order_key, currency, lender, moved_at, step, amount from cash_flows',
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
