import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';
import { digestOfTexts } from '../analytics/content.ts';
import { isGuessed } from '../analytics/schema.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { merchantOrderIdSql } from '../platform/order-key.ts';
import { sqlText } from '../platform/temporary-files.ts';
import { optional, select, text, whole } from '../queries/basis/rows.ts';
import { zonedSql } from '../queries/exports/zone-offsets.ts';
import type { LakeFile } from './manifest.ts';

/** A column of a lake file, with its SQL for a row `r`. */
type Column = readonly [name: string, sql: string];

const same = (name: string): Column => [name, `r.${name}`];
/** A time as a Parquet timestamp in UTC. */
const moment = (name: string): Column => [
  name,
  `make_timestamp(r.${name} * 1000) at time zone 'UTC'`,
];
/** An amount in major units of the row's currency, and in minor units. */
const amount = (name: string, column = name): Column[] => [
  [
    name,
    `(r.${column}::hugeint * r.unit)::decimal(34, 0)
      * ${(10 ** -DIGITS_OF_UNKNOWN).toFixed(DIGITS_OF_UNKNOWN)}::decimal(${DIGITS_OF_UNKNOWN}, ${DIGITS_OF_UNKNOWN})`,
  ],
  [`${name}_minor`, `r.${column}`],
];

const orderAmounts = [
  ...['expected_settle', 'expected_refund', 'funded_settle', 'funded_refund'],
  ...['funded_chargeback', 'funded_reversal', 'discount', 'net', 'awaiting'],
];

/** Numbers identical identities of a day, from 1: see {@link contentColumns}. */
const ordinal = `coalesce(try_cast(nullif(split_part(substr(r.id, 12), '~', 2), '') as integer), 1)`;

/** Columns of the files. Partition columns appear only in the path, as usual in a Hive layout. */
export const lakeColumns = {
  fundings: [
    same('id'),
    same('merchant_order_id'),
    same('order_key'),
    same('currency'),
    ['currency_assumed', isGuessed('r')],
    same('status'),
    same('transaction_type'),
    same('lender_name'),
    ...['transaction_amount', 'discount_amount', 'net_amount'].flatMap((name) => amount(name)),
    ...['funded_at', 'updated_at', 'transaction_date'].map(moment),
    ...['transaction_id', 'merchant_transaction_id', 'charge_id', 'lender_reference_id'].map(same),
    ...['product_type', 'promo_code'].map(same),
    ['quarantined_because', 'r.problem'],
    ['record_hash', 'r.hash::varchar'],
    ['record_ordinal', ordinal],
  ],
  orders: [
    same('order_key'),
    ['merchant_order_id', merchantOrderIdSql('r.order_key')],
    same('currency'),
    ['currency_assumed', 'r.assumed'],
    ...['headline', 'funding', 'returns', 'exceptions'].map(same),
    ...orderAmounts.flatMap((name) => amount(name)),
    ...['first_at', 'changed_at', 'recheck_at'].map(moment),
  ],
} as const satisfies Record<string, readonly Column[]>;

/** A partition's rows in the database. */
export interface Partition {
  day: string;
  rows: number;
  /** Order-independent digest of the rows. */
  digest: string;
}

/** A proven day, with the proof of its fundings. */
export interface FundingPartition extends Partition {
  proof: Extract<LakeFile, { table: 'fundings' }>['proof'];
}

/**
 * Returns the days that have been proven, oldest first, including days without fundings.
 * @param day restricts the result to one day
 */
export async function fundingPartitions(
  connection: DuckDBConnection,
  day?: string,
): Promise<FundingPartition[]> {
  const among = day === undefined ? 'true' : `day = ${sqlText(day)}`;
  const parts = `concat(r.hash, '.', ${ordinal}, '.', r.currency, '.', ${isGuessed('r')}, '.', r.problem)`;
  const rows = await select(
    connection,
    `select d.day, d.number, d.state, d.proven_at, d.digest as proven, f.count, f.digest
    from (select * from funding_days where digest <> '' and ${among}) d left join (
      select day, count(*) as count, ${digestOfTexts(parts)} as digest
      from fundings r where ${among} group by day) f on f.day = d.day
    order by d.day`,
  );
  return rows.map((row) => ({
    day: text(row.day),
    rows: whole(row.count),
    digest: optional(row.digest) ?? '',
    proof: {
      fact: whole(row.number),
      state: text(row.state),
      provenAt: whole(row.proven_at),
      digest: text(row.proven),
    },
  }));
}

