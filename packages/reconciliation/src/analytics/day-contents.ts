import type { DuckDBConnection } from '@duckdb/node-api';
import type { FundingDay } from '../facts/store.ts';
import { sqlText, sqlTexts, type TemporaryFiles } from '../platform/temporary-files.ts';
import { lineColumns } from './content-columns.ts';
import { dropCurrencies, stageCurrencies } from './currencies.ts';
import { setMeta } from './database.ts';
import { pricedColumns } from './pricing.ts';
import { metaKeys } from './schema.ts';
import type { Database } from './session.ts';

/** Database to which days are written. */
export interface DayTarget {
  database: Database;
  files: TemporaryFiles;
  /** Currency of fundings whose order has no known currency; empty if there is none. */
  defaultCurrency: string;
}

/** Current version of a day, with the number of the listed fact; the day may have a later fact. */
export interface ReadDay {
  number: number;
  day: FundingDay;
  text: Uint8Array | undefined;
}

/** Replaces the rows of days with the days' contents, in one transaction. */
export async function writeDays(
  { database, files, defaultCurrency }: DayTarget,
  batch: readonly ReadDay[],
): Promise<void> {
  const read = batch.flatMap(({ day, text }) => (text === undefined ? [] : { day, text }));
  const filled = read.filter(({ text }) => text.byteLength > 0);
  await files.with(
    filled.map(({ day, text }) => ({ name: day.day, content: text })),
    (paths) =>
      database.write(async (connection) => {
        if (read.length > 0)
          await writeContents(
            connection,
            read.map(({ day }) => day),
            paths,
            defaultCurrency,
          );
        for (const { day } of batch) await writeDay(connection, day);
        // Uses the listed number, not the day's current one, because facts of other kinds may be
        // between them.
        const last = Math.max(...batch.map(({ number }) => number));
        await setMeta(connection, metaKeys.applied, String(last));
      }),
  );
}

async function writeDay(connection: DuckDBConnection, day: FundingDay): Promise<void> {
  const found = await connection.runAndReadAll('select proven from funding_days where day = $1', [
    day.day,
  ]);
  const before = found.getRows()[0]?.[0] ?? 0;
  const proven = day.state === 'complete' ? day.number : Number(before);
  await connection.run('delete from funding_days where day = $1', [day.day]);
  await connection.run('insert into funding_days values ($1, $2, $3, $4, $5, $6, $7)', [
    ...[day.day, day.number, proven, day.state, day.syncId, day.sha256],
    day.provenAt ?? null,
  ]);
}

/** Columns of fundings that determine a currency, and columns of the day contents. */
const matchedColumns = {
  transaction_type: 'transactionType',
  transaction_text: 'transactionAmount',
  discount_text: 'discountAmount',
  net_text: 'netAmount',
  transaction_id: 'transactionId',
  merchant_transaction_id: 'merchantTransactionId',
  lender_reference_id: 'lenderReferenceId',
  charge_id: 'chargeId',
};

async function writeContents(
  connection: DuckDBConnection,
  days: readonly FundingDay[],
  paths: readonly string[],
  defaultCurrency: string,
): Promise<void> {
  const columns = Object.entries(lineColumns).map(([name, type]) => `${name}: '${type}'`);
  const source =
    paths.length === 0
      ? `select ${Object.entries(lineColumns)
          .map(([name, type]) => `null::${type} as ${name}`)
          .join(', ')}, '' as filename where false`
      : `select * from read_json(${sqlTexts(paths)}, columns = {${columns.join(', ')}},
          format = 'newline_delimited', filename = true)`;
  const list = `(${days.map(({ day }) => sqlText(day)).join(', ')})`;
  const numbers = days.map(({ day, number }) => `(${sqlText(day)}, ${number})`);
  await connection.run(`
    create or replace temp table incoming as
    select *, day || ':' || name as id,
      case when merchantOrderId is null then 'funding:' || name else 'order:' || merchantOrderId end as order_key
    from (
      select *, left(parse_filename(filename), 10) as day,
        identity || case when ordinal = 1 then '' else '~' || ordinal end as name
      from (select *, row_number() over (partition by filename, identity order by hash) as ordinal from (${source}))
    )`);
  // Keeps unchanged rows, because `since` records the first fact of each id.
  await connection.run(`
    create or replace temp table replaced as
    select id, order_key, since from fundings f where day in ${list}
      and not exists (select 1 from incoming i where i.id = f.id and i.hash = f.hash and i.order_key = f.order_key)`);
  const replaced = await count(connection, 'replaced');
  const held = await count(connection, `(select 1 from fundings where day in ${list} limit 1)`);
  if (replaced > 0) {
    await connection.run(
      `delete from fundings where day in ${list} and id in (select id from replaced)`,
    );
  }
  // If no rows of these days are stored, uses a view: copying the rows would take as long as
  // reading them.
  await connection.run(
    held === 0
      ? 'create or replace temp view arriving as select * from incoming'
      : `create or replace temp table arriving as
         select * from incoming where id not in (select id from fundings where day in ${list})`,
  );
  await connection.run(`
    insert into dirty_orders
    select distinct order_key from (select order_key from arriving union all select order_key from replaced)`);
  await stageCurrencies(
    connection,
    `select id, order_key, status, ${Object.entries(matchedColumns)
      .map(([column, name]) => `${name} as ${column}`)
      .join(', ')} from arriving`,
    'select order_key from arriving',
  );
  const priced = pricedColumns(`
    select *, currency_digits(currency) as digits from (
    select a.* exclude (problem), n.number, r.since as before, o.currency is null as assumed,
      coalesce(s.currency, o.currency, $1) as currency, a.problem as record_problem,
      transactionAmount as transaction_text, discountAmount as discount_text, netAmount as net_text
    from (select * from arriving) a
    join (values ${numbers.join(', ')}) n(day, number) on n.day = a.day
    left join replaced r on r.id = a.id
    left join known_currencies o on o.order_key = a.order_key
    left join assigned_currencies s on s.id = a.id)`);
  await connection.run(
    `insert into fundings by name
    select day, id, identity, hash, order_key, merchantOrderId as merchant_order_id, currency, assumed,
      status, transactionType as transaction_type, lenderName as lender_name,
      transaction_text, discount_text, net_text, transaction_amount, discount_amount, net_amount,
      fundedAt as funded_at, updatedAt as updated_at, transactionDate as transaction_date,
      transactionId as transaction_id, merchantTransactionId as merchant_transaction_id, chargeId as charge_id,
      lenderReferenceId as lender_reference_id, productType as product_type, promoCode as promo_code,
      record_problem, problem, coalesce(before, number) as since
    from (${priced})`,
    [defaultCurrency],
  );
  await dropCurrencies(connection);
  await connection.run(
    `drop ${held === 0 ? 'view' : 'table'} arriving; drop table incoming; drop table replaced`,
  );
}

async function count(connection: DuckDBConnection, table: string): Promise<number> {
  const found = await connection.runAndReadAll(`select count(*) from ${table}`);
  return Number(found.getRows()[0]?.[0]);
}
