import { guardFormulas } from '@financing-checkout/contract/money';
import type { LedgerRecord } from './line-problem.ts';

/** A line of this program's NDJSON export. */
interface OwnLine {
  orderKey: string;
  merchantOrderId: string | null;
  currency: string;
  source: 'ledger' | 'funding';
  /** A ledger line or a funding. Amounts are in minor units. */
  line: Readonly<Record<string, unknown>>;
}

/**
 * Converts a line of the export to the columns of the CSV export; undefined for any other object.
 */
export function ownLineOf(record: LedgerRecord): LedgerRecord | undefined {
  if (!isOwnLine(record)) return undefined;
  const { currency, line, merchantOrderId, orderKey, source } = record;
  return {
    order: cell(merchantOrderId),
    order_key: cell(orderKey),
    currency,
    source,
    type: line.type,
    amount: line.amount,
    at: line.occurredAt,
    transaction_id: cell(line.transactionId),
    merchant_transaction_id: cell(line.merchantTransactionId),
  };
}

/** Returns whether a text begins with a line from the export. */
export function isOwnNdjson(beginning: string): boolean {
  try {
    const first: unknown = JSON.parse(beginning.trimStart().split('\n', 1)[0] ?? '');
    return typeof first === 'object' && first !== null && isOwnLine(first);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

function isOwnLine(record: object): record is OwnLine {
  const { line, orderKey, source } = record as Partial<OwnLine>;
  return (
    (source === 'ledger' || source === 'funding') &&
    typeof orderKey === 'string' &&
    typeof line === 'object'
  );
}

/**
 * Escapes a text as the CSV export does, because the reader removes the escape. An absent id is
 * null.
 */
function cell(value: unknown): unknown {
  return typeof value === 'string' ? guardFormulas(value) : (value ?? null);
}
