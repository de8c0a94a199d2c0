import type { DuckDBConnection } from '../platform/duckdb.ts';
import {
  dueOf,
  lateAfter,
  type Policy,
  ppmOf,
  WHOLE_PPM,
} from '@financing-checkout/reconciliation-rules';
import { appendColumns } from './append.ts';
import { namedTerms, type TermsKey, termsOf } from './contract-terms.ts';
import { sqlText } from '../platform/temporary-files.ts';

/** Largest integer that a double represents exactly; the rules reject larger amounts. */
const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/** Columns of a funding that select contracts; null for values that no contract names. */
function termsColumns(policy: Policy): { productType: string; promoCode: string } {
  const { productTypes, promoCodes } = namedTerms(policy);
  const named = (column: string, words: readonly string[]) =>
    words.length === 0
      ? 'null::varchar'
      : `case when f.${column} in (${words.map(sqlText).join(', ')}) then f.${column} end`;
  return {
    productType: named('product_type', productTypes),
    promoCode: named('promo_code', promoCodes),
  };
}

/** Writes the terms of all fundings in the sources to the temporary table `pass_terms`. */
export async function writeTerms(
  connection: DuckDBConnection,
  fundings: string,
  policy: Policy,
): Promise<void> {
  const { productType, promoCode } = termsColumns(policy);
  await connection.run(`create or replace temp table pass_terms (
    currency varchar, lender_name varchar, product_type varchar, promo_code varchar,
    lender varchar, from_at bigint, until_at bigint, basis_points double, settle_ppm bigint,
    refund_ppm bigint, per_settle bigint, agreed_from bigint)`);
  const found = await connection.runAndReadAll(`
    select f.currency, f.lender_name, ${productType}, ${promoCode}
    from ${fundings} f where f.problem is null and f.lender_name is not null group by all`);
  const keys = found.getRows().map(([currency, lenderName, product, promo]): TermsKey => ({
    currency: String(currency),
    lenderName: String(lenderName),
    productType: typeof product === 'string' ? product : null,
    promoCode: typeof promo === 'string' ? promo : null,
  }));
  const rows = termsOf(keys, policy);
  await appendColumns(
    connection,
    {
      name: 'pass_terms',
      temporary: true,
      kinds: [
        ...(['text', 'text', 'text', 'text', 'text', 'bigint', 'bigint'] as const),
        ...(['double', 'bigint', 'bigint', 'bigint', 'bigint'] as const),
      ],
    },
    [
      rows.map((row) => row.currency),
      rows.map((row) => row.lenderName),
      rows.map((row) => row.productType),
      rows.map((row) => row.promoCode),
      rows.map((row) => row.lender),
      rows.map((row) => row.from),
      rows.map((row) => row.until),
      rows.map(({ contract }) => contract?.basisPoints ?? null),
      rows.map(({ contract }) => contract?.settlePpm ?? null),
      rows.map(({ contract }) => contract?.refundPpm ?? null),
      rows.map(({ contract }) => contract?.perSettle ?? null),
      rows.map(({ contract }) => contract?.from ?? null),
    ],
  );
}

/** The orders of a step, as a condition on their keys and a join with their keys. */
export interface Part {
  /** Condition on `order_key`; empty: all orders. */
  condition: string;
  /** Source of the keys; undefined: all orders with lines or a status. */
  keys: string | undefined;
  /** Condition on rows of order_statuses from before the pass. */
  before: string;
}

/**
 * Copies the columns of a shard that triage needs to the temporary tables `pass_fundings` and
 * `pass_ledger`, so that the large tables are read only once. Lists the orders in `pass_orders`
 * with their number of lines and previous status; some no longer have lines.
 */
