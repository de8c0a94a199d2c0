import { minorUnitDigits } from '@financing-checkout/contract/money';
import {
  DIGITS_OF_UNKNOWN,
  type FundingLine,
  type LedgerLine,
  type OrderLines,
  type UnplacedFunding,
} from '@financing-checkout/reconciliation-rules';

/**
 * Maximum number of lines per side of a judged order; an order with more is listed but not judged.
 * A shop or the service may use the same placeholder for every id, and such an order would use the
 * memory of all others.
 */
export const MOST_LINES_OF_ONE = 50_000;

type Cell = string | number | bigint | boolean | null;

/** A query's rows, in columns. */
export type Columns = readonly (readonly unknown[])[];

/** A funding's columns, in the order in which {@link fundingAt} reads them. */
export const fundingColumns = `f.order_key, f.currency, f.id, f.status, f.transaction_type,
  f.transaction_amount::double, f.discount_amount::double, f.net_amount::double,
  f.funded_at::double, f.updated_at::double, f.lender_name, f.transaction_id,
  f.merchant_transaction_id, f.lender_reference_id, f.product_type, f.promo_code`;

/** A ledger line's columns, in the order in which {@link ledgerLineAt} reads them. */
export const ledgerColumns = `l.order_key, l.currency, l.id, l.type, l.amount::double,
  l.occurred_at::double, l.transaction_id, l.merchant_transaction_id, l.lender_reference_id`;

/** Returns a funding for the rules. The order of its fields affects its content hash. */
export function fundingAt(columns: Columns, row: number): FundingLine {
  const cell = (column: number) => columns[column]?.[row] as Cell;
  return {
    id: text(cell(2)),
    status: text(cell(3)),
    transactionType: text(cell(4)),
    transactionAmount: Number(cell(5)),
    discountAmount: Number(cell(6)),
    netAmount: Number(cell(7)),
    fundedAt: Number(cell(8)),
    updatedAt: Number(cell(9)),
    lenderName: text(cell(10)),
    transactionId: optional(cell(11)),
    merchantTransactionId: optional(cell(12)),
    lenderReferenceId: optional(cell(13)),
    productType: optional(cell(14)),
    promoCode: optional(cell(15)),
  };
}

/** Returns a ledger line for the rules. The order of its fields affects its content hash. */
export function ledgerLineAt(columns: Columns, row: number): LedgerLine {
  const cell = (column: number) => columns[column]?.[row] as Cell;
  return {
    id: text(cell(2)),
    type: cell(3) === 'Refund' ? 'Refund' : 'Settle',
    amount: Number(cell(4)),
    occurredAt: Number(cell(5)),
    transactionId: optional(cell(6)),
    merchantTransactionId: optional(cell(7)),
    lenderReferenceId: optional(cell(8)),
  };
}

/**
 * Returns a funding of unknown currency as an amount in the currency of the order's part; undefined
 * if it cannot pay any of that part's lines.
 */
export function unplacedAt(columns: Columns, row: number): UnplacedFunding | undefined {
  const cell = (column: number) => columns[column]?.[row] as Cell;
  const type = text(cell(2)).toLowerCase();
  const digits = minorUnitDigits(text(cell(1)));
  const amount = Math.abs(Number(cell(4))) / 10 ** (DIGITS_OF_UNKNOWN - digits);
  const isDebit = type === 'refund' && cell(3) !== 'CHARGEBACK';
  if (!Number.isInteger(amount) || !(type === 'settle' || isDebit)) return undefined;
  return { kind: isDebit ? 'refund' : 'settle', amount };
}

/** Returns a text that is equal for equal lines, regardless of their order. */
export function contentOf({ ledger, fundings }: OrderLines): string {
  // `updatedAt` alone is ignored: the service may touch a record without changing it.
  const parts = [
    ...ledger.map((line) => `L${JSON.stringify(Object.values(line))}`),
    ...fundings.map((line) => `F${JSON.stringify(Object.values({ ...line, updatedAt: 0 }))}`),
  ];
  return parts.sort().join('\n');
}

/** Returns the identifier of an order in one currency. */
export function statusKey(orderKey: string, currency: string): string {
  return `${currency} ${orderKey}`;
}

function text(value: Cell): string {
  return String(value);
}

function optional(value: Cell): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
