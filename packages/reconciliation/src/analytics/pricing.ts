import type { DuckDBConnection } from '../platform/duckdb.ts';
import { dropCurrencies, stageCurrencies } from './assign-currencies.ts';

/** Amounts of a record. Error codes begin with the field name. */
const amounts = [
  ['transactionAmount', 'transaction'],
  ['discountAmount', 'discount'],
  ['netAmount', 'net'],
] as const;

/**
 * Columns of a funding that depend on its currency. The row needs `record_problem`, the amount
 * texts, and `digits`, the decimals of its currency. A quarantined record has no amounts.
 */
export function pricedColumns(source: string): string {
  const structs = amounts.map(([, name]) => `units(${name}_text, digits) as ${name}_units`);
  const problems = amounts.map(
    ([field, name]) =>
      `when ${name}_units.problem is not null then '${field}: ' || ${name}_units.problem`,
  );
  // Amount problems take precedence over problems with the record's last dates.
  const isLate = `(record_problem = 'updatedAt is missing' or record_problem like '% is not a date')`;
  return `
  select * exclude (transaction_units, discount_units, net_units),
    ${amounts.map(([, name]) => `case when problem is null then ${name}_units.value end as ${name}_amount`).join(', ')}
  from (
    select *, case when not ${isLate} then record_problem ${problems.join(' ')} else record_problem end as problem
    from (select *, ${structs.join(', ')} from (${source}))
  )`;
}

/**
 * Parses amounts again after ledger lines or authorizations establish or change a currency, in the
 * same transaction. Marks the affected orders as dirty. Quarantines records whose amounts the new
 * currency cannot represent, and releases those whose amounts it can.
 * @param keys query that selects the orders to check
 * @returns the number of changed fundings
 */
export async function reprice(
  connection: DuckDBConnection,
  defaultCurrency: string,
  keys?: string,
): Promise<number> {
  const some = keys === undefined ? '' : `where order_key in (${keys})`;
  const held = await connection.runAndReadAll(`select exists (from fundings ${some})`);
  if (held.getRows()[0]?.[0] !== true) return 0;
  await stageCurrencies(connection, `select * from fundings ${some}`, keys);
  await connection.run(
    `create or replace temp table repriced as
    ${pricedColumns(`
      select *, currency_digits(currency) as digits from (
        select id, f.order_key, record_problem, transaction_text, discount_text, net_text,
          coalesce(a.currency, o.currency, $1) as currency, o.currency is null as assumed
        from (select * from fundings ${some}) f
        left join known_currencies o using (order_key)
        left join assigned_currencies a using (id)
        where coalesce(a.currency, o.currency, $1) <> f.currency
          or (o.currency is null) <> f.assumed
      )`)}`,
    [defaultCurrency],
  );
  await dropCurrencies(connection);
  const changed = await connection.run(`
    update fundings set currency = r.currency, assumed = r.assumed, problem = r.problem,
      transaction_amount = r.transaction_amount, discount_amount = r.discount_amount, net_amount = r.net_amount
    from repriced r where fundings.id = r.id`);
  await connection.run('insert into dirty_orders select distinct order_key from repriced');
  await connection.run('drop table repriced');
  return changed.rowsChanged;
}
