import type { JournalAccount, JournalTrace } from '@financing-checkout/contract/reconciliation';
import { Chart } from '../config/chart.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { ProblemError } from '../platform/problem.ts';
import { sqlText } from '../platform/temporary-files.ts';
import { optional, select, text, whole } from '../queries/basis/rows.ts';
import { readEntries } from './entries.ts';
import { listPeriods } from '../periods/read.ts';
import { type JournalsContext, recordOf } from './export.ts';

/** Selects an export's postings by entry or by account. */
export interface TraceRequest {
  seq: number;
  entry?: number | undefined;
  /** Number of the account. */
  account?: string | undefined;
  currency?: string | undefined;
}

/**
 * Returns the orders behind an entry or account of an export, those with the most money first, with
 * totals of all.
 * @throws {ProblemError} `journal-not-found` @throws {ContentError}
 */
export async function traceJournal(
  ctx: JournalsContext,
  { seq, entry, account, currency }: TraceRequest,
  limit: number,
): Promise<JournalTrace> {
  const fact = (await ctx.facts.journals()).find((one) => one.seq === seq);
  if (fact === undefined) throw new ProblemError('journal-not-found');
  const record = recordOf(fact);
  const period = (await listPeriods(ctx)).periods.find(({ id }) => id === record.period);
  if (period === undefined) throw new ProblemError('journal-not-found');
  const chart = new Chart(fact.chart);
  const content = await ctx.facts.journalContent(seq, 'postings');
  return ctx.files.with([{ name: 'postings', content, ending: '.parquet' }], ([path = '']) =>
    ctx.database.read(async (connection) => {
      const conditions = [
        entry === undefined ? 'true' : `entry = ${entry}`,
        currency === undefined ? 'true' : `currency = ${sqlText(currency)}`,
        account === undefined ? 'true' : await conditionOf(connection, path, chart, account),
      ];
      const source = `read_parquet(${sqlText(path)}) where ${conditions.join(' and ')}`;
      const sums = await select(
        connection,
        `select account, currency, sum(amount)::bigint as amount from ${source}
        group by account, currency order by account, currency`,
      );
      const rows = await select(
        connection,
        `select *, count(*) over () as total from (
          select order_key, currency, lender, account, sum(amount)::bigint as amount from ${source}
          group by all having sum(amount) <> 0)
        order by abs(amount) desc, order_key, account limit ${limit}`,
      );
      const named = { seq, period, detail: record.detail, chart };
      const found = entry === undefined ? [] : readEntries(connection, path, named, entry);
      let own;
      for await (const batch of found) own = batch[0] ?? own;
      if (entry !== undefined && own === undefined) throw new ProblemError('journal-not-found');
      return {
        export: record,
        entry: own,
        orders: rows.map((row) => ({
          orderKey: text(row.order_key),
          merchantOrderId: merchantOrderIdOf(text(row.order_key)),
          currency: text(row.currency),
          lender: text(row.lender),
          account: text(row.account) as JournalAccount,
          amount: whole(row.amount),
        })),
        count: whole(rows[0]?.total),
        totals: sums.map((row) => ({
          account: text(row.account) as JournalAccount,
          currency: text(row.currency),
          amount: whole(row.amount),
        })),
      };
    }),
  );
}

/** Returns the SQL condition for postings to an account in the export's chart. */
async function conditionOf(
  connection: DuckDBConnection,
  path: string,
  chart: Chart,
  number: string,
): Promise<string> {
  const rows = await select(
    connection,
    `select distinct account, lender, currency, product_type from read_parquet(${sqlText(path)})`,
  );
  const matching = rows.filter(
    (row) =>
      chart.account({
        account: text(row.account) as JournalAccount,
        lender: text(row.lender),
        currency: text(row.currency),
        productType: optional(row.product_type),
      }).number === number,
  );
  if (matching.length === 0) return 'false';
  const values = matching.map(
    (row) =>
      `(${['account', 'lender', 'currency'].map((name) => sqlText(text(row[name]))).join(', ')}, ${sqlText(optional(row.product_type) ?? '')})`,
  );
  return `(account, lender, currency, coalesce(product_type, '')) in (${values.join(', ')})`;
}
