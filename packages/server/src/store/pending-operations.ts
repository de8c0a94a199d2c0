import type { Transaction } from 'kysely';
import type { NewChargeOperation } from './charge-operation.ts';
import type { Schema } from './schema.ts';

/**
 * An operation that was requested with its charge and accepted. It is tracked until it completes,
 * and it never claimed the charge.
 */
export interface PendingOperation extends NewChargeOperation {
  /** The lender's reference of the settle, if the creation response contains it. */
  lenderReferenceId: string | undefined;
  sentAt: number;
  reason: string;
  attentionAt: number;
}

/** Returns the columns that never change. */
export function identityOf(operation: NewChargeOperation) {
  const { id, environment, chargeId, merchantOrderId } = operation;
  const { kind, merchantTransactionId, key, fingerprint } = operation;
  return {
    id,
    environment,
    chargeId,
    merchantOrderId,
    kind,
    merchantTransactionId,
    key,
    fingerprint,
  };
}

/** Returns the columns that are written each time an operation is sent. */
export function sendingOf({ amount, ...operation }: NewChargeOperation, now: number) {
  return {
    progressBefore: operation.progressBefore,
    requestId: operation.requestId ?? null,
    actor: operation.actor ?? null,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    reason: null,
    problem: null,
    sentAt: now,
    updatedAt: now,
    attentionTries: 0,
  };
}

/** Writes an operation that the service accepted together with the charge it belongs to. */
export async function insertPending(
  tx: Transaction<Schema>,
  operation: PendingOperation,
  now: number,
): Promise<void> {
  const { attentionAt, lenderReferenceId, reason, sentAt } = operation;
  await tx
    .insertInto('chargeOperations')
    .values({
      ...identityOf(operation),
      ...sendingOf(operation, now),
      createdAt: now,
      state: 'accepted',
      withCharge: 1,
      lenderReferenceId,
      reason,
      sentAt,
      attentionAt,
    })
    .execute();
}
