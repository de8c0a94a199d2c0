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
  /** The lender's reference, which this line's funding also has. */
  lenderReferenceId?: string | undefined;
}

/** The first source to provide the line. */
export type LedgerSource = 'companion' | 'import' | 'api';

/** Returns whether the line has no transaction id. */
export function isUnnamed({
  merchantTransactionId,
  transactionId,
}: Pick<NewLedgerLine, 'merchantTransactionId' | 'transactionId'>): boolean {
  return merchantTransactionId === undefined && transactionId === undefined;
}

/**
 * Returns a line's id: the merchant's transaction id, else the service's, else the entire content.
 * The same line from two sources has the same id.
 */
export function lineId(line: NewLedgerLine): string {
  const { type, merchantTransactionId, transactionId } = line;
  if (merchantTransactionId !== undefined) return `m:${type}:${merchantTransactionId}`;
  if (transactionId !== undefined) return `t:${type}:${transactionId}`;
  const { merchantOrderId, currency, amount, occurredAt } = line;
  return `c:${type}:${currency}:${amount}:${occurredAt}:${merchantOrderId}`;
}
