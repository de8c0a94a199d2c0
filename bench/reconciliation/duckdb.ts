import { DuckDBInstance } from '@duckdb/node-api';

/** A row of a table, in the order of its columns. */
type Row = readonly (string | number | null)[];

const columns = {
  fundings:
    'order_key, currency, status, transaction_type, transaction_amount, discount_amount, net_amount, transaction_id',
  ledger_lines: 'order_key, currency, type, amount, transaction_id',
} as const;

/**
 * DuckDB's way to the status of each order on the same rows: sums by order and currency of both
 * sides, joined to the outside, and a word for where the order stands, as a table.
 * @param rowsOf a page of a table's rows; the columns by name
 * @returns seconds, without loading the rows
 */
export async function duckdbSeconds(
  rowsOf: (table: keyof typeof columns, names: string) => AsyncIterable<Row> | Iterable<Row>,
): Promise<{ seconds: number; orders: number }> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run(`
    create table fundings (order_key varchar, currency varchar, status varchar,
      transaction_type varchar, transaction_amount bigint, discount_amount bigint,
      net_amount bigint, transaction_id varchar);
    create table ledger_lines (order_key varchar, currency varchar, type varchar, amount bigint,
      transaction_id varchar)`);
  for (const table of ['fundings', 'ledger_lines'] as const) {
    const appender = await connection.createAppender(table);
    for await (const row of rowsOf(table, columns[table])) {
      for (const value of row) {
        if (value === null) appender.appendNull();
        else if (typeof value === 'number') appender.appendBigInt(BigInt(value));
        else appender.appendVarchar(value);
      }
      appender.endRow();
    }
    appender.flushSync();
    appender.closeSync();
  }
  let best = Infinity;
  // The first one warms up.
  for (let round = 0; round < 3; round++) {
    await connection.run('drop table if exists statuses');
    const started = performance.now();
    await connection.run(`
      create table statuses as
      with funded as (
        select order_key, currency,
          coalesce(sum(transaction_amount) filter (transaction_type = 'Settle'), 0) as settle,
          coalesce(sum(transaction_amount) filter (transaction_type = 'Refund'), 0) as refund,
          coalesce(sum(transaction_amount) filter (transaction_type = 'Chargeback'), 0) as chargeback,
          coalesce(sum(transaction_amount) filter (transaction_type = 'Reversal'), 0) as reversal,
          sum(discount_amount) as discount, sum(net_amount) as net, count(*) as lines,
          count(distinct transaction_id) as transactions
        from fundings group by order_key, currency),
      expected as (
        select order_key, currency,
          coalesce(sum(amount) filter (type = 'Settle'), 0) as settle,
          coalesce(sum(amount) filter (type = 'Refund'), 0) as refund
        from ledger_lines group by order_key, currency)
      select coalesce(f.order_key, e.order_key) as order_key,
        coalesce(f.currency, e.currency) as currency, e.settle as expected_settle,
        e.refund as expected_refund, f.settle, f.refund, f.chargeback, f.reversal, f.discount, f.net,
        case when e.settle is null then 'NOT_IN_LEDGER'
          when f.settle is null then 'MISSING'
          when f.lines > f.transactions then 'DUPLICATE'
          when f.chargeback > f.reversal then 'CHARGEBACK'
          when f.settle > e.settle then 'OVER_FUNDED'
          when f.settle < e.settle then 'PARTIALLY_FUNDED'
          when f.refund <> e.refund then 'REFUND'
          else 'FUNDED' end as status
      from funded f full join expected e
        on f.order_key = e.order_key and f.currency = e.currency`);
    if (round > 0) best = Math.min(best, (performance.now() - started) / 1000);
  }
  const counted = await connection.runAndReadAll('select count(*) from statuses');
  const orders = Number(counted.getRows()[0]?.[0]);
  connection.closeSync();
  return { seconds: best, orders };
}
