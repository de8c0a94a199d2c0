import { setImmediate as nextTurn } from 'node:timers/promises';
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
import { optional, text, whole } from '../queries/rows.ts';

/** How the entries of an export are named and dated. */
export interface EntryContext {
  /** Number of the export. */
  seq: number;
  period: { id: string; from: string; to: string };
  detail: JournalDetail;
  chart: Chart;
}

/** The columns of {@link readEntries}, in their order. */
interface Posting {
  entry: number;
  kind: number;
  belongs: string;
  currency: string;
  lender: string;
  account: JournalAccount;
  productType: string | undefined;
  orderKey: string | undefined;
  amount: number;
}

/**
 * Returns the entries of a file of postings, in their order and in batches. Lines of an account and
 * lender are one line, and lines and entries without an amount are left out.
 * @param number undefined: all entries @throws {InexactSumError}
 */
export async function* readEntries(
  connection: DuckDBConnection,
  path: string,
  ctx: EntryContext,
  number?: number,
): AsyncGenerator<JournalEntry[]> {
  const isByOrder = ctx.detail === 'orders';
  const columns = 'entry, kind, belongs, currency, lender, account, product_type';
  // The postings of an order are rows of their own, and a double is read faster than a bigint.
  const amount = isByOrder
    ? 'order_key, amount::double as amount'
    : 'null as order_key, sum(amount)::bigint as amount';
  const result = await connection.stream(
    `select ${columns}, ${amount} from read_parquet(${sqlText(path)})
    ${number === undefined ? '' : `where entry = ${number}`}
    ${isByOrder ? '' : 'group by all'} order by entry, account, lender, product_type`,
  );
  const entries = new OpenEntry(ctx);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    // Columns are read several times faster than rows.
    const [own, kind, belongs, currency, lender, account, product, order, sums] =
      chunk.getColumns();
    const batch: JournalEntry[] = [];
    for (let row = 0; row < chunk.rowCount; row++) {
      const sum = sums?.[row];
      const done = entries.add({
        entry: Number(own?.[row]),
        kind: Number(kind?.[row]),
        belongs: text(belongs?.[row]),
        currency: text(currency?.[row]),
        lender: text(lender?.[row]),
        account: text(account?.[row]) as JournalAccount,
        productType: optional(product?.[row]),
        orderKey: optional(order?.[row]),
        amount: typeof sum === 'bigint' ? exactly(sum) : whole(sum),
      });
      if (done !== undefined) batch.push(done);
    }
    yield batch;
    // Other requests get a turn.
    await nextTurn();
  }
  const last = entries.finish();
  if (last !== undefined) yield [last];
}

/** Puts the postings of an entry together. */
class OpenEntry {
  readonly #ctx: EntryContext;
  readonly #lines = new Map<string, JournalLine>();
  #number = 0;
  #entry: JournalEntry | undefined;

  constructor(ctx: EntryContext) {
    this.#ctx = ctx;
  }

  /** @returns the entry before, when the posting begins another one */
  add(posting: Posting): JournalEntry | undefined {
    const done = posting.entry === this.#number ? undefined : this.finish();
    if (posting.entry !== this.#number) {
      this.#number = posting.entry;
      this.#entry = entryOf(posting, this.#ctx);
    }
    const { lender, amount } = posting;
    const account = this.#ctx.chart.account(posting);
    // An order has one lender, except for amounts from before it was known.
    const key = this.#ctx.detail === 'orders' ? account.number : `${account.number} ${lender}`;
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, { account, amount, lender });
    else {
      line.amount += amount;
      if (lender !== '') line.lender = lender;
    }
    return done;
  }

  finish(): JournalEntry | undefined {
    const entry = this.#entry;
    const lines = [...this.#lines.values()].filter(({ amount }) => amount !== 0);
    this.#lines.clear();
    if (entry === undefined || lines.length === 0) return undefined;
    // Debits first, as accountants write them.
    lines.sort((one, other) => Number(one.amount < 0) - Number(other.amount < 0));
    return { ...entry, lines };
  }
}

function entryOf(posting: Posting, { seq, period }: EntryContext): JournalEntry {
  const { belongs, currency, orderKey } = posting;
  const kind = journalKinds[posting.kind] ?? 'payouts';
  const isOfStart = kind === 'opening' || kind === 'reversal';
  const entry: JournalEntry = {
    id: `FC${seq}-${posting.entry}`,
    date: isOfStart ? period.from : period.to,
    kind,
    period: period.id,
    currency,
    lines: [],
  };
  if (belongs !== period.id) entry.belongsTo = belongs;
  if (orderKey !== undefined) {
    entry.orderKey = orderKey;
    entry.merchantOrderId = merchantOrderIdOf(orderKey);
  }
  return entry;
}

/** @throws {InexactSumError} */
function exactly(sum: bigint): number {
  const number = Number(sum);
  return whole(Number.isSafeInteger(number) ? number : sum);
}
