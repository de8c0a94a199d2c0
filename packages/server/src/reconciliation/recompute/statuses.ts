import type { ReturnsAxis } from '@financing-checkout/contract';
import type { OrderException, OrderLines, OrderStatus } from '@financing-checkout/reconciliation-rules';
import { merchantOrderIdOf } from '../../order-key.ts';
import {
  type BulkConnection,
  type BulkTable,
  type BulkWriter,
  textsOf,
  type Value,
  type ValueRow,
} from './bulk.ts';
import { placeKey } from './lines.ts';
import { type PaidOrder, returnsOf } from './paid-order.ts';
import type { OrderPlace } from './survey.ts';

/** What is to be written of an order. */
export interface JudgedOrder extends OrderPlace {
  merchantOrderId: string | null;
  status: Omit<OrderStatus, 'exceptions'>;
  exceptions: readonly (OrderException & { contentHash: string })[];
  /** Of its lines, where time or somebody has yet to do something about it; else empty. */
  linesHash: string;
}

const statusTable: BulkTable = {
  name: 'order_statuses',
  columns: [
    ['environment', 'text'],
    ['order_key', 'text'],
    ['currency', 'text'],
    ['merchant_order_id', 'text'],
    ['funding', 'text'],
    ['returns', 'text'],
    ['headline', 'text'],
    ['expected_settle', 'bigint'],
    ['expected_refund', 'bigint'],
    ['funded_settle', 'bigint'],
    ['funded_refund', 'bigint'],
    ['funded_chargeback', 'bigint'],
    ['funded_reversal', 'bigint'],
    ['discount', 'bigint'],
    ['net', 'bigint'],
    ['awaiting', 'bigint'],
    ['recheck_at', 'bigint'],
    ['lines_hash', 'text'],
    ['computed_at', 'bigint'],
    ['changed_at', 'bigint'],
  ],
  key: ['environment', 'order_key', 'currency'],
  since: { column: 'changed_at', of: 'headline' },
};
/** Of the columns between the key and the times: what is compared, and starts behind the key. */
const COMPARED = { from: 3, to: 18 };

const exceptionTable: BulkTable = {
  name: 'order_exceptions',
  columns: [
    ['environment', 'text'],
    ['order_key', 'text'],
    ['currency', 'text'],
    ['code', 'text'],
    ['amount', 'bigint'],
    ['count', 'bigint'],
    ['since', 'bigint'],
    ['content_hash', 'text'],
  ],
  key: ['environment', 'order_key', 'currency', 'code'],
};

/** How orders stand in the tables, by place. */
export interface Standing {
  statuses: Map<string, ValueRow>;
  /** By place, then by code. */
  exceptions: Map<string, ValueRow[]>;
}

/** Reads how orders stand. */
export async function readStanding(
  bulk: BulkConnection,
  environment: string,
  orderKeys: readonly string[],
): Promise<Standing> {
  const keys = JSON.stringify(orderKeys);
  const rowsOf = (table: BulkTable) => {
    const columns = table.columns.map(([name]) => `t.${name}`).join(', ');
    return bulk.rows(
      `select ${columns} from ${textsOf(bulk)} wanted cross join ${table.name} t
      where t.environment = ? and t.order_key = wanted.value`,
      [keys, environment],
    );
  };
  const standing: Standing = { statuses: new Map(), exceptions: new Map() };
  for (const row of await rowsOf(statusTable)) standing.statuses.set(keyOf(row), row);
  for (const row of await rowsOf(exceptionTable)) {
    const key = keyOf(row);
    const others = standing.exceptions.get(key);
    if (others) others.push(row);
    else standing.exceptions.set(key, [row]);
  }
  return standing;
}

/** Rows to be written, and what is to be taken away. */
export interface StatusChanges {
  statuses: ValueRow[];
  exceptions: ValueRow[];
  /** Keys. */
  goneExceptions: ValueRow[];
  goneStatuses: ValueRow[];
}

export function noChanges(): StatusChanges {
  return { statuses: [], exceptions: [], goneExceptions: [], goneStatuses: [] };
}

