/**
 * Cash flows that the rules would return for lines that triage found to be paid: step, kind,
 * amount, and timestamp.
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

/** Returns a step's cash flows as columns of one kind of plainly paid lines. */
export function paidFlows(
  step: string,
): { kind: 'settle' | 'refund'; amount: string; moment: 'settled_at' | 'funded_at' }[] {
  return paidSteps
    .filter(([name]) => name === step)
    .map(([, kind, amount, moment]) => ({ kind, amount, moment }));
}

/**
 * Selects all cash flows.
 * @param keys columns in addition to moved_at, step and amount
 * @param paid source of the paid lines
 */
function flows(keys: string, paid: string): string {
  const ofPaid = paidSteps.map(
    ([step, kind, amount, moment]) =>
      `select ${keys}, ${moment} as moved_at, '${step}' as step, ${amount} as amount
      from ${paid} where kind = '${kind}'`,
  );
  return [`select ${keys}, moved_at, step, amount from cash_flows`, ...ofPaid].join(' union all ');
}

/** Returns an SQL condition for a timestamp within a period. */
function within(moment: string, from: number, to: number): string {
  return `${moment} >= ${from} and ${moment} < ${to}`;
}

/** In transit: expected, but neither funded nor written off. */
export const inTransit = { expected: '', funded: '-', short: '-' } as const;

/**
 * Selects the totals of the given steps within a period by currency, and `opening`, the amount in
 * transit before the period. Reads the plainly paid lines only once, because there are many.
 * @param condition on currency and lender; a currency without a cash flow before the end of the
 * period has no row
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
 * Selects the totals of the given steps by currency and month, which is the index of the last bound
 * that is not after the cash flow.
 * @param bounds starts of the months, and the end of the last one
 * @param condition on currency and lender
 */
export function monthSums(
  steps: readonly string[],
  bounds: readonly number[],
  condition: string,
): string {
  const [first = 0, ...ends] = bounds;
  const last = ends.at(-1) ?? first;
  const monthOf = (moment: string) =>
    `case ${ends.map((end, index) => `when ${moment} < ${end} then ${index}`).join(' ')} end`;
  const sumsOf = (valueOf: (step: string) => string) =>
    steps.map((step) => `sum(${valueOf(step)}) as ${step}`).join(', ');
  const ofPaid = (['settled_at', 'funded_at'] as const).map((moment) => {
    const valueOf = (step: string) => {
      const own = paidFlows(step).filter((flow) => flow.moment === moment);
      const cases = own.map(({ kind, amount }) => `when kind = '${kind}' then ${amount}`);
      return cases.length === 0 ? '0' : `case ${cases.join(' ')} else 0 end`;
    };
    return `select currency, ${monthOf(moment)} as month, ${sumsOf(valueOf)} from paid_lines
      where ${within(moment, first, last)} and ${condition} group by all`;
  });
  const ofFlows = `select currency, ${monthOf('moved_at')} as month,
      ${sumsOf((step) => `case when step = '${step}' then amount else 0 end`)} from cash_flows
    where ${within('moved_at', first, last)} and ${condition} group by all`;
  return `select currency, month, ${sumsOf((step) => step)}
    from (${[ofFlows, ...ofPaid].join(' union all ')}) group by currency, month
    having ${steps.map((step) => `sum(${step}) <> 0`).join(' or ')} order by month, currency`;
}

/**
 * Selects cash flows, discounts with their contracts, and the service's claims from all orders,
 * plainly paid or not. Discounts and claims have their funding's timestamp. Their totals are the
 * walk, the discount audit and the radar.
 */
export const moneyViews = {
  flows: flows('order_key, currency, lender', 'paid_lines'),
  discounts: `
    select * from discounts
    union all
    select order_key, currency, lender, funded_at, product_type, promo_code, agreed_basis_points,
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
    select order_key, currency, lender, funded_at, 'RECONCILED', 1, amount, 0, 0 from paid_lines`,
} as const;

/** The cash flow steps whose total should equal the net amount. */
const explained = [
  ...['funded', 'over', 'refunds', 'chargebacks', 'reversals', 'duplicates', 'other', 'discount'],
];

const listOf = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');
const lateCodes = listOf([
  ...['MISSING_AT_LENDER', 'AMOUNT_MISMATCH', 'TYPE_MISMATCH', 'AMBIGUOUS_PAYMENT'],
]);
const netCodes = listOf(['NET_MISMATCH', 'UNKNOWN_TYPE']);

/**
 * Selects the cash flows of orders that are not plainly paid, and whether an unaccepted exception
 * explains the order's missing amount (`is_late`) or the difference in its net amount (`is_open`).
 * A difference is accepted if its case is ignored, which requires a reason, or if it is within the
 * policy's tolerance and therefore not an exception.
 */
export const differences = `
  select f.order_key, f.currency, f.lender, f.moved_at, f.step, f.amount,
    coalesce(x.is_late, false) as is_late, coalesce(x.is_open, false) as is_open
  from cash_flows f left join (
    select e.order_key, e.currency, bool_or(e.code in (${lateCodes})) as is_late,
      bool_or(e.code in (${netCodes})) as is_open
    from order_exceptions e anti join (from cases where state = 'ignored') c
      on c.order_key = e.order_key and c.currency = e.currency and c.code = e.code
    where e.code in (${lateCodes}, ${netCodes}) group by e.order_key, e.currency) x
    on x.order_key = f.order_key and x.currency = f.currency`;

const ofNet = `when step = 'net' then amount
  when step in (${listOf(explained)}) then -amount else 0 end`;

/** The amounts of {@link differences}, with their signs in the walk. */
export const differenceAmounts = {
  short: `case when step = 'short' and is_late then -amount else 0 end`,
  accepted: `case when step = 'short' then case when is_late then 0 else -amount end
    when is_open then 0 ${ofNet}`,
  unexplained: `case when not is_open then 0 ${ofNet}`,
} as const;
