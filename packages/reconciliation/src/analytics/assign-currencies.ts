import type { DuckDBConnection } from '../platform/duckdb.ts';

const staged = ['known_currencies', 'several_currencies', 'assigned_currencies'];

/**
 * Writes order currencies to temporary tables. `known_currencies` has the currency that the
 * merchant states for each order, empty if there are several; `assigned_currencies` has the
 * currency of each funding of a multi-currency order, if only one fits. {@link dropCurrencies}
 * removes them.
 * @param keys query that selects the orders; default: all orders
 * @param fundings query that selects the fundings, with the columns and texts of the table
 */
export async function stageCurrencies(
  connection: DuckDBConnection,
  fundings: string,
  keys?: string,
): Promise<void> {
  // DuckDB does not push a list of keys below the grouping of the view order_currencies.
  await connection.run(
    keys === undefined
      ? 'create or replace temp table known_currencies as select * from order_currencies'
      : `create or replace temp table known_currencies as
         with wanted(order_key) as materialized (select distinct * from (${keys}))
         select order_key, case when min(currency) = max(currency) then min(currency) else '' end as currency
         from (
           select order_key, currency from ledger_lines semi join wanted using (order_key)
           union all select order_key, currency from authorizations semi join wanted using (order_key))
         group by order_key`,
  );
  await connection.run(`
    create or replace temp table several_currencies as
    select order_key from known_currencies where currency = ''`);
  await connection.run(
    'create or replace temp table assigned_currencies (id varchar, currency varchar)',
  );
  const found = await connection.runAndReadAll('select exists (from several_currencies)');
  if (found.getRows()[0]?.[0] !== true) return;
  await connection.run(`insert into assigned_currencies ${assigned(fundings)}`);
}

/** Removes the tables of {@link stageCurrencies}. */
export async function dropCurrencies(connection: DuckDBConnection): Promise<void> {
  for (const table of staged) await connection.run(`drop table if exists temp.${table}`);
}

/**
 * IDs that lines and fundings have in common, most reliable first. Each charge, too, has a single
 * currency.
 */
const ids = [
  'transaction_id',
  'merchant_transaction_id',
  'lender_reference_id',
  'charge_id',
] as const;
const namesOf = (columns: string, source: string) =>
  ids.map((name, rank) => `select ${columns}, ${rank} as rank, ${name} as name from ${source}`);

/**
 * Selects the only currency that matches a funding. Tried in order: the most reliable id that
 * occurs in lines of just one currency; among currencies whose decimals can represent its amounts,
 * the one with a line of the same type and exact amount; the only currency whose decimals can.
 */
function assigned(fundings: string): string {
  const fits = ['transaction', 'discount', 'net'].map(
    (name) => `units(${name}_text, digits).problem is null`,
  );
  return `
    with wanted as materialized (
      select id, order_key, status, transaction_type, transaction_text, discount_text, net_text, ${ids.join(', ')}
      from (${fundings}) semi join several_currencies using (order_key)),
    lines as materialized (
      select * from ledger_lines semi join several_currencies using (order_key)),
    authorized as (select * from authorizations semi join several_currencies using (order_key)),
    named as (
      select order_key, rank, name, min(currency) as currency
      from (${namesOf('order_key, currency', 'lines').join(' union all ')}
        union all select order_key, currency, 1, merchant_transaction_id from authorized)
      where name <> '' group by all having min(currency) = max(currency)),
    by_id as materialized (
      select id, arg_min(n.currency, rank) as currency
      from (${namesOf('id, order_key', 'wanted').join(' union all ')})
      join named n using (order_key, rank, name) group by id),
    stated as (
      select order_key, currency, currency_digits(currency) as digits
      from (select order_key, currency from lines union select order_key, currency from authorized)),
    fitting as materialized (
      select id, w.order_key, currency, units(transaction_text, digits).value as amount,
        case when status is distinct from 'CHARGEBACK' then lower(transaction_type) end as type
      from (from wanted anti join by_id using (id)) w join stated using (order_key)
      where ${fits.join(' and ')}),
    by_amount as materialized (
      select id, min(currency) as currency
      from (from fitting f semi join lines l on l.order_key = f.order_key
        and l.currency = f.currency and lower(l.type) = f.type and l.amount = abs(f.amount))
      group by id having min(currency) = max(currency))
    from by_id
    union all from by_amount
    union all
    select id, min(currency) from fitting anti join by_amount using (id)
    group by id having min(currency) = max(currency)`;
}
