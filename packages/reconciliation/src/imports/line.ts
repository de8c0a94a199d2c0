/** A settle or a refund that the merchant believes in. Times are milliseconds since 1970. */
export interface NewLedgerLine {
  merchantOrderId: string;
  type: 'Settle' | 'Refund';
  /** Minor units, more than 0, whatever the type. */
  amount: number;
  currency: string;
  occurredAt: number;
  transactionId?: string | undefined;
  merchantTransactionId?: string | undefined;
  chargeId?: string | undefined;
  /** The lender's reference, which the funding of the line carries. */
  lenderReferenceId?: string | undefined;
}

/** Where a line was first heard of. */
export type LedgerSource = 'companion' | 'import' | 'api';

/** Whether nothing names its transaction. */
export function isUnnamed({
  merchantTransactionId,
  transactionId,
}: Pick<NewLedgerLine, 'merchantTransactionId' | 'transactionId'>): boolean {
  return merchantTransactionId === undefined && transactionId === undefined;
}

/**
 * The id of a line: what the merchant calls the transaction, else what the service does, else all
 * that is known of it. So the same line from two sources is one line.
 */
export function lineId(line: NewLedgerLine): string {
  const { type, merchantTransactionId, transactionId } = line;
  if (merchantTransactionId !== undefined) return `m:${type}:${merchantTransactionId}`;
  if (transactionId !== undefined) return `t:${type}:${transactionId}`;
  const { merchantOrderId, currency, amount, occurredAt } = line;
  return `c:${type}:${currency}:${amount}:${occurredAt}:${merchantOrderId}`;
}
