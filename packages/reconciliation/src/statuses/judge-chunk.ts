import { hash } from 'node:crypto';
import {
  auditDiscounts,
  cashFlows,
  type OrderLines,
  type OrderStatus,
  type Policy,
  reconcileOrder,
  sweepClaims,
} from '@financing-checkout/reconciliation-rules';
import type { Cell } from './append.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { type JudgedTableName, judgedTables } from './judged-tables.ts';
import {
  type Columns,
  contentOf,
  fundingAt,
  ledgerLineAt,
  placeKey,
  unplacedAt,
} from './order-lines.ts';

/** Some orders with their lines, column by column: it can be sent to another thread. */
export interface Chunk {
  /**
   * Key, currency, headline and time of the status before, whether a record is in no sum, and whether the
   * currency is a guess.
   */
  orders: Columns;
  /** As `fundingColumns` and `ledgerColumns` name them. */
  fundings: Columns;
  ledger: Columns;
  /** Fundings without a currency, of each currency of their order: as {@link unplacedAt} reads them. */
  unplaced: Columns;
}

type Cells = Cell[];

/** Rows to be appended, column by column, and what could not be judged. */
export interface JudgedChunk {
  rows: Record<JudgedTableName, Cells[]>;
  /** Orders that cannot be summed exactly: they have no status. */
  failed: number;
}

/** What rows of a pass have in common. */
export interface PassTerms {
  policy: Policy;
  /** Number of the pass. */
  judged: number;
}

/**
 * Judges orders by the rules: statuses, exceptions, cash flows, discounts and claims. A pure function,
 * in a thread of its own.
 */
export function judgeChunk(chunk: Chunk, { policy, judged }: PassTerms): JudgedChunk {
  const rows = noRows();
  const add = (table: JudgedTableName, row: Cells) => {
    rows[table].forEach((column, index) => column.push(row[index] ?? null));
  };
  const notWhole = { ...policy, complete: false };
  const fundings = linesByPlace(chunk.fundings, fundingAt);
  const ledger = linesByPlace(chunk.ledger, ledgerLineAt);
  const mayPay = linesByPlace(chunk.unplaced, unplacedAt);
  const [keys = [], currencies = [], headlines = [], times = [], ...flags] = chunk.orders;
  const [unplaced = [], assumed = []] = flags;
  let failed = 0;
  keys.forEach((key, index) => {
    const orderKey = String(key);
    const currency = String(currencies[index]);
    const place = placeKey(orderKey, currency);
    const order: OrderLines = {
      merchantOrderId: merchantOrderIdOf(orderKey),
      currency,
      ledger: ledger.get(place) ?? [],
      fundings: fundings.get(place) ?? [],
      unplaced: mayPay.get(place)?.filter((funding) => funding !== undefined),
    };
    // What seems not to be paid may be paid by a record that is in no sum.
    const terms = unplaced[index] === true ? notWhole : policy;
    const outcome = judgeOrder(order, terms);
    if (!outcome) {
      failed += 1;
      return;
    }
    const before = headlines[index];
    const changedAt =
      before === outcome.status.headline && typeof times[index] === 'number'
        ? times[index]
        : policy.now;
    const isAssumed = assumed[index] === true;
    const last = [judged, policy.now, changedAt, isAssumed];
    add('statuses', statusRow(orderKey, order, outcome.status, last));
    for (const row of outcome.exceptions)
      add('exceptions', [orderKey, currency, ...row, isAssumed]);
    // Of a guessed currency nothing is summed.
    if (isAssumed) return;
    for (const row of outcome.flows) add('flows', [orderKey, currency, ...row]);
    for (const row of outcome.discounts) add('discounts', [orderKey, currency, ...row]);
    for (const row of outcome.claims) add('claims', [orderKey, currency, ...row]);
  });
  return { rows, failed };
}

function noRows(): Record<JudgedTableName, Cells[]> {
  const columnsOf = ({ kinds }: { kinds: readonly unknown[] }) => kinds.map((): Cells => []);
  return {
    statuses: columnsOf(judgedTables.statuses),
    exceptions: columnsOf(judgedTables.exceptions),
    flows: columnsOf(judgedTables.flows),
    discounts: columnsOf(judgedTables.discounts),
    claims: columnsOf(judgedTables.claims),
  };
}

function linesByPlace<Line>(
  columns: Columns,
  lineAt: (columns: Columns, row: number) => Line,
): Map<string, Line[]> {
  const found = new Map<string, Line[]>();
  const [keys = [], currencies = []] = columns;
  for (let row = 0; row < keys.length; row++) {
    const place = placeKey(String(keys[row]), String(currencies[row]));
    const others = found.get(place);
    if (others) others.push(lineAt(columns, row));
    else found.set(place, [lineAt(columns, row)]);
  }
  return found;
}

interface Outcome {
  status: OrderStatus;
  exceptions: Cells[];
  flows: Cells[];
  discounts: Cells[];
  claims: Cells[];
}

/** Undefined for an order that cannot be summed exactly. */
function judgeOrder(order: OrderLines, policy: Policy): Outcome | undefined {
  try {
    const status = reconcileOrder(order, policy);
    return {
      status,
      exceptions: exceptionRows(order, status, policy),
      flows: cashFlows(order, policy).map(({ lender, at, step, amount }) => [
        lender,
        at,
        step,
        amount,
      ]),
      discounts: discountRows(order, policy),
      claims: [...sweepClaims(new Map(), order, policy).values()].map(
        ({ lender, status: claim, all, wrong }) => [
          lender,
          claim,
          all.count,
          all.amount,
          wrong.count,
          wrong.amount,
        ],
      ),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function exceptionRows(order: OrderLines, status: OrderStatus, policy: Policy): Cells[] {
  const { exceptions } = status;
  if (exceptions.length === 0) return [];
  const linesHash = hash('sha256', contentOf(order), 'hex');
  // What is late is not called so while data is missing. That comes and goes with a sync and with each
  // day, and is no other content: a person who decided on it decided on what it is once all is there.
  const whole = policy.complete
    ? exceptions
    : reconcileOrder(order, { ...policy, complete: true }).exceptions;
  const lasting = new Map(whole.map((exception) => [exception.code, exception]));
  return exceptions.map((exception) => {
    const { code, amount, count, since } = lasting.get(exception.code) ?? exception;
    const contentHash = hash('sha256', `${code} ${amount} ${count} ${since} ${linesHash}`, 'hex');
    return [exception.code, exception.amount, exception.count, exception.since, contentHash];
  });
}

function discountRows(order: OrderLines, policy: Policy): Cells[] {
  return [...auditDiscounts(new Map(), order, policy).values()].map((sums) => [
    sums.lender,
    sums.productType ?? null,
    sums.promoCode ?? null,
    sums.basisPoints ?? null,
    sums.perSettle,
    sums.agreedFrom ?? null,
    sums.settles.count,
    sums.settles.amount,
    sums.settles.discount,
    sums.settles.variance,
    sums.refunds.count,
    sums.refunds.amount,
    sums.refunds.returned,
    sums.refunds.variance,
    sums.refunds.kept,
  ]);
}

function statusRow(
  orderKey: string,
  { currency }: OrderLines,
  status: OrderStatus,
  last: Cells,
): Cells {
  const { expected, funded } = status;
  return [
    orderKey,
    currency,
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
    ...last,
  ];
}
