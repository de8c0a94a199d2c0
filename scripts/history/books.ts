import type { LedgerOptions } from '../../packages/contract/dist/reconciliation/index.js';
import type { Month, SeededLine, SeededOrder } from './sandbox.ts';

const DAY_MS = 86_400_000;

/** A request to the sandbox's control API that acts as a lender. */
export interface LenderAction {
  path: '/fundings' | '/funding-changes';
  body: object;
}

/** A month of the merchant's ledger, and what lenders did in it. */
export interface Books {
  /** What lenders do in addition to the sandbox's own mistakes. */
  lenders: LenderAction[];
  /** The first weeks, as a Shopify order export, which has no transaction ids. */
  shopify: string;
  /** The rest, as an accounting program writes it: semicolons, decimal commas. */
  accounting: string;
}

const queryOf = (options: LedgerOptions) =>
  new URLSearchParams({ options: JSON.stringify(options) }).toString();
/** The query of `POST /ledger` for each file. */
export const readAs = {
  shopify: queryOf({ preset: 'shopify', settleAndRefund: true }),
  accounting: queryOf({
    units: 'major',
    decimal: 'comma',
    delimiter: ';',
    map: {
      order: 'Order',
      type: 'Document',
      amount: 'Amount',
      currency: 'Currency',
      date: 'Date',
      transaction: 'Transaction',
      merchantTransaction: 'Number',
    },
    types: { settle: ['Invoice'], refund: ['Credit note'] },
  }),
};

/** Days after which a refund is taken. */
const REFUND_DAYS = 5;
/** Length of the first weeks, in days. */
const SHOPIFY_DAYS = 20;

/**
 * Writes the merchant's ledger for a month, with the exceptions that take more than a lender's
 * usual mistake: a wrong ledger line, or a posting that the service does not know.
 */
export function booksOf(month: Month): Books {
  const byOrder = Map.groupBy(month.ledger, ({ merchantOrderId }) => merchantOrderId);
  const linesOf = ({ merchantOrderId }: SeededOrder) => byOrder.get(merchantOrderId) ?? [];
  const before = (date: string, days: number) =>
    Date.parse(date) < Date.parse(month.asOf) - days * DAY_MS;
  const isSettled = (order: SeededOrder, times: number) => {
    const lines = linesOf(order);
    const isDone = lines.every(({ type, date }) => type === 'settle' && before(date, 7));
    return order.kind === 'none' && lines.length === times && isDone;
  };
  const used = new Set<string>();
  const take = (what: string, fits: (order: SeededOrder) => boolean): SeededOrder => {
    // The largest order, which comes first in most lists.
    const found = month.orders
      .filter((order) => !used.has(order.merchantOrderId) && fits(order))
      .toSorted((one, other) => other.funded.settle - one.funded.settle)[0];
    if (!found) throw new Error(`The seeded month has no order ${what}.`);
    used.add(found.merchantOrderId);
    return found;
  };

  // STATUS_DISAGREES: the merchant agrees with the lender, and the service with neither.
  const agreed = take('with a wrong amount', ({ kind }) => kind === 'wrong-amount');
  const [line] = linesOf(agreed);
  if (line) line.amount = agreed.funded.settle;

  // LINE_NOT_IN_LEDGER: the second shipment was never booked.
  const forgotten = take('settled twice', (order) => isSettled(order, 2));
  byOrder.set(forgotten.merchantOrderId, linesOf(forgotten).slice(0, 1));

  // AMBIGUOUS_PAYMENT: two of three parcels have the same amount, and the payment covers two
  // parcels.
  const parcels = take('settled once', (order) => isSettled(order, 1));
  byOrder.set(parcels.merchantOrderId, linesOf(parcels).flatMap(inParcels));

  // OVER_FUNDED: each of two shipments is paid a cent too much, which the tolerance covers only once.
  const generous = take('settled twice', (order) => isSettled(order, 2));
  const cents = linesOf(generous).map(({ transactionId, amount }) => ({
    path: '/funding-changes' as const,
    body: { transactionId, change: { transactionAmount: (amount + 1) / 100 } },
  }));

  // OVER_REVERSED: the lender reverses a chargeback twice.
  const reversed = take('with a reversal', ({ funded }) => funded.reversal > 0);
  // UNKNOWN_TYPE: the lender posts a type that the service does not document.
  const adjusted = take('settled once', (order) => isSettled(order, 1));
  const post = (order: SeededOrder, transactionType: string, amount: number) => ({
    path: '/fundings' as const,
    body: { merchantOrderId: order.merchantOrderId, transactionType, amount },
  });

  // CURRENCY_UNKNOWN: settled with the same amount in two currencies, in a file without ids.
  const abroad = take('in two currencies', ({ kind }) => kind === 'two-currencies');

  const inShopify = new Set(
    month.orders.flatMap((order) => {
      const lines = linesOf(order);
      const isPlain =
        order.kind === 'none' &&
        !used.has(order.merchantOrderId) &&
        lines.filter(({ type }) => type === 'settle').length === 1 &&
        Date.parse(lines[0]?.date ?? '') < Date.parse(month.from) + SHOPIFY_DAYS * DAY_MS &&
        lines.every(({ date }) => before(date, REFUND_DAYS));
      return isPlain || order === abroad ? [order.merchantOrderId] : [];
    }),
  );
  const files = [...byOrder].filter(([, lines]) => lines.length > 0);
  return {
    lenders: [
      ...cents,
      post(reversed, 'Reversal', reversed.funded.reversal / 100),
      post(adjusted, 'Adjustment', 12.5),
    ],
    shopify: csv(',', [
      ['Name', 'Financial Status', 'Paid at', 'Currency', 'Total', 'Refunded Amount'],
      ...files.filter(([order]) => inShopify.has(order)).flatMap(([, lines]) => shopifyRows(lines)),
    ]),
    accounting: csv(';', [
      ['Number', 'Document', 'Order', 'Date', 'Amount', 'Currency', 'Transaction'],
      ...files.flatMap(([order, lines]) => (inShopify.has(order) ? [] : lines.map(accountingRow))),
    ]),
  };
}

