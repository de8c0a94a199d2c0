import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { request } from 'undici';
import { type Companion, READING_TOKEN } from '../../tests/reconciliation/companion.ts';
import { attended, patient, timed } from './processes.ts';

/** A day of the service, with its number of records. */
export interface DayOfRecords {
  day: string;
  records: number;
}

/** The program's defaults. */
const [PAGE, OVERLAP, PARALLEL] = [5_000, 5, 3];
const DAY_MS = 86_400_000;
const SEAM_MS = 2_000;
/** Pages that are kept to be parsed afterwards. */
const PARSED_PAGES = 20;

/** A client that fetches what a sync fetches, and discards it. */
export interface Fetched {
  fetchSeconds: number;
  /** Processor time of the client and of the companion. */
  fetchCpuSeconds: number;
  /** `JSON.parse` alone, for the records of one reading. */
  parseSeconds: number;
}

/**
 * Measures a client that sends the same requests to the companion as a sync does: both readings of
 * each day, the second one on the condition that a page has changed.
 */
export async function fetchingAndParsing(
  companion: Companion,
  days: readonly DayOfRecords[],
): Promise<Fetched> {
  const kept: Buffer[] = [];
  const waiting = days.filter(({ records }) => records > 0);
  const all = waiting.reduce((sum, { records }) => sum + records, 0);

  /** @param known digest of the page in the first reading @returns its digest */
  async function page(day: string, offset: number, known?: string): Promise<string> {
    const start = Date.parse(day);
    const query = new URLSearchParams({
      operation: 'report',
      from: new Date(start - SEAM_MS).toISOString(),
      to: new Date(start + DAY_MS - 1).toISOString(),
      offset: String(offset),
      limit: String(PAGE),
    });
    const { statusCode, body } = await request(
      `${companion.url}/fundings/pages?${query.toString()}`,
      {
        headers: {
          authorization: `Bearer ${READING_TOKEN}`,
          ...(known !== undefined && { 'if-none-match': `"${known}"` }),
        },
        dispatcher: patient,
      },
    );
    const bytes = Buffer.from(await body.arrayBuffer());
    if (statusCode !== (known === undefined ? 200 : 304)) {
      throw new Error(`A page was answered ${statusCode}.`);
    }
    if (known !== undefined) return known;
    if (kept.length < PARSED_PAGES) kept.push(bytes);
    return hash('sha256', bytes);
  }

  async function client(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { day, records } = next;
      const digests: string[] = [];
      const offsets = [0];
      for (let at = PAGE - OVERLAP; at + OVERLAP < records; at += PAGE - OVERLAP) offsets.push(at);
      for (const offset of offsets) digests.push(await page(day, offset));
      // To prove that no page follows the last one.
      await page(day, Math.max(0, records - OVERLAP));
      for (const [index, offset] of offsets.entries()) {
        await page(day, offset, digests[index]);
      }
    }
  }

  const fetched = await attended(companion.program, () =>
    timed(
      () => Promise.all(Array.from({ length: PARALLEL }, client)),
      process.pid,
      companion.program.pid,
    ),
  );
  const texts = kept.map(String);
  const started = performance.now();
  const pages = texts.map((text) => JSON.parse(text) as { records: unknown[] });
  const seconds = (performance.now() - started) / 1000;
  const parsed = pages.reduce((sum, { records }) => sum + records.length, 0);
  return {
    fetchSeconds: fetched.seconds,
    fetchCpuSeconds: fetched.cpuSeconds,
    parseSeconds: (seconds / parsed) * all,
  };
}

/** Columns of both sides that a status needs. */
const sides = {
  fundings: `order_key, currency, status, transaction_type, transaction_amount, discount_amount,
    net_amount, transaction_id`,
  ledger_lines: 'order_key, currency, type, amount, transaction_id',
};

/**
 * Returns a query for the status of each order: sums of both sides by order and currency, an outer
 * join, and a word for the status.
 * @param schema of the tables with both sides
 */
