/** A settle or refund of the merchant's ledger. Times are milliseconds since 1970. */
export interface NewLedgerLine {
  merchantOrderId: string;
  type: 'Settle' | 'Refund';
  /** Amount in minor units, positive for every type. */
  amount: number;
  currency: string;
  occurredAt: number;
  transactionId?: string | undefined;
  merchantTransactionId?: string | undefined;
  chargeId?: string | undefined;
  /** The lender's reference, which the funding of this line also has. */
  lenderReferenceId?: string | undefined;
}

/** The source that provided the line first. */
export type LedgerSource = 'companion' | 'import' | 'api';

/** Returns whether the line has no transaction id. */
export function isUnnamed({
  merchantTransactionId,
  transactionId,
}: Pick<NewLedgerLine, 'merchantTransactionId' | 'transactionId'>): boolean {
  return merchantTransactionId === undefined && transactionId === undefined;
}

/**
 * Returns the id of a line: the merchant's transaction id, otherwise the service's, otherwise the
 * entire content. The same line from two sources has the same id.
 */
export function lineId(line: NewLedgerLine): string {
  const { type, merchantTransactionId, transactionId } = line;
  if (merchantTransactionId !== undefined) return `m:${type}:${merchantTransactionId}`;
  if (transactionId !== undefined) return `t:${type}:${transactionId}`;
  const { merchantOrderId, currency, amount, occurredAt } = line;
  return `c:${type}:${currency}:${amount}:${occurredAt}:${merchantOrderId}`;
}
