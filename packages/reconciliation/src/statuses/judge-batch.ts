import { hash } from 'node:crypto';
import {
  cashFlows,
  type OrderLines,
  type OrderStatus,
  type Policy,
  postedClaims,
  postedDiscounts,
  reconcileOrder,
} from '@financing-checkout/reconciliation-rules';
import type { Cell } from './append.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { type JudgedTableName, judgedTables } from './judged-tables.ts';
import {
  type Columns,
  contentOf,
  fundingAt,
  ledgerLineAt,
  statusKey,
  unplacedAt,
} from './order-lines.ts';

/** A batch of orders and their lines, in columns, which can be sent to another thread. */
export interface Batch {
  /**
   * Order key and its hash, currency, previous headline and its time, whether a record is
   * quarantined, and whether the currency is guessed.
   */
  orders: Columns;
  /** Columns in the order of `fundingColumns` and `ledgerColumns`. */
  fundings: Columns;
  ledger: Columns;
  /**
   * Fundings of unknown currency, once for each currency of their order, as read by {@link
   * unplacedAt}.
   */
  unplaced: Columns;
}

type Cells = Cell[];

/** Columns of the rows to append, and the orders that could not be judged. */
export interface JudgedBatch {
  rows: Record<JudgedTableName, Cells[]>;
  /** Orders without a status because their totals are not exact. */
  failed: number;
}

/** Values shared by all rows of a pass. */
export interface PassTerms {
  policy: Policy;
  /** Number of the pass. */
  judged: number;
}

/**
 * Judges orders by the rules: statuses, exceptions, cash flows, discounts and claims. Pure; runs in
 * a worker thread.
 */
export function judgeBatch(batch: Batch, { policy, judged }: PassTerms): JudgedBatch {
  const rows = noRows();
  const add = (table: JudgedTableName, row: Cells) => {
    rows[table].forEach((column, index) => column.push(row[index] ?? null));
  };
  const notWhole = { ...policy, complete: false };
  const fundings = linesByStatus(batch.fundings, fundingAt);
  const ledger = linesByStatus(batch.ledger, ledgerLineAt);
  const mayPay = linesByStatus(batch.unplaced, unplacedAt);
  const [keys = [], hashes = [], currencies = [], headlines = [], ...others] = batch.orders;
  const [times = [], unplaced = [], assumed = []] = others;
  let failed = 0;
  keys.forEach((key, index) => {
    const orderKey = String(key);
    const currency = String(currencies[index]);
    const status = statusKey(orderKey, currency);
    const order: OrderLines = {
      merchantOrderId: merchantOrderIdOf(orderKey),
      currency,
      ledger: ledger.get(status) ?? [],
      fundings: fundings.get(status) ?? [],
      unplaced: mayPay.get(status)?.filter((funding) => funding !== undefined),
    };
    // A quarantined record may be the payment for a line that looks unpaid.
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
    const first = [orderKey, Number(hashes[index])];
    add('statuses', [...first, ...statusRow(order, outcome.status), ...last]);
    for (const row of outcome.exceptions)
      add('exceptions', [orderKey, currency, ...row, isAssumed]);
    // Amounts in a guessed currency are never added up.
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

function linesByStatus<Line>(
  columns: Columns,
  lineAt: (columns: Columns, row: number) => Line,
): Map<string, Line[]> {
  const found = new Map<string, Line[]>();
  const [keys = [], currencies = []] = columns;
  for (let row = 0; row < keys.length; row++) {
    const key = statusKey(String(keys[row]), String(currencies[row]));
    const others = found.get(key);
    if (others) others.push(lineAt(columns, row));
    else found.set(key, [lineAt(columns, row)]);
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

/** Returns undefined for an order whose totals are not exact. */
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
      claims: postedClaims(order, policy).map(({ at, sums }) => [
        sums.lender,
        at,
        sums.status,
        sums.all.count,
        sums.all.amount,
        sums.wrong.count,
        sums.wrong.amount,
      ]),
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
  // While data is missing, late payments are not reported. That changes with each sync and day, so
  // the content hash excludes it: a person's decision is based on complete data.
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
  return postedDiscounts(order, policy).map(({ at, sums }) => [
    sums.lender,
    at,
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

function statusRow({ currency }: OrderLines, status: OrderStatus): Cells {
  const { expected, funded } = status;
  return [
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
  ];
}
