import { DuckDBInstance } from '@duckdb/node-api';
import { request } from 'undici';
import { READING_TOKEN } from '../../tests/reconciliation/companion.ts';
import { timed } from './processes.ts';

/** A day of the service, with its number of records. */
export interface DayOfRecords {
  day: string;
  records: number;
}

/** The program's defaults. */
const [PAGE, OVERLAP, PARALLEL] = [1_000, 5, 3];
const DAY_MS = 86_400_000;
const SEAM_MS = 2_000;
const PARSED_PAGES = 100;

/**
 * Measures a client that fetches the same pages from the companion as a sync does, both readings of
 * each day, and discards them; and `JSON.parse` alone for the records of one reading.
 */
export async function fetchingAndParsing(
  companionUrl: string,
  days: readonly DayOfRecords[],
): Promise<{ fetchSeconds: number; parseSeconds: number }> {
  const parsed = { seconds: 0, records: 0, pages: 0 };
  const waiting = days.filter(({ records }) => records > 0);
  const all = waiting.reduce((sum, { records }) => sum + records, 0);

  async function page(day: string, offset: number): Promise<Buffer> {
    const start = Date.parse(day);
    const query = new URLSearchParams({
      operation: 'report',
      from: new Date(start - SEAM_MS).toISOString(),
      to: new Date(start + DAY_MS - 1).toISOString(),
      offset: String(offset),
      limit: String(PAGE),
    });
    const { statusCode, body } = await request(
      `${companionUrl}/fundings/pages?${query.toString()}`,
      { headers: { authorization: `Bearer ${READING_TOKEN}` } },
    );
    if (statusCode !== 200) throw new Error(`A page was answered ${statusCode}.`);
    return Buffer.from(await body.arrayBuffer());
  }

  async function client(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { day, records } = next;
      for (const reading of [1, 2]) {
        for (let offset = 0; offset === 0 || offset + OVERLAP < records; offset += PAGE - OVERLAP) {
          const bytes = await page(day, offset);
          if (parsed.pages < PARSED_PAGES) parse(bytes);
        }
        // The second reading also requests the end, to prove that no page follows the last one.
        if (reading === 1) await page(day, Math.max(0, records - OVERLAP));
      }
    }
  }

  function parse(bytes: Buffer): void {
    const started = performance.now();
    const { records } = JSON.parse(bytes.toString()) as { records: unknown[] };
    parsed.seconds += (performance.now() - started) / 1000;
    parsed.records += records.length;
    parsed.pages += 1;
  }

  const { seconds } = await timed(() => Promise.all(Array.from({ length: PARALLEL }, client)));
  return {
    fetchSeconds: seconds - parsed.seconds,
    parseSeconds: (parsed.seconds / parsed.records) * all,
  };
}

/**
 * Computes the status of each order on the same rows in DuckDB: sums of both sides by order and
 * currency, an outer join, and a word for the status, written to a table.
 * @param file analytics database of a program that has ended
 * @returns seconds, without loading the rows
 */
export async function duckdbSeconds(file: string): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run(`attach '${file}' as kept (read_only)`);
  await connection.run(`
    create table fundings as select order_key, currency, status, transaction_type, transaction_amount,
      discount_amount, net_amount, transaction_id from kept.fundings;
    create table ledger_lines as select order_key, currency, type, amount, transaction_id
      from kept.ledger_lines;
    detach kept`);
  let best = Infinity;
  // The first run warms up.
  for (let round = 0; round < 3; round++) {
    await connection.run('drop table if exists statuses');
    const { seconds } = await timed(() =>
      connection.run(`
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
        on f.order_key = e.order_key and f.currency = e.currency`),
    );
    if (round > 0) best = Math.min(best, seconds);
  }
  connection.closeSync();
  instance.closeSync();
  return best;
}
