import {
  type FundingLine,
  type LedgerLine,
  type OrderLines,
  type OrderStatus,
  type Policy,
  reconcileOrder,
} from '@financing-checkout/reconciliation-rules';
import { onTestFinished } from 'vitest';
import { hashedTables } from '../analytics/key-hash.ts';
import { macros } from '../analytics/macros.ts';
import { tables } from '../analytics/schema.ts';
import type { RevisedDatabase } from '../analytics/database.ts';
import { type Database, Session } from '../analytics/session.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { readLedgerStarts } from './ledger-starts.ts';
import { type Batch, judgeBatch, type PassTerms } from './judge-batch.ts';
import type { BatchJudge } from './rules-thread.ts';

export const DAY_MS = 86_400_000;
export const NOW = Date.UTC(2026, 2, 31, 12);

/** An order as stored in the tables. */
export interface BookedOrder {
  orderKey: string;
  currency: string;
  ledger: LedgerLine[];
  fundings: FundingLine[];
}

/** Opens an empty in-memory analytics database until the end of the test. */
export async function openDatabase(): Promise<RevisedDatabase> {
  const session = await Session.open({
    file: ':memory:',
    memoryLimit: '256MB',
    spillLimit: '1GB',
    threads: 1,
    readable: [],
  });
  await session.write(async (connection) => {
    await connection.run(tables);
    await connection.run(macros);
  });
  onTestFinished(() => session.end());
  let revision = 0;
  return {
    read: (work, signal) => session.read(work, signal),
    async write(work, signal) {
      revision += 1;
      return session.write(work, signal);
    },
    revision: () => revision,
    writes: () => revision,
  };
}

/** Judges in the calling thread. */
export const rulesHere: BatchJudge = {
  judge: (batch: Batch, terms: PassTerms) => Promise.resolve(judgeBatch(batch, terms)),
  close: () => Promise.resolve(),
};

type Cell = string | number | boolean | null | undefined;

/** Inserts rows from objects keyed by column. */
export async function insert(
  database: Database,
  table: string,
  rows: readonly Record<string, Cell>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const isHashed = hashedTables.some((name) => name === table);
  const columns = Object.keys(first);
  const literal = (value: Cell) => {
    if (value === undefined || value === null) return 'null';
    if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
    return String(value);
  };
  const values = rows.map((row) => `(${columns.map((name) => literal(row[name])).join(', ')})`);
  await database.write((connection) =>
    connection.run(`insert into ${table} by name
      select *${isHashed ? ', hash_of_key(order_key) as key_hash' : ''}
      from (values ${values.join(', ')}) t(${columns.join(', ')})`),
  );
}

/** Returns a funding as a row of the table fundings. */
export function fundingRow(
  { orderKey, currency }: Pick<BookedOrder, 'orderKey' | 'currency'>,
  line: FundingLine,
): Record<string, Cell> {
  return {
    day: '2026-03-01',
    since: 1,
    id: line.id,
    identity: line.id,
    hash: '00000000-0000-0000-0000-000000000000',
    order_key: orderKey,
    merchant_order_id: merchantOrderIdOf(orderKey),
    currency,
    assumed: false,
    status: line.status,
    transaction_type: line.transactionType,
    lender_name: line.lenderName,
    transaction_amount: line.transactionAmount,
    discount_amount: line.discountAmount,
    net_amount: line.netAmount,
    funded_at: line.fundedAt,
    updated_at: line.updatedAt,
    transaction_id: line.transactionId,
    merchant_transaction_id: line.merchantTransactionId,
    lender_reference_id: line.lenderReferenceId,
    product_type: line.productType,
    promo_code: line.promoCode,
    problem: null,
  };
}

/** Replaces all orders in the tables. */
export async function book(database: Database, list: readonly BookedOrder[]): Promise<void> {
  await database.write(async (connection) => {
    await connection.run('delete from fundings');
    await connection.run('delete from ledger_lines');
  });
  await addOrders(database, list);
}

