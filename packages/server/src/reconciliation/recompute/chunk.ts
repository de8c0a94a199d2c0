import {
  type OrderLines,
  type OrderStatus,
  type Policy,
  reconcileOrder,
} from '@financing-checkout/reconciliation-rules';
import type { BulkConnection, BulkTable, BulkWriter, ValueRow } from './bulk.ts';
import { fence, type Holder } from './lease.ts';
import { type LinesOfOrders, placeKey, readLines, unplacedOrders } from './lines.ts';
import { type PackedOrders, packOrders, unpackOrders } from './packed-orders.ts';
import { addUnexplained, fenceRange, type Range } from './ranges.ts';
import { from, type Scope } from './scope.ts';
import {
  addChanges,
  contentOf,
  type JudgedOrder,
  keyOfStatus,
  noChanges,
  readStanding,
  type StatusChanges,
  writeChanges,
  writePaid,
} from './statuses.ts';
import { type OrderPlace, surveyOrders } from './survey.ts';

/** What a chunk is worked at with. */
export interface ChunkContext {
  bulk: BulkConnection;
  /** SHA-256 in hexadecimal. */
  hash: (text: string) => string;
}

/** Orders to be computed in one go, and for whom: it can be sent to another thread. */
export interface ChunkTask {
  scope: Scope;
  policy: Policy;
  holder: Holder;
  /** Whether the holder has the lease; who helps another companion has a range alone. */
  leads: boolean;
  range: Range | undefined;
  /** Whether plain orders are told from others first; else all that are marked are judged one by one. */
  isSurveyed: boolean;
}

/** What came of some orders. */
export interface ChunkResult {
  /** Orders that were not plainly as they stood. */
  judged: number;
  /** Orders whose status or exceptions were written anew. */
  changed: number;
  /** Of these, the ones that nobody had said had changed. */
  unexplained: number;
  /** Orders that could not be summed, or have too many lines. */
  failed: number;
}

/** Orders whose lines are in memory at once, unless they have too many. */
const BATCH = 1_000;

const markColumns: BulkTable['columns'] = [
  ['environment', 'text'],
  ['order_key', 'text'],
  ['generation', 'bigint'],
];

/** What was found of some orders, and is to be written: it can be sent to another thread. */
export interface ChunkFindings {
  /** The marks that are answered with it. */
  marks: ValueRow[];
  paid: PackedOrders;
  changes: StatusChanges;
  result: ChunkResult;
}

/**
 * Computes the statuses of the orders of a scope: it reads without a lock and writes nothing. The
 * marks of changed orders are read before the lines, and only those are taken away afterwards: lines
 * that change meanwhile leave a mark that stays.
 */
export async function examineChunk(context: ChunkContext, task: ChunkTask): Promise<ChunkFindings> {
  const { bulk } = context;
  const { scope, policy } = task;
  const marks = await marksOf(bulk, scope);
  const { paid, others } = task.isSurveyed
    ? await surveyOrders(bulk, scope, policy)
    : { paid: [], others: undefined };
  const changes = noChanges();
  const wanted = others && new Set(others.map(placeKey));
  const keys = others ? [...new Set(others.map(({ orderKey }) => orderKey))] : [...marks.keys()];
  let [judged, failed] = [paid.length, 0];
  let size = BATCH;
  for (let start = 0; start < keys.length;) {
    const batch = keys.slice(start, start + size);
    const lines = await readLines(bulk, scope.environment, batch);
    if (!lines && batch.length > 1) {
      size = Math.ceil(batch.length / 2);
      continue;
    }
    // One that has too many alone is as one without: it has no status.
    if (!lines) failed += 1;
    const known = { keys: batch, lines: lines ?? new Map(), wanted };
    const part = await judge(context, task, known, changes);
    judged += part.judged;
    failed += part.failed;
    start += batch.length;
  }
  const places = placesOf(changes);
  const changed = [...paid.map(({ orderKey }) => orderKey), ...places.values()];
  const unmarked = changed.filter((orderKey) => !marks.has(orderKey));
  // Lines that changed since the marks were read, and that were seen so, have their mark by now.
  const since = unmarked.length > 0 ? await marksOf(bulk, scope) : marks;
  return {
    marks: [...marks].map(([key, generation]) => [scope.environment, key, generation]),
    paid: packOrders(paid),
    changes,
    result: {
      judged,
      changed: changed.length,
      unexplained: unmarked.filter((orderKey) => !since.has(orderKey)).length,
      failed,
    },
  };
}

/**
 * Writes what was found, in a short transaction.
 * @param isCheck whether what nobody had said had changed is an alarm: it is kept until it is raised
 */
