import { guardFormulas } from '@financing-checkout/contract/csv';
import type { LedgerRecord } from './line-problem.ts';

/** A line of this program's export of lines as NDJSON. */
interface OwnLine {
  orderKey: string;
  merchantOrderId?: string;
  currency: string;
  source: 'ledger' | 'funding';
  /** A ledger line, or a funding. Amounts are minor units. */
  line: Readonly<Record<string, unknown>>;
}

/** Returns a line of the export in the columns of its CSV; undefined for any other object. */
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

/** Returns whether a text begins with a line of the export. */
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

/** Guards a text as the CSV does: the reader removes it. The export leaves out an id that is not there. */
function cell(value: unknown): unknown {
  return typeof value === 'string' ? guardFormulas(value) : (value ?? null);
}
