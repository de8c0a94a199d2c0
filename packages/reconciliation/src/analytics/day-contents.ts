import type { DuckDBConnection } from '../platform/duckdb.ts';
import { damagedContent } from '../facts/content.ts';
import type { FundingDay } from '../facts/store.ts';
import { sqlText, sqlTexts, type TemporaryFiles } from '../platform/temporary-files.ts';
import { contentDigest, contentNames, EMPTY_DIGEST } from './content.ts';
import { dropCurrencies, stageCurrencies } from './assign-currencies.ts';
import { setMeta } from './database.ts';
import { pricedColumns } from './pricing.ts';
import { metaKeys } from './schema.ts';
import type { Database } from './session.ts';

/** Database to which days are written. */
export interface DayTarget {
  database: Database;
  files: TemporaryFiles;
  /** Currency of fundings whose order's currency is unknown; empty if there is none. */
  defaultCurrency: string;
}

/**
 * Current version of a day, with the number of the listed fact. By now, the day may have a later
 * one.
 */
export interface ReadDay {
  number: number;
  day: FundingDay;
  /** Parquet; undefined if the database already has the records. */
  content: Uint8Array | undefined;
  /** Digest of the records in the content. */
  digest: string;
}

/** Replaces the rows of days with the days' contents, in one transaction. */
export async function writeDays(
  { database, files, defaultCurrency }: DayTarget,
  batch: readonly ReadDay[],
): Promise<void> {
  const read = batch.flatMap(({ content, ...one }) =>
    content === undefined ? [] : { ...one, content },
  );
  await files.with(
    read.map(({ day, content }) => ({ name: day.day, content, ending: '.parquet' })),
    (paths) =>
      database.write(async (connection) => {
        if (read.length > 0) await writeContents(connection, read, paths, defaultCurrency);
        for (const { day } of batch) await writeDay(connection, day);
        // Uses the listed number, not the day's current one, because other kinds of facts may lie
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
    ...[day.day, day.number, proven, day.state, day.syncId, day.digest],
    day.provenAt ?? null,
  ]);
}

async function writeContents(
  connection: DuckDBConnection,
  days: readonly ReadDay[],
  paths: readonly string[],
  defaultCurrency: string,
): Promise<void> {
  const list = `(${days.map(({ day }) => sqlText(day.day)).join(', ')})`;
  const numbers = days.map(({ day }) => `(${sqlText(day.day)}, ${day.number})`);
  const held = await count(connection, `(select 1 from fundings where day in ${list} limit 1)`);
  // If none of these days has stored rows, uses views: a copy would take as long as reading the files.
  const kind = held === 0 ? 'view' : 'table';
  await connection.run(`
    create or replace temp ${kind} incoming as
    select *, day || ':' || name as id,
      case when merchant_order_id is null then 'funding:' || name else 'order:' || merchant_order_id end as order_key
    from (
      select *, left(parse_filename(filename), 10) as day,
        identity || case when ordinal = 1 then '' else '~' || ordinal end as name
      from read_parquet(${sqlTexts(paths)}, filename = true))`);
  await checkContents(connection, days);
  // Keeps unchanged rows, because `since` records the first fact of each id.
  await connection.run(`
    create or replace temp table replaced as
    select id, order_key, since from fundings f where day in ${list}
      and not exists (select 1 from incoming i where i.id = f.id and i.hash = f.hash and i.order_key = f.order_key)`);
  if ((await count(connection, 'replaced')) > 0) {
    await connection.run(
      `delete from fundings where day in ${list} and id in (select id from replaced)`,
    );
  }
  await connection.run(
    held === 0
      ? 'create or replace temp view arriving as select * from incoming'
      : `create or replace temp table arriving as
         select * from incoming where id not in (select id from fundings where day in ${list})`,
  );
  await connection.run(`
    insert into dirty_orders
    select distinct order_key from (select order_key from arriving union all select order_key from replaced)`);
  await stageCurrencies(connection, 'select * from arriving', 'select order_key from arriving');
  const priced = pricedColumns(`
    select *, currency_digits(currency) as digits from (
    select a.*, n.number, r.since as before, o.currency is null as assumed,
      coalesce(s.currency, o.currency, $1) as currency
    from arriving a
    join (values ${numbers.join(', ')}) n(day, number) on n.day = a.day
    left join replaced r on r.id = a.id
    left join known_currencies o on o.order_key = a.order_key
    left join assigned_currencies s on s.id = a.id)`);
  const kept = contentNames.filter((name) => name !== 'ordinal').join(', ');
  await connection.run(
    `insert into fundings by name
    select day, id, order_key, hash_of_key(order_key) as key_hash, currency, assumed, ${kept}, transaction_amount, discount_amount, net_amount,
      problem, coalesce(before, number) as since
    from (${priced})`,
    [defaultCurrency],
  );
  await dropCurrencies(connection);
  await connection.run(`drop ${kind} arriving; drop ${kind} incoming; drop table replaced`);
}

/** Checks that contents have exactly the proven records. @throws {ContentError} */
async function checkContents(
  connection: DuckDBConnection,
  days: readonly ReadDay[],
): Promise<void> {
  const found = await connection.runAndReadAll(
    `select day, count(*), ${contentDigest} from incoming group by day`,
  );
  const read = new Map(found.getRows().map(([day, count, digest]) => [day, { count, digest }]));
  for (const { day, digest } of days) {
    const { count, digest: own } = read.get(day.day) ?? { count: 0, digest: EMPTY_DIGEST };
    if (Number(count) !== day.count || own !== digest) throw damagedContent();
  }
}

async function count(connection: DuckDBConnection, table: string): Promise<number> {
  const found = await connection.runAndReadAll(`select count(*) from ${table}`);
  return Number(found.getRows()[0]?.[0]);
}