export async function stagePart(
  connection: DuckDBConnection,
  { condition, keys, before, isStated, policy }: Part & { isStated: boolean; policy: Policy },
): Promise<void> {
  await stageLate(connection, policy);
  const of = (alias: string, ...others: string[]) => {
    const all = [condition.replace('order_key', `${alias}.order_key`), ...others].filter(Boolean);
    const join =
      keys === undefined ? '' : `semi join ${keys} k on k.order_key = ${alias}.order_key`;
    return `${alias} ${join} ${all.length === 0 ? '' : `where ${all.join(' and ')}`}`;
  };
  await connection.run(`
    create or replace temp table pass_fundings as
    select order_key, currency, problem is null as counted, problem is not null or assumed as unplaced,
      assumed and not ${isStated} as assumed,
      case when ${isPlain} then transaction_id end as paid_id, transaction_type, lender_name,
      product_type, promo_code, transaction_amount, discount_amount, net_amount, funded_at
    from fundings ${of('f')}`);
  await connection.run(`
    create or replace temp table pass_ledger as
    select order_key, currency, type, amount, occurred_at, transaction_id, merchant_transaction_id
    from ledger_lines ${of('l')}`);
  // The totals are used for orders without fundings: see `writeWaiting`.
  await connection.run(`
    create or replace temp table pass_orders as
    select order_key, currency, count(*) filter (side = 1)::integer as fundings,
      count(*) filter (side = 2)::integer as lines, max(headline) as headline,
      max(changed_at) as changed_at, bool_or(assumed) as assumed,
      count(*) filter (is_settle)::integer as settles,
      max(amount) filter (is_settle) as settle, max(amount) filter (not is_settle) as refund,
      max(occurred_at) filter (is_settle) as settled_at, min(amount) as least,
      min(late_at) filter (late_at > ${policy.now}) as recheck_at,
      bool_or(late_at <= ${policy.now}) as is_late
    from (
      select order_key, currency, 1 as side, null::varchar as headline, null::bigint as changed_at,
        assumed, null::boolean as is_settle, null::bigint as amount, null::bigint as occurred_at,
        null::bigint as late_at from pass_fundings where counted
      union all select order_key, currency, 2, null, null, false, type = 'Settle', amount, occurred_at,
        late_at from pass_ledger join pass_late on quarter = occurred_at // ${QUARTER_MS}
      union all select order_key, currency, 3, headline, changed_at, false, null, null, null, null
        from order_statuses ${of('s', before)})
    group by order_key, currency`);
}

/** A quarter of an hour never spans two days, in any time zone. */
const QUARTER_MS = 900_000;

/**
 * Writes the time at which an unpaid line becomes late to `pass_late`, by the quarter of an hour in
 * which the line occurred. The lender is unknown, so the default number of days applies.
 */
async function stageLate(
  connection: DuckDBConnection,
  { slaDays }: Pick<Policy, 'slaDays'>,
): Promise<void> {
  const found = await connection.runAndReadAll(
    `select distinct occurred_at // ${QUARTER_MS} from ledger_lines`,
  );
  const quarters = found.getRows().map(([quarter]) => Number(quarter));
  const late = quarters.map((quarter) =>
    lateAfter(dueOf(quarter * QUARTER_MS, slaDays.default, slaDays), slaDays),
  );
  await connection.run('create or replace temp table pass_late (quarter bigint, late_at bigint)');
  await appendColumns(
    connection,
    { name: 'pass_late', kinds: ['bigint', 'bigint'], temporary: true },
    [quarters, late],
  );
}

/**
 * Writes the orders that no lender has paid yet and that are not late: one settle and at most one
 * refund, without a funding. `pass_waiting` has their keys.
 */
