import type { CaseRecord, OrderStatusRecord } from '@financing-checkout/contract';
import type { FundingLine } from '@financing-checkout/reconciliation-rules';
import { decimal } from '../answers/reasons.ts';
import type { LedgerLineRow, OrderPlace } from '../answers/rows.ts';
import { merchantOrderIdOf } from '../../order-key.ts';
import type { Column } from './csv.ts';
import { zoneWriter } from './zone.ts';

/** What an export is of. */
export const exportTables = ['orders', 'exceptions', 'cases', 'lines'] as const;
export type ExportTable = (typeof exportTables)[number];

/** A line whose times are text, as the API gives them: ISO 8601, in UTC. */
type Told<Line, Times extends keyof Line> = Omit<Line, Times> & Record<Times, string>;

interface OfOrder extends OrderPlace {
  /** Of a funding that names no order, undefined. */
  merchantOrderId?: string | undefined;
}

/** A ledger line or a funding, as a line of an export. */
export type ExportedLine = OfOrder &
  (
    | { source: 'ledger'; line: Told<LedgerLineRow, 'occurredAt'> }
    | { source: 'funding'; line: Told<FundingLine, 'fundedAt' | 'updatedAt'> }
  );

const text = <Row>(name: string, cell: (row: Row) => string | undefined): Column<Row> => ({
  name,
  kind: 'text',
  cell: (row) => cell(row) ?? '',
});
const number = <Row>(name: string, cell: (row: Row) => string | undefined): Column<Row> => ({
  name,
  kind: 'number',
  cell: (row) => cell(row) ?? '',
});

/** The order's number comes first in every table, and the zone of its times last. */
const orderColumns = <Row extends OfOrder>(): Column<Row>[] => [
  text('order', ({ orderKey }) => merchantOrderIdOf(orderKey)),
  text('order_key', ({ orderKey }) => orderKey),
  text('currency', ({ currency }) => currency),
];
const money = <Row extends OfOrder>(
  name: string,
  value: (row: Row) => number | undefined,
): Column<Row> =>
  number(name, (row) => {
    const amount = value(row);
    // Of a currency nobody knows there are no decimals to write: minor units, beside no currency.
    if (amount === undefined) return '';
    return decimal(amount, row.currency) || String(amount);
  });

export function orderTable(zone: string): Column<OrderStatusRecord>[] {
  const at = zoneWriter(zone);
  return [
    ...orderColumns<OrderStatusRecord>(),
    text('headline', ({ headline }) => headline),
    text('funding', ({ funding }) => funding),
    text('returns', ({ returns }) => returns),
    text('exceptions', ({ exceptions }) => exceptions.map(({ code }) => code).join(' ')),
    money('expected_settle', ({ expected }) => expected.settle),
    money('expected_refund', ({ expected }) => expected.refund),
    money('funded_settle', ({ funded }) => funded.settle),
    money('funded_refund', ({ funded }) => funded.refund),
    money('funded_chargeback', ({ funded }) => funded.chargeback),
    money('funded_reversal', ({ funded }) => funded.reversal),
    money('discount', ({ discount }) => discount),
    money('net', ({ net }) => net),
    money('awaiting', ({ awaiting }) => awaiting),
    text('changed_at', ({ changedAt }) => at(changedAt)),
    text('computed_at', ({ computedAt }) => at(computedAt)),
    text('zone', () => zone),
  ];
}

export type ExportedException = OfOrder & OrderStatusRecord['exceptions'][number];

export function exceptionTable(zone: string): Column<ExportedException>[] {
  const at = zoneWriter(zone);
  return [
    ...orderColumns<ExportedException>(),
    text('exception', ({ code }) => code),
    money('amount', ({ amount }) => amount),
    number('count', ({ count }) => String(count)),
    text('since', ({ since }) => at(since)),
    text('zone', () => zone),
  ];
}

export function caseTable(zone: string): Column<CaseRecord>[] {
  const at = zoneWriter(zone);
  return [
    ...orderColumns<CaseRecord>(),
    text('case', ({ id }) => id),
    text('exception', ({ code }) => code),
    text('state', ({ state }) => state),
    money('amount', ({ amount }) => amount),
    number('age_days', ({ ageDays }) => String(ageDays)),
    text('assignee', ({ assignee }) => assignee),
    text('reason', ({ reason }) => reason),
    text('since', ({ since }) => at(since)),
    text('opened_at', ({ openedAt }) => at(openedAt)),
    text('updated_at', ({ updatedAt }) => at(updatedAt)),
    text('zone', () => zone),
  ];
}

export function lineTable(zone: string): Column<ExportedLine>[] {
  const at = zoneWriter(zone);
  return [
    ...orderColumns<ExportedLine>(),
    text('source', ({ source }) => source),
    text('type', (row) => (row.source === 'ledger' ? row.line.type : row.line.transactionType)),
    text('status', (row) => (row.source === 'funding' ? row.line.status : undefined)),
    text('lender', (row) => (row.source === 'funding' ? row.line.lenderName : undefined)),
    money('amount', (row) =>
      row.source === 'ledger' ? row.line.amount : row.line.transactionAmount,
    ),
    money('discount', (row) => (row.source === 'funding' ? row.line.discountAmount : undefined)),
    money('net', (row) => (row.source === 'funding' ? row.line.netAmount : undefined)),
    text('at', (row) => at(row.source === 'ledger' ? row.line.occurredAt : row.line.fundedAt)),
    text('transaction_id', ({ line }) => line.transactionId),
    text('merchant_transaction_id', ({ line }) => line.merchantTransactionId),
    text('lender_reference_id', (row) =>
      row.source === 'funding' ? row.line.lenderReferenceId : undefined,
    ),
    text('product_type', (row) => (row.source === 'funding' ? row.line.productType : undefined)),
    text('promo_code', (row) => (row.source === 'funding' ? row.line.promoCode : undefined)),
    text('zone', () => zone),
  ];
}
