import { type OrderLines, type Policy, reconcileOrder } from '@financing-checkout/reconciliation';
import type { BulkConnection, BulkTable, BulkWriter, ValueRow } from './bulk.ts';
import { type LinesOfOrders, placeKey, readLines } from './lines.ts';
import { from, type Scope } from './scope.ts';
import {
  changesOf,
  contentOf,
  isEmpty,
  type JudgedOrder,
  noChanges,
  paidRow,
  readStanding,
  type StatusChanges,
  writeChanges,
} from './statuses.ts';
import { type OrderPlace, surveyOrders } from './survey.ts';

export interface ChunkContext {
  bulk: BulkConnection;
  policy: Policy;
  /** SHA-256 in hexadecimal. */
  hash: (text: string) => string;
  /** Takes part in the transaction that writes, and throws where another one has taken over. */
  fence: (writer: BulkWriter) => Promise<void>;
}

/** What came of some orders. */
export interface ChunkResult {
  /** Orders that were not plainly as they stood. */
  judged: number;
  /** Orders whose status or exceptions were written anew. */
  changed: number;
  /** Of these, the ones that nobody had said had changed. */
  unexplained: number;
  /** Orders that could not be summed. */
  failed: number;
}

/** Orders whose lines are in memory at once. */
const BATCH = 1_000;

const markColumns: BulkTable['columns'] = [
  ['environment', 'text'],
  ['order_key', 'text'],
  ['generation', 'bigint'],
];

/**
 * Computes the statuses of the orders of a scope. Reads first and without a lock, then writes in a
 * short transaction. The marks of changed orders are read before the lines, and only those are taken
 * away again: lines that change meanwhile leave a mark that stays.
 */
export async function recomputeChunk(context: ChunkContext, scope: Scope): Promise<ChunkResult> {
  const { bulk, policy } = context;
  const { environment } = scope;
  const marks = await marksOf(bulk, scope);
  const { paid, others, gone } = await surveyOrders(bulk, scope, policy);
  const judgedChanges: StatusChanges[] = [];
  let failed = 0;
  for (let start = 0; start < others.length; start += BATCH) {
    const part = others.slice(start, start + BATCH);
    const { changes, unsummed } = await judge(context, environment, part);
    judgedChanges.push(changes);
    failed += unsummed;
  }
  const changes = noChanges();
  changes.statuses = paid.map((order) => paidRow(environment, order, policy.now));
  for (const { orderKey, currency } of gone) {
    changes.goneStatuses.push([environment, orderKey, currency]);
  }
  for (const each of judgedChanges) {
    changes.statuses = changes.statuses.concat(each.statuses);
    changes.exceptions = changes.exceptions.concat(each.exceptions);
    changes.goneExceptions = changes.goneExceptions.concat(each.goneExceptions);
    changes.goneStatuses = changes.goneStatuses.concat(each.goneStatuses);
  }
  if (marks.size > 0 || !isEmpty(changes)) {
    await bulk.write(async (writer) => {
      await context.fence(writer);
      const rows = [...marks].map(([key, generation]): ValueRow => [environment, key, generation]);
      await writer.remove('dirty_orders', markColumns, rows);
      await writeChanges(writer, changes);
    });
  }
  const { changed, unexplained } = ordersOf(changes, marks);
  return { judged: paid.length + others.length + gone.length, changed, unexplained, failed };
}

async function marksOf(bulk: BulkConnection, scope: Scope): Promise<Map<string, number>> {
  const { sql, parameters } = from('dirty_orders', 'd', { ...scope, kind: 'all' });
  const rows = await bulk.rows(`select d.order_key, d.generation ${sql}`, parameters);
  return new Map(rows.map(([key, generation]) => [String(key), Number(generation)] as const));
}

async function judge(
  { bulk, policy, hash }: ChunkContext,
  environment: string,
  places: readonly OrderPlace[],
): Promise<{ changes: StatusChanges; unsummed: number }> {
  const keys = [...new Set(places.map(({ orderKey }) => orderKey))];
  const lines: LinesOfOrders = await readLines(bulk, environment, keys);
  const standing = await readStanding(bulk, environment, keys);
  const judged: JudgedOrder[] = [];
  const failed: ValueRow[] = [];
  const wanted = new Set(places.map(placeKey));
  for (const [place, order] of lines) {
    // In another currency it may stand already.
    if (!wanted.has(place)) continue;
    try {
      judged.push(judgeOrder(order, policy, hash));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Better no status than one that is not exact.
      failed.push([environment, order.orderKey, order.currency]);
    }
  }
  const changes = changesOf(environment, judged, standing, policy.now);
  const stands = ([, orderKey, currency]: ValueRow) =>
    standing.statuses.has(placeKey({ orderKey: String(orderKey), currency: String(currency) }));
  changes.goneStatuses = failed.filter(stands);
  return { changes, unsummed: failed.length };
}

function judgeOrder(
  order: OrderLines & OrderPlace,
  policy: Policy,
  hash: (text: string) => string,
): JudgedOrder {
  const { exceptions, ...status } = reconcileOrder(order, policy);
  const { expected, funded } = status;
  const isSettled =
    exceptions.length === 0 &&
    status.recheckAt === undefined &&
    expected.settle === funded.settle &&
    expected.refund === funded.refund;
  const linesHash = isSettled ? '' : hash(contentOf(order));
  return {
    orderKey: order.orderKey,
    currency: order.currency,
    merchantOrderId: order.merchantOrderId ?? null,
    status,
    exceptions: exceptions.map((exception) => {
      const { code, amount, count, since } = exception;
      const contentHash = hash(`${code} ${amount} ${count} ${since} ${linesHash}`);
      return { ...exception, contentHash };
    }),
    linesHash,
  };
}

function ordersOf(
  { statuses, exceptions, goneExceptions, goneStatuses }: StatusChanges,
  marks: ReadonlyMap<string, number>,
): { changed: number; unexplained: number } {
  const places = new Map<string, string>();
  for (const rows of [statuses, exceptions, goneExceptions, goneStatuses]) {
    for (const [, orderKey, currency] of rows) {
      places.set(`${String(currency)} ${String(orderKey)}`, String(orderKey));
    }
  }
  let unexplained = 0;
  for (const orderKey of places.values()) if (!marks.has(orderKey)) unexplained += 1;
  return { changed: places.size, unexplained };
}