export async function writeWaiting(
  connection: DuckDBConnection,
  policy: Policy,
  { judged, now }: { judged: number; now: number },
): Promise<void> {
  const { minorUnits, basisPoints } = policy.tolerance;
  const tolerance = `greatest(${minorUnits}, settle::hugeint * ${ppmOf(basisPoints)} // ${WHOLE_PPM})`;
  await connection.run(`
    create or replace temp table pass_waiting as
    select order_key, currency, headline, changed_at, settle, coalesce(refund, 0) as refund, settled_at,
      recheck_at
    from pass_orders o
    where fundings = 0 and settles = 1 and lines <= 2 and currency <> ''
      and least > ${tolerance} and settle <= ${MAX_EXACT} and coalesce(refund, 0) <= ${MAX_EXACT}
      ${policy.complete ? 'and not is_late' : ''}
      and order_key not in (select order_key from pass_fundings where unplaced)`);
  await connection.run(`
    insert into order_statuses
    select order_key, hash_of_key(order_key), currency, 'UNFUNDED', 'NONE', 'AWAITING_FUNDING', settle, refund, 0, 0, 0, 0, 0, 0,
      settle, recheck_at, ${judged}, ${now},
      case when headline = 'AWAITING_FUNDING' then changed_at else ${now} end, false
    from pass_waiting`);
  await connection.run(`
    insert into cash_flows
    select order_key, currency, '', settled_at, 'expected', settle from pass_waiting`);
}

/** Condition for a reconciled funding with consistent amounts. */
const isPlain = `problem is null and currency <> '' and status = 'RECONCILED'
  and transaction_type in ('Settle', 'Refund') and transaction_amount > 0 and transaction_id > ''
  and transaction_amount - discount_amount = net_amount and transaction_amount <= ${MAX_EXACT}
  and abs(discount_amount) <= ${MAX_EXACT} and abs(net_amount) <= ${MAX_EXACT}`;

/**
 * Separates plainly paid orders from all others. Plainly paid means one settle that is funded once
 * or, without tolerance, two settles or a settle and its refund, each funded once. Each line is
 * matched by transaction id, is reconciled, and has the contracted discount. Writes one row per
 * line to the temporary table `pass_paid`. A property test compares this with the rules.
 */
export async function triage(connection: DuckDBConnection, policy: Policy): Promise<void> {
  const { minorUnits, basisPoints } = policy.tolerance;
  const most = minorUnits > 0 || basisPoints > 0 ? 1 : 2;
  await connection.run(`
    create or replace temp table pass_joined as
    select o.order_key, o.currency, o.headline, o.changed_at, o.fundings, f.transaction_type,
      f.paid_id, f.lender_name, f.product_type, f.promo_code, l.occurred_at, f.funded_at,
      f.transaction_amount as amount, f.discount_amount as discount, f.net_amount as net,
      nullif(l.merchant_transaction_id, '') as merchant_id
    from pass_orders o
    join pass_fundings f on f.order_key = o.order_key and f.currency = o.currency
    join pass_ledger l on l.order_key = o.order_key and l.currency = o.currency
    where o.fundings = o.lines and o.fundings <= ${most} and l.transaction_id = f.paid_id
      and l.type = f.transaction_type and l.amount = f.transaction_amount`);
  await connection.run(`create or replace temp table pass_paid as ${agreed(single, policy)}`);
  await connection.run(`
    insert into pass_paid ${agreed(paired, policy)}
    qualify count(*) over (partition by p.order_key, p.currency) = 2`);
}

const single = `select *, false as paired, occurred_at as agreed_at
  from pass_joined where fundings = 1 and transaction_type = 'Settle'`;

/** Lines with the same merchant transaction id form one expectation, whose discount differs. */
const paired = (() => {
  const of = 'over (partition by order_key, currency)';
  const settles = `filter (transaction_type = 'Settle') ${of}`;
  const refunds = `filter (transaction_type = 'Refund') ${of}`;
  const sum = (column: string) =>
    `abs(sum(case transaction_type when 'Settle' then ${column} else -${column} end) ${of})`;
  return `select *, true as paired, min(occurred_at) ${settles} as agreed_at
    from pass_joined where fundings = 2
    qualify count(*) ${of} = 2 and min(paid_id) ${of} <> max(paid_id) ${of}
      and (count(merchant_id) ${of} < 2 or min(merchant_id) ${of} <> max(merchant_id) ${of})
      and coalesce(sum(amount) ${settles}, 0)
        between greatest(1, coalesce(sum(amount) ${refunds}, 0)) and ${MAX_EXACT}
      and ${sum('discount')} <= ${MAX_EXACT} and ${sum('net')} <= ${MAX_EXACT}`;
})();