/** Writes a day's fundings to a Parquet file. @returns the number of rows */
export function copyFundings(
  connection: DuckDBConnection,
  day: string,
  path: string,
): Promise<number> {
  const rows = `fundings where day = ${sqlText(day)}`;
  return copy(connection, lakeColumns.fundings, rows, 'order by r.funded_at, r.id', path);
}

const ORDERS = 'lake_orders';

/**
 * Copies a snapshot of all judged orders to a temporary table: see {@link dropOrders}. An order
 * belongs to the day of its first line or funding, so that a change rewrites only one day.
 * @returns the days with orders, oldest first
 */
export async function stageOrders(
  connection: DuckDBConnection,
  zone: string,
): Promise<Partition[]> {
  const [range] = await select(
    connection,
    `select least((select min(occurred_at) from ledger_lines), (select min(funded_at) from fundings)) as first,
      greatest((select max(occurred_at) from ledger_lines), (select max(funded_at) from fundings),
        (select max(changed_at) from order_statuses)) as last`,
  );
  const { day } = zonedSql(zone, whole(range?.first), whole(range?.last));
  await connection.run(`
    create or replace temp table ${ORDERS} as
    select s.* exclude (key_hash, judged, computed_at), coalesce(e.codes, '') as exceptions,
      coalesce(f.first_at, s.changed_at) as first_at,
      ${day('coalesce(f.first_at, s.changed_at)')} as day
    from order_statuses s
    left join (
      select order_key, min(moment) as first_at from (
        select order_key, occurred_at as moment from ledger_lines
        union all select order_key, funded_at from fundings where problem is null)
      group by order_key) f on f.order_key = s.order_key
    left join (
      select order_key, currency, string_agg(code, ' ' order by code) as codes
      from order_exceptions group by order_key, currency) e
      on e.order_key = s.order_key and e.currency = s.currency
    order by day`);
  const names = ['order_key', 'currency', 'assumed', 'headline', 'funding', 'returns'];
  // `changed_at` is excluded, because it differs between processes and after a rebuild.
  const texts = [...names, 'exceptions', ...orderAmounts, 'first_at'];
  const parts = `concat_ws(chr(0), ${texts.join(', ')}, coalesce(recheck_at, 0))`;
  const rows = await select(
    connection,
    `select day, count(*) as count, ${digestOfTexts(parts)} as digest from ${ORDERS}
    group by day order by day`,
  );
  return rows.map((row) => ({
    day: text(row.day),
    rows: whole(row.count),
    digest: text(row.digest),
  }));
}

/** Writes a day's staged orders to a Parquet file. @returns the number of rows */
export function copyOrders(
  connection: DuckDBConnection,
  day: string,
  path: string,
): Promise<number> {
  const rows = `${ORDERS} where day = ${sqlText(day)}`;
  return copy(connection, lakeColumns.orders, rows, 'order by r.order_key, r.currency', path);
}

/** Removes the table that {@link stageOrders} created. */
export async function dropOrders(connection: DuckDBConnection): Promise<void> {
  await connection.run(`drop table if exists temp.${ORDERS}`);
}

/** Ten-thousandths per minor unit of the row's currency. Computed once, because its query plan is long. */
const unit = `(10 ^ (${DIGITS_OF_UNKNOWN} - currency_digits(currency)))::hugeint`;

async function copy(
  connection: DuckDBConnection,
  columns: readonly Column[],
  rows: string,
  order: string,
  path: string,
): Promise<number> {
  const values = columns.map(([name, sql]) => `${sql} as ${name}`).join(', ');
  const { rowsChanged } = await connection.run(
    `copy (select ${values} from (select *, ${unit} as unit from ${rows}) r ${order}) to ${sqlText(path)}
    (format parquet, compression zstd, use_tmp_file false)`,
  );
  return rowsChanged;
}
