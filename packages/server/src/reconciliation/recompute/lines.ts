import type { FundingLine, LedgerLine, OrderLines } from '@financing-checkout/reconciliation-rules';
import { type BulkConnection, textsOf, type Value, type ValueRow } from './bulk.ts';
import type { OrderPlace } from './survey.ts';

/** Lines of orders, each order in the currencies it has. */
export type LinesOfOrders = Map<string, OrderLines & OrderPlace>;

/** What an order in one currency is known by in {@link LinesOfOrders}. */
export function placeKey({ orderKey, currency }: OrderPlace): string {
  return `${currency} ${orderKey}`;
}

/** Fundings, or lines of the ledger, that are in memory at once: some orders have thousands. */
const MOST_LINES = 20_000;
/**
 * Of one order alone. One that has more is none: a shop, or the service, wrote the same word in the
 * place of each id. It would take the memory, and with it the statuses of all others.
 */
export const MOST_LINES_OF_ONE = 50_000;

/**
 * Reads all lines of orders. A funding whose currency is not known is in no order: it is listed,
 * and never summed.
 * @returns undefined where they have too many to be in memory at once
 */
export async function readLines(
  bulk: BulkConnection,
  environment: string,
  orderKeys: readonly string[],
): Promise<LinesOfOrders | undefined> {
  const found: LinesOfOrders = new Map();
  const keys = JSON.stringify(orderKeys);
  const most = orderKeys.length === 1 ? MOST_LINES_OF_ONE : MOST_LINES;
  const limit = `limit ${most + 1}`;
  const isTooMuch = (rows: readonly ValueRow[]) => rows.length > most;
  const orders = `${textsOf(bulk)} wanted cross join`;
  const fundings = await bulk.rows(
    `select f.order_key, f.currency, f.merchant_order_id, f.id, f.status, f.transaction_type,
      f.transaction_amount, f.discount_amount, f.net_amount, f.funded_at, f.updated_at,
      f.lender_name, f.transaction_id, f.merchant_transaction_id, f.lender_reference_id,
      f.product_type, f.promo_code
    from ${orders} fundings f
    where f.environment = ? and f.order_key = wanted.value and f.currency <> '' ${limit}`,
    [keys, environment],
  );
  if (isTooMuch(fundings)) return undefined;
  for (const row of fundings) orderOf(found, row).fundings.push(toFunding(row));
  const lines = await bulk.rows(
    `select l.order_key, l.currency, l.merchant_order_id, l.id, l.type, l.amount, l.occurred_at,
      l.transaction_id, l.merchant_transaction_id, l.lender_reference_id
    from ${orders} ledger_lines l
    where l.environment = ? and l.order_key = wanted.value ${limit}`,
    [keys, environment],
  );
  if (isTooMuch(lines)) return undefined;
  for (const row of lines) orderOf(found, row).ledger.push(toLedgerLine(row));
  return found;
}

/**
 * Those of these orders of which a record was read that is in no sum: it is in quarantine, or nobody
 * knows its currency. What seems not to be paid may be paid by it.
 */
export async function unplacedOrders(
  bulk: BulkConnection,
  environment: string,
  orderKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = JSON.stringify(orderKeys);
  const of = (table: string, condition: string) =>
    `select t.order_key from ${textsOf(bulk)} wanted cross join ${table} t
    where t.environment = ? and t.order_key = wanted.value ${condition}`;
  const rows = await bulk.rows(
    `${of('funding_quarantine', '')} union ${of('fundings', `and t.currency = ''`)}`,
    [keys, environment, keys, environment],
  );
  return new Set(rows.map(([orderKey]) => text(orderKey)));
}

interface Collected extends OrderPlace {
  merchantOrderId: string | undefined;
  ledger: LedgerLine[];
  fundings: FundingLine[];
}

function orderOf(found: LinesOfOrders, row: ValueRow): Collected {
  const place = { orderKey: text(row[0]), currency: text(row[1]) };
  const key = placeKey(place);
  let order = found.get(key) as Collected | undefined;
  if (!order) {
    order = { ...place, merchantOrderId: optional(row[2]), ledger: [], fundings: [] };
    found.set(key, order);
  }
  return order;
}

function toFunding(row: ValueRow): FundingLine {
  return {
    id: text(row[3]),
    status: text(row[4]),
    transactionType: text(row[5]),
    transactionAmount: Number(row[6]),
    discountAmount: Number(row[7]),
    netAmount: Number(row[8]),
    fundedAt: Number(row[9]),
    updatedAt: Number(row[10]),
    lenderName: text(row[11]),
    transactionId: optional(row[12]),
    merchantTransactionId: optional(row[13]),
    lenderReferenceId: optional(row[14]),
    productType: optional(row[15]),
    promoCode: optional(row[16]),
  };
}

function toLedgerLine(row: ValueRow): LedgerLine {
  return {
    id: text(row[3]),
    type: row[4] === 'Refund' ? 'Refund' : 'Settle',
    amount: Number(row[5]),
    occurredAt: Number(row[6]),
    transactionId: optional(row[7]),
    merchantTransactionId: optional(row[8]),
    lenderReferenceId: optional(row[9]),
  };
}

function text(value: Value | undefined): string {
  return String(value);
}

function optional(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