/** Adds orders' lines to the tables. */
export async function addOrders(database: Database, list: readonly BookedOrder[]): Promise<void> {
  await insert(
    database,
    'ledger_lines',
    list.flatMap(({ orderKey, currency, ledger }) =>
      ledger.map((line) => ({
        order_key: orderKey,
        currency,
        id: line.id,
        merchant_order_id: merchantOrderIdOf(orderKey) ?? '',
        type: line.type,
        amount: line.amount,
        occurred_at: line.occurredAt,
        transaction_id: line.transactionId,
        merchant_transaction_id: line.merchantTransactionId,
        lender_reference_id: line.lenderReferenceId,
        own: true,
        source: 'import',
      })),
    ),
  );
  await insert(
    database,
    'fundings',
    list.flatMap((order) => order.fundings.map((line) => fundingRow(order, line))),
  );
}

/** Marks orders as changed. */
export async function mark(database: Database, keys: Iterable<string>): Promise<void> {
  await insert(
    database,
    'dirty_orders',
    [...new Set(keys)].map((key) => ({ order_key: key })),
  );
}

/** Returns a query's rows, with integers as numbers. */
export async function rowsOf(database: Database, sql: string): Promise<Record<string, unknown>[]> {
  const reader = await database.read((connection) => connection.runAndReadAll(sql));
  return reader
    .getRowObjects()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'bigint' ? Number(value) : value,
        ]),
      ),
    );
}

/** Statuses by order, in the rules' format. */
export type Statuses = Record<string, OrderStatus>;

/** Returns the statuses as stored in the tables. */
export async function statusesIn(database: Database): Promise<Statuses> {
  const keyOf = (row: Record<string, unknown>) =>
    `${String(row.currency)} ${String(row.order_key)}`;
  const exceptions = Map.groupBy(await rowsOf(database, 'from order_exceptions'), keyOf);
  const statuses = await rowsOf(database, 'from order_statuses');
  return Object.fromEntries(
    statuses.map((row) => {
      const own = exceptions.get(keyOf(row)) ?? [];
      const status = {
        funding: row.funding,
        returns: row.returns,
        headline: row.headline,
        expected: { settle: row.expected_settle, refund: row.expected_refund },
        funded: {
          settle: row.funded_settle,
          refund: row.funded_refund,
          chargeback: row.funded_chargeback,
          reversal: row.funded_reversal,
        },
        discount: row.discount,
        net: row.net,
        awaiting: row.awaiting,
        recheckAt: row.recheck_at ?? undefined,
        exceptions: own
          .map(({ code, amount, count, since }) => ({ code, amount, count, since }))
          .sort((a, b) => (String(a.code) < String(b.code) ? -1 : 1)),
      };
      return [keyOf(row), status as OrderStatus];
    }),
  );
}

/** Returns an order as input for the rules. */
export function linesOf({ orderKey, currency, ledger, fundings }: BookedOrder): OrderLines {
  return { merchantOrderId: merchantOrderIdOf(orderKey), currency, ledger, fundings };
}

/** Returns an order's status by the rules; undefined if it has no lines or no exact totals. */
function statusOf(order: BookedOrder, policy: Policy): OrderStatus | undefined {
  if (order.ledger.length + order.fundings.length === 0) return undefined;
  try {
    return reconcileOrder(linesOf(order), policy);
  } catch {
    return undefined;
  }
}

/** Returns the orders that have lines and exact totals. */
export function judgeable(list: readonly BookedOrder[], policy: Policy): BookedOrder[] {
  return list.filter((order) => statusOf(order, policy));
}

/** Returns the policy for a pass over the database, with the start of its ledger. */
export async function judgedBy(database: Database, policy: Policy): Promise<Policy> {
  const { starts } = await database.read(readLedgerStarts);
  return { ...policy, ledgerStarts: starts };
}

export function ruled(list: readonly BookedOrder[], policy: Policy): Statuses {
  return Object.fromEntries(
    list.flatMap((order) => {
      const status = statusOf(order, policy);
      if (!status) return [];
      const exceptions = [...status.exceptions].sort((a, b) => (a.code < b.code ? -1 : 1));
      return [[`${order.currency} ${order.orderKey}`, { ...status, exceptions }]];
    }),
  );
}
