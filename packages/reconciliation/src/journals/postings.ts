import {
  type JournalAccount,
  type JournalDetail,
  type JournalKind,
  journalKinds,
} from '@financing-checkout/contract/reconciliation';
import { inTransit, posted } from '../periods/accounts.ts';
import { BEFORE } from '../periods/flows.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { sqlText } from '../platform/temporary-files.ts';

/** Columns of a posting, in addition to those of its entry. */
const columns = 'kind, belongs, currency, lender, order_key, account';

export interface JournalSource {
  /** Table or query with the columns of `sealed_flows`. */
  flows: string;
  /** Position of the seal. Rows of earlier seals form the opening amount. */
  seq: number;
  period: string;
  detail: JournalDetail;
  /** Parquet files of earlier exports of this period to the same target, to be subtracted. */
  exported: readonly string[];
  /** Whether an account depends on the product type. */
  hasProducts: boolean;
}

/**
 * Writes a period's postings to a Parquet file: entry number, kind (an index into `journalKinds`),
 * the period to which the entry belongs, order, and the amount posted to an account in minor units,
 * positive for debits. Entries are numbered from 1 in journal order.
 * @returns the number of postings
 */
export async function copyPostings(
  connection: DuckDBConnection,
  source: JournalSource,
  path: string,
): Promise<number> {
  const { detail, hasProducts } = source;
  // An order's entry includes all its lenders, so that amounts cancel out once the lender becomes
  // known.
  const entry = `kind, belongs, currency, ${detail === 'orders' ? 'order_key' : 'lender'}`;
  const product = hasProducts
    ? `left join (
        select order_key, currency, max(product_type) as product_type
        from (select order_key, currency, product_type from paid_lines
          union all select order_key, currency, product_type from discounts)
        where product_type is not null group by order_key, currency) using (order_key, currency)`
    : '';
  const { rowsChanged } = await connection.run(`
    copy (
      select dense_rank() over (order by ${entry})::integer as entry, ${columns},
        ${hasProducts ? 'product_type' : 'null::varchar as product_type'}, amount
      from (${postings(source)}) ${product}
      order by entry, account, lender, order_key)
    to ${sqlText(path)} (format parquet, compression zstd, use_tmp_file false)`);
  return rowsChanged;
}

/** Selects the postings of a period that earlier exports lack. */
function postings({ flows, seq, period, exported }: JournalSource): string {
  const isOpening = `(f.seq < ${seq} or f.seq = first.seq and f.period = '${BEFORE}')`;
  const [opening, reversal, closing] = (['opening', 'reversal', 'in-transit'] as const).map(kindOf);
  const ofRows = Object.entries(posted).flatMap(([kind, accounts]) =>
    Object.entries(accounts).map(
      ([account, amount]) => `
        select ${kindOf(kind as JournalKind)} as kind, period as belongs, currency, lender, order_key,
          '${account}' as account, ${amount} as amount
        from own where ${amount} <> 0`,
    ),
  );
  const transit = (kind: string, account: JournalAccount, amount: string, from: string) => `
    select ${kind} as kind, ${sqlText(period)} as belongs, currency, lender, order_key,
      '${account}' as account, ${amount} as amount from ${from}`;
  const openingKind = `(select case when min(seq) = ${seq} then ${opening} else ${reversal} end from f)`;
  const openingAccount = `(select case when min(seq) = ${seq} then 'opening' else 'in-transit' end from f)`;
  const earlier = exported.map(
    (path) => `union all select ${columns}, -amount from read_parquet(${sqlText(path)})`,
  );
  return `
    with f as materialized (select * from ${flows} where seq <= ${seq}),
    first as (select min(seq) as seq from f),
    own as materialized (select f.* from f, first where not ${isOpening}),
    before as materialized (
      select order_key, currency, lender, sum(${inTransit}) as amount from f, first
      where ${isOpening} group by all having sum(${inTransit}) <> 0),
    after as materialized (
      select order_key, currency, lender, sum(amount) as amount
      from (select * from before
        union all select order_key, currency, lender, ${inTransit} from own)
      group by all having sum(amount) <> 0)
    select ${columns}, sum(amount)::bigint as amount
    from (
      ${ofRows.join(' union all ')}
      union all ${transit(openingKind, 'receivable', 'amount', 'before')}
      union all select ${openingKind}, ${sqlText(period)}, currency, lender, order_key,
        ${openingAccount}, -amount from before
      union all ${transit(String(closing), 'in-transit', 'amount', 'after')}
      union all ${transit(String(closing), 'receivable', '-amount', 'after')}
      ${earlier.join(' ')})
    group by all having sum(amount) <> 0`;
}

function kindOf(kind: JournalKind): number {
  return journalKinds.indexOf(kind);
}