export async function writeFindings(
  { bulk, now }: { bulk: BulkConnection; now: () => number },
  task: ChunkTask,
  { marks, paid, changes, result }: ChunkFindings,
  isCheck: boolean,
): Promise<void> {
  if (marks.length === 0 && result.changed === 0) return;
  await bulk.write(async (writer) => {
    await fenceTask(writer, task, now());
    await writer.remove('dirty_orders', markColumns, marks);
    await writePaid(writer, task.scope.environment, unpackOrders(paid), task.policy.now);
    await writeChanges(writer, changes);
    if (isCheck && result.unexplained > 0) {
      await addUnexplained(writer, task.scope.environment, result.unexplained);
    }
  });
}

/** @throws {LeaseLostError} where another one has taken over */
async function fenceTask(
  writer: BulkWriter,
  { holder, leads, range }: ChunkTask,
  now: number,
): Promise<void> {
  if (leads) await fence(writer, holder, now);
  if (range) await fenceRange(writer, holder, range, now);
}

async function marksOf(bulk: BulkConnection, scope: Scope): Promise<Map<string, number>> {
  const { sql, parameters } = from('dirty_orders', 'd', { ...scope, kind: 'all' });
  const rows = await bulk.rows(`select d.order_key, d.generation ${sql}`, parameters);
  return new Map(rows.map(([key, generation]) => [String(key), Number(generation)] as const));
}

/** Some orders, with their lines. */
interface Batch {
  keys: readonly string[];
  lines: LinesOfOrders;
  /** In which currencies; undefined: in all they have. */
  wanted: ReadonlySet<string> | undefined;
}

/**
 * Adds what is to be written of some orders.
 * @returns how many there are, and how many of them cannot be summed
 */
async function judge(
  { bulk, hash }: ChunkContext,
  { policy, scope: { environment } }: ChunkTask,
  { keys, lines, wanted }: Batch,
  changes: StatusChanges,
): Promise<Pick<ChunkResult, 'judged' | 'failed'>> {
  const standing = await readStanding(bulk, environment, keys);
  const unplaced = await unplacedOrders(bulk, environment, keys);
  const notWhole = { ...policy, complete: false };
  const judged: JudgedOrder[] = [];
  let failed = 0;
  const found = new Set([
    ...lines.keys(),
    ...standing.statuses.keys(),
    ...standing.exceptions.keys(),
  ]);
  const places = wanted ? [...found].filter((place) => wanted.has(place)) : [...found];
  for (const place of places) {
    const order = lines.get(place);
    const terms = order && unplaced.has(order.orderKey) ? notWhole : policy;
    const outcome = order && judgeOrder(order, terms, hash);
    const row = standing.statuses.get(place) ?? standing.exceptions.get(place)?.[0];
    if (outcome) judged.push(outcome);
    // Without lines, or not to be summed: better no status than one that is not exact.
    else if (row) changes.goneStatuses.push(keyOfStatus(row));
    if (order && !outcome) failed += 1;
  }
  addChanges(changes, environment, judged, standing, policy.now);
  return { judged: places.length, failed };
}

/** Undefined for an order that cannot be summed exactly. */
function judgeOrder(
  order: OrderLines & OrderPlace,
  policy: Policy,
  hash: (text: string) => string,
): JudgedOrder | undefined {
  const ruled = statusOf(order, policy);
  if (!ruled) return undefined;
  const { exceptions, ...status } = ruled;
  const { expected, funded } = status;
  const isSettled =
    exceptions.length === 0 &&
    status.recheckAt === undefined &&
    expected.settle === funded.settle &&
    expected.refund === funded.refund;
  const linesHash = isSettled ? '' : hash(contentOf(order));
  // What is late is not said while data is missing. That comes and goes with a sync and with each day,
  // and is no other content: who decided on it decided on what it is when all is there.
  const whole =
    policy.complete || exceptions.length === 0
      ? exceptions
      : statusOf(order, { ...policy, complete: true })?.exceptions;
  const lasting = new Map(whole?.map((exception) => [exception.code, exception]));
  return {
    orderKey: order.orderKey,
    currency: order.currency,
    merchantOrderId: order.merchantOrderId ?? null,
    status,
    exceptions: exceptions.map((exception) => {
      const { code, amount, count, since } = lasting.get(exception.code) ?? exception;
      const contentHash = hash(`${code} ${amount} ${count} ${since} ${linesHash}`);
      return { ...exception, contentHash };
    }),
    linesHash,
  };
}

function statusOf(order: OrderLines, policy: Policy): OrderStatus | undefined {
  try {
    return reconcileOrder(order, policy);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The keys of all orders that change, by place. */
function placesOf(changes: StatusChanges): Map<string, string> {
  const places = new Map<string, string>();
  for (const rows of Object.values(changes) as ValueRow[][]) {
    for (const [, orderKey, currency] of rows) {
      places.set(`${String(currency)} ${String(orderKey)}`, String(orderKey));
    }
  }
  return places;
}
