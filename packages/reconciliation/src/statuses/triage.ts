import type { DuckDBConnection } from '@duckdb/node-api';
import { type Policy, WHOLE_PPM } from '@financing-checkout/reconciliation-rules';
import { appendColumns } from './append.ts';
import { namedTerms, type TermsKey, termsOf } from './contract-terms.ts';
import { textList } from './sql-text.ts';

/** Which rows a step of a pass reads: tables, or parts of them. */
export interface Sources {
  fundings: string;
  ledger: string;
  /** Statuses as they were before the pass. */
  statuses: string;
}

/** Largest whole number that a double holds exactly; the rules judge no order beyond it. */
const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/** Columns of a funding by which contracts are found; null for words that no contract names. */
function termsColumns(policy: Policy): { productType: string; promoCode: string } {
  const { productTypes, promoCodes } = namedTerms(policy);
  const named = (column: string, words: readonly string[]) =>
    words.length === 0
      ? 'null::varchar'
      : `case when f.${column} in (${textList(words)}) then f.${column} end`;
  return {
    productType: named('product_type', productTypes),
    promoCode: named('promo_code', promoCodes),
  };
}

/** Writes what was agreed for all fundings of the sources to the temporary table `pass_terms`. */
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

/**
 * Lists the orders of the sources in the temporary table `pass_orders`, with how many lines each has
 * and its status before; some have no lines any more.
 */
export async function listOrders(
  connection: DuckDBConnection,
  { fundings, ledger, statuses }: Sources,
): Promise<void> {
  await connection.run(`
    create or replace temp table pass_orders as
    select order_key, currency, count(*) filter (side = 1)::integer as fundings,
      count(*) filter (side = 2)::integer as lines, max(headline) as headline,
      max(changed_at) as changed_at
    from (
      select order_key, currency, 1 as side, null::varchar as headline, null::bigint as changed_at
        from ${fundings} where problem is null and currency <> ''
      union all select order_key, currency, 2, null, null from ${ledger}
      union all select order_key, currency, 3, headline, changed_at from ${statuses})
    group by order_key, currency`);
}

/**
 * Tells the orders that are plainly paid in full from all others: one settle that is funded once; or,
 * where no tolerance is let pass, two settles, or a settle and its refund, each funded once; by the
 * transaction's id, reconciled, with the discount agreed on. The temporary table `pass_paid` gets a row
 * for each of their lines. A property test holds this to the rules.
 */
export async function triage(
  connection: DuckDBConnection,
  sources: Sources,
  policy: Policy,
): Promise<void> {
  const { minorUnits, basisPoints } = policy.tolerance;
  const hasTolerance = minorUnits > 0 || basisPoints > 0;
  await connection.run(
    `create or replace temp table pass_paid as ${agreed(single(sources), policy)}`,
  );
  if (hasTolerance) return;
  const pairs = agreed(paired(sources), policy);
  await connection.run(
    `insert into pass_paid ${pairs} qualify count(*) over (partition by p.order_key, p.currency) = 2`,
  );
}

/** A funding `f` and the ledger line `l` that it pays, to the unit and by the transaction's id. */
const isPaid = `f.problem is null and f.status = 'RECONCILED' and f.transaction_amount > 0
  and f.transaction_id > '' and f.transaction_amount - f.discount_amount = f.net_amount
  and abs(f.transaction_amount) <= ${MAX_EXACT} and abs(f.discount_amount) <= ${MAX_EXACT}
  and abs(f.net_amount) <= ${MAX_EXACT}
  and l.type = f.transaction_type and l.amount = f.transaction_amount
  and l.transaction_id = f.transaction_id`;

const paidColumns = `o.order_key, o.currency, o.headline, o.changed_at, f.transaction_type,
  f.lender_name, f.product_type, f.promo_code, l.occurred_at, f.funded_at,
  f.transaction_amount as amount, f.discount_amount as discount, f.net_amount as net`;

const linesOfOrders = (
  { fundings, ledger }: Sources,
  count: number,
) => `(select * from pass_orders where fundings = ${count} and lines = ${count}) o
  join ${fundings} f on f.order_key = o.order_key and f.currency = o.currency
  join ${ledger} l on l.order_key = o.order_key and l.currency = o.currency`;

function single(sources: Sources): string {
  return `select ${paidColumns}, false as paired, l.occurred_at as agreed_at
    from ${linesOfOrders(sources, 1)}
    where f.transaction_type = 'Settle' and ${isPaid}`;
}

/** Lines with the same merchant's id are one expectation, whose discount is another one. */
function paired(sources: Sources): string {
  const of = 'over (partition by o.order_key, o.currency)';
  const settles = `filter (f.transaction_type = 'Settle') ${of}`;
  const refunds = `filter (f.transaction_type = 'Refund') ${of}`;
  const merchantId = `nullif(l.merchant_transaction_id, '')`;
  return `select ${paidColumns}, true as paired, min(l.occurred_at) ${settles} as agreed_at
    from ${linesOfOrders(sources, 2)}
    where f.transaction_type in ('Settle', 'Refund') and ${isPaid}
    qualify count(*) ${of} = 2
      and min(f.transaction_id) ${of} <> max(f.transaction_id) ${of}
      and (count(${merchantId}) ${of} < 2 or min(${merchantId}) ${of} <> max(${merchantId}) ${of})
      and coalesce(sum(f.transaction_amount) ${settles}, 0)
        between greatest(1, coalesce(sum(f.transaction_amount) ${refunds}, 0)) and ${MAX_EXACT}
      and abs(sum(case f.transaction_type when 'Settle' then f.discount_amount
        else -f.discount_amount end) ${of}) <= ${MAX_EXACT}
      and abs(sum(case f.transaction_type when 'Settle' then f.net_amount
        else -f.net_amount end) ${of}) <= ${MAX_EXACT}`;
}

/**
 * Adds the terms of each line, and leaves out lines with another discount than agreed: it is less than a
 * unit away from the exact share, and where nothing is given back of a refund, nothing is to be.
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
      p.product_type, p.promo_code, ${startOfDay('p.occurred_at')} as settled_day,
      ${startOfDay('p.funded_at')} as funded_day, p.amount, p.discount, p.net,
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

const DAY_MS = 86_400_000;

/** The first millisecond of the UTC day of a moment, before 1970 too. */
function startOfDay(moment: string): string {
  return `(${moment} - ((${moment} % ${DAY_MS}) + ${DAY_MS}) % ${DAY_MS})`;
}

/** Writes the statuses of the orders of `pass_paid`, and their lines. */
export async function writePaid(
  connection: DuckDBConnection,
  { judged, now }: { judged: number; now: number },
): Promise<void> {
  await connection.run(`
    insert into paid_lines
    select order_key, currency, kind, lender, product_type, promo_code, settled_day, funded_day, amount,
      discount, net, agreed_basis_points, agreed_per_settle, agreed_from, agreed
    from pass_paid`);
  await connection.run(`
    insert into order_statuses
    select order_key, currency,
      case when starts_with(order_key, 'order:') then substr(order_key, 7) end, 'FUNDED', returns,
      case returns when 'NONE' then 'FUNDED' else returns end as now_headline,
      settle, refund, settle, refund, 0, 0, discount, net, 0, null, ${judged}, ${now},
      case when headline = now_headline then changed_at else ${now} end
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
