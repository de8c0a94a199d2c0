import {
  type JournalAccount,
  type JournalDetail,
  type JournalEntry,
  journalKinds,
  type JournalLine,
} from '@financing-checkout/contract';
import type { Chart } from '../config/chart.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { sqlText } from '../platform/temporary-files.ts';
import { optional, stream, text, whole } from '../queries/rows.ts';

/** How the entries of an export are named and dated. */
export interface EntryContext {
  /** Number of the export. */
  seq: number;
  period: { id: string; from: string; to: string };
  detail: JournalDetail;
  chart: Chart;
}

/**
 * Returns the entries of a file of postings, in their order. Lines of an account and lender are one
 * line, and lines and entries without an amount are left out.
 * @param number undefined: all entries
 */
export async function* readEntries(
  connection: DuckDBConnection,
  path: string,
  ctx: EntryContext,
  number?: number,
): AsyncGenerator<JournalEntry> {
  const isByOrder = ctx.detail === 'orders';
  const order = isByOrder ? 'order_key' : 'null::varchar as order_key';
  const rows = stream(
    connection,
    `select entry, kind, belongs, currency, lender, account, product_type, ${order},
      sum(amount)::bigint as amount
    from read_parquet(${sqlText(path)}) ${number === undefined ? '' : `where entry = ${number}`}
    group by all order by entry, account, lender, product_type`,
  );
  let open: { entry: JournalEntry; number: number; lines: Map<string, JournalLine> } | undefined;
  for await (const page of rows) {
    for (const row of page) {
      const own = whole(row.entry);
      if (open?.number !== own) {
        const done = open && finished(open.entry, open.lines);
        if (done) yield done;
        open = { entry: entryOf(row, own, ctx), number: own, lines: new Map() };
      }
      const lender = text(row.lender);
      const account = ctx.chart.account({
        account: text(row.account) as JournalAccount,
        lender,
        currency: open.entry.currency,
        productType: optional(row.product_type),
      });
      // An order has one lender, except for amounts from before it was known.
      const key = isByOrder ? account.number : `${account.number} ${lender}`;
      const line = open.lines.get(key);
      if (line === undefined) open.lines.set(key, { account, amount: whole(row.amount), lender });
      else {
        line.amount += whole(row.amount);
        if (lender !== '') line.lender = lender;
      }
    }
  }
  const last = open && finished(open.entry, open.lines);
  if (last) yield last;
}

function entryOf(
  row: Record<string, unknown>,
  number: number,
  { seq, period }: EntryContext,
): JournalEntry {
  const kind = journalKinds[Number(row.kind)] ?? 'payouts';
  const isOfStart = kind === 'opening' || kind === 'reversal';
  const belongs = String(row.belongs);
  const entry: JournalEntry = {
    id: `FC${seq}-${number}`,
    date: isOfStart ? period.from : period.to,
    kind,
    period: period.id,
    currency: String(row.currency),
    lines: [],
  };
  if (belongs !== period.id) entry.belongsTo = belongs;
  if (typeof row.order_key === 'string') {
    entry.orderKey = row.order_key;
    entry.merchantOrderId = merchantOrderIdOf(row.order_key);
  }
  return entry;
}

function finished(
  entry: JournalEntry,
  lines: ReadonlyMap<string, JournalLine>,
): JournalEntry | undefined {
  const moved = [...lines.values()].filter(({ amount }) => amount !== 0);
  if (moved.length === 0) return undefined;
  // Debits first, as accountants write them.
  moved.sort((one, other) => Number(one.amount < 0) - Number(other.amount < 0));
  return { ...entry, lines: moved };
}