function statusesOf(schema: string): string {
  return `
    with funded as (
      select order_key, currency,
        coalesce(sum(transaction_amount) filter (transaction_type = 'Settle'), 0) as settle,
        coalesce(sum(transaction_amount) filter (transaction_type = 'Refund'), 0) as refund,
        coalesce(sum(transaction_amount) filter (transaction_type = 'Chargeback'), 0) as chargeback,
        coalesce(sum(transaction_amount) filter (transaction_type = 'Reversal'), 0) as reversal,
        sum(discount_amount) as discount, sum(net_amount) as net, count(*) as lines,
        count(distinct transaction_id) as transactions
      from ${schema}.fundings group by order_key, currency),
    expected as (
      select order_key, currency,
        coalesce(sum(amount) filter (type = 'Settle'), 0) as settle,
        coalesce(sum(amount) filter (type = 'Refund'), 0) as refund
      from ${schema}.ledger_lines group by order_key, currency)
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
      on f.order_key = e.order_key and f.currency = e.currency`;
}

/**
 * Computes the status of each order on the same rows in DuckDB, written to a table in memory.
 * @param file analytics database of a program that has ended
 * @returns seconds, without loading the rows
 */
export function duckdbSeconds(file: string): Promise<number> {
  return inDuckDB(':memory:', 2, async (connection) => {
    await connection.run(`attach '${file}' as kept (read_only)`);
    for (const [table, columns] of Object.entries(sides)) {
      await connection.run(`create table ${table} as select ${columns} from kept.${table}`);
    }
    await connection.run('detach kept');
    let best = Infinity;
    // The first run warms up.
    for (let round = 0; round < 3; round++) {
      await connection.run('drop table if exists statuses');
      const { seconds } = await timed(() =>
        connection.run(`create table statuses as ${statusesOf('main')}`),
      );
      if (round > 0) best = Math.min(best, seconds);
    }
    return best;
  });
}

/**
 * Reads and joins the same orders in DuckDB with one thread, writes as many rows into a file as a
 * pass does, one for each order and one for each line that a funding pays, and commits.
 * @param file analytics database of a program that has ended
 * @returns seconds of processor
 */
export function duckdbPassSeconds(file: string): Promise<number> {
  return bestOf(async (folder) =>
    inDuckDB(join(folder, 'pass.duckdb'), 1, async (connection) => {
      await connection.run(`attach '${file}' as kept (read_only)`);
      const { cpuSeconds } = await timed(async () => {
        await connection.run('begin');
        await connection.run(`create table statuses as ${statusesOf('kept')}`);
        await connection.run(`
          create table paid as
          select l.order_key, l.currency, l.type, f.lender_name, f.product_type, f.promo_code,
            l.occurred_at, f.funded_at, l.amount, f.discount_amount, f.net_amount
          from kept.ledger_lines l
          join kept.fundings f on f.order_key = l.order_key and f.currency = l.currency
            and f.transaction_id = l.transaction_id and f.transaction_type = l.type`);
        await connection.run('commit');
      }, process.pid);
      return cpuSeconds;
    }),
  );
}

/**
 * Reads a ledger of NDJSON in DuckDB with one thread: its lines with the CSV reader, and their
 * values. Sorts them by order, and writes them as Parquet.
 * @returns seconds of processor
 */
export function duckdbImportSeconds(ledger: string): Promise<number> {
  const values = ['merchantOrderId', 'type', 'amount', 'currency', 'date', 'transactionId'].concat(
    'merchantTransactionId',
    'chargeId',
  );
  const paths = values.map((name) => `'$.${name}'`).join(', ');
  const columns = values.map((name, index) => `cells[${index + 1}] as ${name}`).join(', ');
  return bestOf(async (folder) =>
    inDuckDB(':memory:', 1, async (connection) => {
      const { cpuSeconds } = await timed(
        () =>
          connection.run(`
            copy (
              select ${columns} from (
                select json_extract_string(line, [${paths}]) as cells
                from read_csv('${ledger}', columns = {'line': 'varchar'}, header = false,
                  auto_detect = false, delim = '\x1f', quote = '', escape = '', comment = ''))
              order by merchantOrderId, transactionId
            ) to '${join(folder, 'ledger.parquet')}' (format parquet)`),
        process.pid,
      );
      return cpuSeconds;
    }),
  );
}

async function inDuckDB<Result>(
  file: string,
  threads: number,
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(file, { threads: String(threads) });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Returns the smaller result of two runs, each in a new folder beside the others' files. */
async function bestOf(work: (folder: string) => Promise<number>): Promise<number> {
  const results: number[] = [];
  for (let round = 0; round < 2; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-duckdb-'));
    try {
      results.push(await work(folder));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return Math.min(...results);
}