/**
 * Adds each line's terms, and removes lines whose discount differs from the contract: a discount
 * must be less than one unit from the exact percentage, and a refund that returns no discount must
 * not be required to.
 */
function agreed(paid: string, policy: Policy): string {
  const { productType, promoCode } = termsColumns(policy);
  const exact = `p.amount::hugeint * (case p.transaction_type when 'Settle' then t.settle_ppm
    else t.refund_ppm end)`;
  const kept = `(p.discount - (case p.transaction_type when 'Settle' then t.per_settle
    else 0 end))::hugeint * ${WHOLE_PPM}`;
  return `
    select p.order_key, p.currency, p.headline, p.changed_at, p.paired,
      case p.transaction_type when 'Settle' then 'settle' else 'refund' end as kind, t.lender,
      p.product_type, p.promo_code, p.occurred_at as settled_at, p.funded_at, p.amount, p.discount, p.net,
      t.basis_points as agreed_basis_points, t.per_settle as agreed_per_settle, t.agreed_from,
      ((p.amount::hugeint * t.settle_ppm + ${WHOLE_PPM / 2}) // ${WHOLE_PPM})::bigint as agreed
    from (select f.*, ${productType} as terms_product, ${promoCode} as terms_promo from (${paid}) f) p
    join pass_terms t on t.currency = p.currency and t.lender_name = p.lender_name
      and t.product_type is not distinct from p.terms_product
      and t.promo_code is not distinct from p.terms_promo
      and (t.from_at is null or p.agreed_at >= t.from_at)
      and (t.until_at is null or p.agreed_at < t.until_at)
    where t.settle_ppm is null or (abs(${kept} - ${exact}) < ${WHOLE_PPM}
      and (p.transaction_type = 'Settle' or p.discount <> 0 or ${exact} < ${WHOLE_PPM / 2}))`;
}

/** Writes the statuses and lines of the orders in `pass_paid`. */
export async function writePaid(
  connection: DuckDBConnection,
  { judged, now }: { judged: number; now: number },
): Promise<void> {
  await connection.run(`
    insert into paid_lines
    select order_key, currency, kind, lender, product_type, promo_code, settled_at, funded_at, amount,
      discount, net, agreed_basis_points, agreed_per_settle, agreed_from, agreed
    from pass_paid`);
  await connection.run(`
    insert into order_statuses
    select order_key, hash_of_key(order_key), currency,
      'FUNDED', returns,
      case returns when 'NONE' then 'FUNDED' else returns end as now_headline,
      settle, refund, settle, refund, 0, 0, discount, net, 0, null, ${judged}, ${now},
      case when headline = now_headline then changed_at else ${now} end, false
    from (
      select order_key, currency, headline, changed_at, amount as settle, 0 as refund, discount, net,
        'NONE' as returns
      from pass_paid where not paired
      union all
      select *, case when refund = 0 then 'NONE' when refund < settle then 'PARTIALLY_REFUNDED'
        else 'REFUNDED' end
      from (
        select order_key, currency, any_value(headline), any_value(changed_at),
          coalesce(sum(amount) filter (kind = 'settle'), 0)::bigint as settle,
          coalesce(sum(amount) filter (kind = 'refund'), 0)::bigint as refund,
          sum(case kind when 'settle' then discount else -discount end)::bigint,
          sum(case kind when 'settle' then net else -net end)::bigint
        from pass_paid where paired group by order_key, currency))`);
}
