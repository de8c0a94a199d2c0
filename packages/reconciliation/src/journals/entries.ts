import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Account,
  type JournalAccount,
  type JournalDetail,
  type JournalEntry,
  journalKinds,
  type JournalLine,
} from '@financing-checkout/contract/reconciliation';
import type { Chart } from '../config/chart.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { sqlText } from '../platform/temporary-files.ts';
import { optional, type Row, select, text, whole } from '../queries/basis/rows.ts';

/** How an export's entries are named and dated. */
export interface EntryContext {
  /** Number of the export. */
  seq: number;
  period: { id: string; from: string; to: string };
  detail: JournalDetail;
  chart: Chart;
}

/** Values that many postings share. */
interface Shared {
  kind: number;
  belongs: string;
  currency: string;
  lender: string;
  /** Account in the merchant's books. */
  account: Account;
  /** Postings in an entry that have the same key form one line. */
  key: string;
}

const sharedColumns = 'kind, belongs, currency, lender, account, product_type';

/**
 * Returns the entries in a file of postings, in order and in batches. Postings with the same
 * account and lender form one line. Omits lines and entries whose amount is zero.
 * @param number undefined: all entries @throws {InexactSumError}
 */
export async function* readEntries(
  connection: DuckDBConnection,
  path: string,
  ctx: EntryContext,
  number?: number,
): AsyncGenerator<JournalEntry[]> {
  const isByOrder = ctx.detail === 'orders';
  const source = `(from read_parquet(${sqlText(path)})
    ${number === undefined ? '' : `where entry = ${number}`})`;
  const shared = `(select (row_number() over (order by ${sharedColumns}) - 1)::integer as shared, *
    from (select distinct ${sharedColumns} from ${source}))`;
  const rows = await select(connection, `select * from ${shared} order by shared`);
  const known = rows.map((row) => sharedOf(row, ctx));
  // An order's postings are separate rows. Reading a text takes ten times as long as reading a
  // number, and a double is faster than a bigint.
  const columns = isByOrder
    ? 'entry, shared, amount::double as amount, order_key'
    : 'entry, shared, sum(amount)::bigint as amount, null as order_key';
  const result = await connection.stream(
    `select ${columns} from ${source} p join ${shared} s
      on p.kind = s.kind and p.belongs = s.belongs and p.currency = s.currency
      and p.lender = s.lender and p.account = s.account
      and p.product_type is not distinct from s.product_type
    ${isByOrder ? '' : 'group by entry, shared'} order by entry, shared`,
  );
  const open = new OpenEntry(ctx);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    // Reading columns is several times faster than reading rows.
    const [entries = [], places = [], amounts = [], orders = []] = chunk.getColumns();
    const batch: JournalEntry[] = [];
    for (let row = 0; row < entries.length; row++) {
      const own = known[Number(places[row])];
      const amount = amounts[row];
      if (own === undefined) throw new RangeError('A posting is not known.');
      const done = open.add(
        own,
        Number(entries[row]),
        typeof amount === 'bigint' ? exactly(amount) : whole(amount),
        optional(orders[row]),
      );
      if (done !== undefined) batch.push(done);
    }
    yield batch;
    // Lets other requests run.
    await nextTurn();
  }
  const last = open.finish();
  if (last !== undefined) yield [last];
}

function sharedOf(row: Row, { chart, detail }: EntryContext): Shared {
  const [lender, currency] = [text(row.lender), text(row.currency)];
  const account = chart.account({
    account: text(row.account) as JournalAccount,
    lender,
    currency,
    productType: optional(row.product_type),
  });
  return {
    kind: whole(row.kind),
    belongs: text(row.belongs),
    currency,
    lender,
    account,
    // An order has one lender, except for amounts from before the lender was known.
    key: detail === 'orders' ? account.number : `${account.number} ${lender}`,
  };
}

/** Combines the postings of an entry. */
class OpenEntry {
  readonly #ctx: EntryContext;
  readonly #lines = new Map<string, JournalLine>();
  #number = 0;
  #entry: JournalEntry | undefined;

  constructor(ctx: EntryContext) {
    this.#ctx = ctx;
  }

  /** @returns the previous entry if the posting begins a new one */
  add(
    shared: Shared,
    number: number,
    amount: number,
    orderKey: string | undefined,
  ): JournalEntry | undefined {
    const isNew = number !== this.#number;
    const done = isNew ? this.finish() : undefined;
    if (isNew) {
      this.#number = number;
      this.#entry = entryOf(shared, number, orderKey, this.#ctx);
    }
    const { account, key, lender } = shared;
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
    // Debits first, as is customary in accounting.
    entry.lines = lines.sort((one, other) => Number(one.amount < 0) - Number(other.amount < 0));
    return entry;
  }
}

function entryOf(
  { belongs, currency, kind: index }: Shared,
  number: number,
  orderKey: string | undefined,
  { seq, period }: EntryContext,
): JournalEntry {
  const kind = journalKinds[index] ?? 'payouts';
  const isOfStart = kind === 'opening' || kind === 'reversal';
  const entry: JournalEntry = {
    id: `FC${seq}-${number}`,
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