/** Adds what has to change for the orders to stand as they were judged; nothing where they do. */
export function addChanges(
  changes: StatusChanges,
  environment: string,
  judged: readonly JudgedOrder[],
  standing: Standing,
  now: number,
): void {
  for (const order of judged) {
    const { orderKey, currency } = order;
    const key = placeKey(order);
    const row = statusRow(environment, order, now);
    const before = standing.statuses.get(key);
    if (!before || !isSame(row, before)) changes.statuses.push(row);
    const old = new Map((standing.exceptions.get(key) ?? []).map((it) => [it[3], it] as const));
    for (const { code, amount, count, since, contentHash } of order.exceptions) {
      const exception = [
        environment,
        orderKey,
        currency,
        code,
        amount,
        count,
        since,
        contentHash,
      ] satisfies ValueRow;
      const was = old.get(code);
      old.delete(code);
      if (!was || exception.some((value, at) => value !== was[at])) {
        changes.exceptions.push(exception);
      }
    }
    for (const code of old.keys()) {
      if (code !== undefined) changes.goneExceptions.push([environment, orderKey, currency, code]);
    }
  }
}

/** Orders that are paid in full differ in few columns. */
function paidTable(
  environment: string,
  currency: string,
  returns: ReturnsAxis,
  now: number,
): BulkTable {
  const same = {
    environment,
    currency,
    funding: 'FUNDED',
    returns,
    headline: returns === 'NONE' ? 'FUNDED' : returns,
    funded_chargeback: 0,
    funded_reversal: 0,
    awaiting: 0,
    recheck_at: null,
    lines_hash: '',
    computed_at: now,
    changed_at: now,
  };
  const columns = statusTable.columns.filter(([name]) => !Object.hasOwn(same, name));
  return { ...statusTable, columns, same };
}

export async function writePaid(
  writer: BulkWriter,
  environment: string,
  orders: readonly PaidOrder[],
  now: number,
): Promise<void> {
  const groups = Map.groupBy(orders, (order) => `${order.currency} ${returnsOf(order)}`);
  for (const alike of groups.values()) {
    const [one] = alike;
    if (!one) continue;
    const table = paidTable(environment, one.currency, returnsOf(one), now);
    await writer.upsert(table, alike.map(paidRow));
  }
  const stood = orders.filter((order) => order.stood);
  await writer.remove(
    exceptionTable.name,
    keyColumns(exceptionTable, 3),
    stood.map(({ orderKey, currency }) => [environment, orderKey, currency]),
  );
}

function paidRow({ orderKey, settle, refund, discount, net }: PaidOrder): ValueRow {
  const merchantOrderId = merchantOrderIdOf(orderKey) ?? null;
  return [orderKey, merchantOrderId, settle, refund, settle, refund, discount, net];
}

export async function writeChanges(writer: BulkWriter, changes: StatusChanges): Promise<void> {
  await writer.upsert(statusTable, changes.statuses);
  await writer.remove(exceptionTable.name, keyColumns(exceptionTable, 4), changes.goneExceptions);
  await writer.upsert(exceptionTable, changes.exceptions);
  await writer.remove(exceptionTable.name, keyColumns(statusTable, 3), changes.goneStatuses);
  await writer.remove(statusTable.name, keyColumns(statusTable, 3), changes.goneStatuses);
}

/** The values of its key. */
export function keyOfStatus(row: ValueRow): ValueRow {
  return row.slice(0, statusTable.key.length);
}

const keyColumns = ({ columns }: BulkTable, count: number) => columns.slice(0, count);

function statusRow(environment: string, order: JudgedOrder, now: number): ValueRow {
  const { status } = order;
  const { expected, funded } = status;
  return [
    environment,
    order.orderKey,
    order.currency,
    order.merchantOrderId,
    status.funding,
    status.returns,
    status.headline,
    expected.settle,
    expected.refund,
    funded.settle,
    funded.refund,
    funded.chargeback,
    funded.reversal,
    status.discount,
    status.net,
    status.awaiting,
    status.recheckAt ?? null,
    order.linesHash,
    now,
    now,
  ];
}

function isSame(row: ValueRow, before: ValueRow): boolean {
  for (let at = COMPARED.from; at < COMPARED.to; at++) if (row[at] !== before[at]) return false;
  return true;
}

function keyOf(row: ValueRow): string {
  const text = (value: Value | undefined) => String(value);
  return placeKey({ orderKey: text(row[1]), currency: text(row[2]) });
}

/** Text that is the same for the same lines, in whichever order they come. */
export function contentOf({ ledger, fundings }: OrderLines): string {
  // `updatedAt` alone is no other content: the service may touch a record and change nothing.
  const parts = [
    ...ledger.map((line) => `L${JSON.stringify(Object.values(line))}`),
    ...fundings.map((line) => `F${JSON.stringify(Object.values({ ...line, updatedAt: 0 }))}`),
  ];
  return parts.sort().join('\n');
}
