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

/** Returns the flows of a step as columns of the plainly paid lines of one kind. */
export function paidFlows(
  step: string,
): { kind: 'settle' | 'refund'; amount: string; moment: 'settled_at' | 'funded_at' }[] {
  return paidSteps
    .filter(([name]) => name === step)
    .map(([, kind, amount, moment]) => ({ kind, amount, moment }));
}

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

/** Returns an SQL condition for a moment within a span. */
function within(moment: string, from: number, to: number): string {
  return `${moment} >= ${from} and ${moment} < ${to}`;
}

/** In transit: expected, and neither funded nor given up. */
export const inTransit = { expected: '', funded: '-', short: '-' } as const;

/**
 * Selects the sums of the given steps within a span by currency, and `opening`, the amount in transit
 * before it. Reads the many plainly paid lines once.
 * @param condition on currency and lender; a currency without a flow before the span's end has no row
 */
export function walkSums(
  steps: readonly string[],
  { from, to }: { from: number; to: number },
  condition: string,
): string {
  const flowOf = (step: string) =>
    `sum(case when step = '${step}' and moved_at >= ${from} then amount else 0 end)`;
  const openingOfFlows = Object.entries(inTransit).map(
    ([step, sign]) => `when step = '${step}' then ${sign}amount`,
  );
  const paidOf = (step: string, from: number, to: number, sign = '') => {
    const sums = paidFlows(step).map(
      ({ kind, amount, moment }) =>
        `when kind = '${kind}' and ${within(moment, from, to)} then ${sign}(${amount})`,
    );
    return sums.length === 0 ? '0' : `sum(case ${sums.join(' ')} else 0 end)`;
  };
  const openingOfPaid = Object.entries(inTransit).map(([step, sign]) =>
    paidOf(step, Number.MIN_SAFE_INTEGER, from, sign),
  );
  return `
    select currency, ${['opening', ...steps].map((name) => `sum(${name}) as ${name}`).join(', ')}
    from (
      select currency,
        sum(case when moved_at >= ${from} then 0 ${openingOfFlows.join(' ')} else 0 end) as opening,
        ${steps.map((step) => `${flowOf(step)} as ${step}`).join(', ')}
      from cash_flows where moved_at < ${to} and ${condition} group by currency
      union all
      select currency, ${openingOfPaid.join(' + ')} as opening,
        ${steps.map((step) => `${paidOf(step, from, to)} as ${step}`).join(', ')}
      from paid_lines
      where (funded_at < ${to} or kind = 'settle' and settled_at < ${to}) and ${condition}
      group by currency)
    group by currency`;
}

/**
 * Selects over all orders, plainly paid or not: cash flows, discounts with their contracts, and
 * claims of the service. Their sums are the walk, the discount audit and the radar.
 */
export const moneyViews = {
  flows: flows('order_key, currency, lender', 'paid_lines'),
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