/**
 * Splits a settle into three parcels, two of which have the same amount; their sum exceeds the
 * settle.
 */
function inParcels(settle: SeededLine): SeededLine[] {
  const small = Math.floor(settle.amount / 3);
  return [settle.amount - small, small, small].map((amount, index) => ({
    ...settle,
    amount,
    transactionId: null,
    merchantTransactionId: `${settle.merchantOrderId}-PARCEL-${index + 1}`,
  }));
}

/** Returns the rows of an order: one for each currency. */
function shopifyRows(lines: readonly SeededLine[]): string[][] {
  return [...Map.groupBy(lines, ({ currency }) => currency)].map(([currency, own]) => {
    const sum = (wanted: SeededLine['type']) =>
      own.reduce((total, { type, amount }) => (type === wanted ? total + amount : total), 0);
    const refunded = sum('refund');
    const status =
      refunded === 0 ? 'paid' : refunded === sum('settle') ? 'refunded' : 'partially_refunded';
    const paidAt = (own[0]?.date ?? '').replace('T', ' ').replace(/\..*/, ' +0000');
    const name = own[0]?.merchantOrderId ?? '';
    return [name, status, paidAt, currency, major(sum('settle')), major(refunded)];
  });
}

function accountingRow(line: SeededLine): string[] {
  const document = line.type === 'settle' ? 'Invoice' : 'Credit note';
  return [
    ...[line.merchantTransactionId, document, line.merchantOrderId, line.date],
    ...[major(line.amount).replace('.', ','), line.currency, line.transactionId ?? ''],
  ];
}

/** Both currencies have two decimals. */
const major = (minor: number): string => (minor / 100).toFixed(2);

/** No value contains a delimiter or a quotation mark. */
function csv(delimiter: string, rows: readonly string[][]): string {
  return rows.map((row) => `${row.join(delimiter)}\n`).join('');
}
