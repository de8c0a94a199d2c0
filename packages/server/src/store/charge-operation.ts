import type { Transaction } from 'kysely';
import type { NewLedgerEntry } from './ledger.ts';
import { type AttemptState, type ChargeOperationRow, type Schema, tables } from './schema.ts';

/** A settle, refund or void of a charge that is about to be sent. */
export type NewChargeOperation = Pick<
  ChargeOperationRow,
  | 'id'
  | 'environment'
  | 'chargeId'
  | 'merchantOrderId'
  | 'kind'
  | 'amount'
  | 'merchantTransactionId'
  | 'key'
  | 'fingerprint'
  | 'progressBefore'
  | 'requestId'
  | 'actor'
>;

/**
 * An operation that was requested with its charge and accepted. It is tracked until it completes,
 * and never claims the charge.
 */
export type PendingOperation = NewChargeOperation & {
  sentAt: number;
  reason: string;
  attentionAt: number;
} & Pick<ChargeOperationRow, 'lenderReferenceId'>;

/** The person who stated the outcome of an operation, and the reason. */
export type Resolution = NonNullable<ChargeOperationRow['resolution']>;

/** The outcome of an operation. Undefined fields are stored as unknown. */
export interface EndChargeOperation extends Pick<
  ChargeOperationRow,
  | 'id'
  | 'transactionId'
  | 'lenderReferenceId'
  | 'serviceRequestId'
  | 'reason'
  | 'problem'
  | 'resolution'
> {
  /**
   * Send time in milliseconds. Identifies the attempt, because an operation that moved nothing may
   * be sent again.
   */
  sentAt: number;
  now: number;
  state: Exclude<AttemptState, 'recorded'>;
  /** Ends an operation that a person resolved as "not done"; the resolution is kept. */
  overrules?: boolean;
  /**
   * Ends an operation that the service accepted but had not completed (its reason is `pending`).
   */
  follows?: boolean;
  ledger: readonly NewLedgerEntry[];
  /** When to look the operation up: while it is `unknown` or pending, or resolved as "not done". */
  attentionAt?: number | undefined;
}

/** Writes an operation that the service accepted together with the charge it belongs to. */
export async function insertPending(
  tx: Transaction<Schema>,
  operation: PendingOperation,
  now: number,
): Promise<void> {
  const row: ChargeOperationRow = {
    ...operation,
    createdAt: now,
    updatedAt: now,
    state: 'accepted',
    isWithCharge: true,
    attentionTries: 0,
  };
  await tx.insertInto('chargeOperations').values(tables.chargeOperations.write(row)).execute();
}
