import type { Transaction } from 'kysely';
import type { NewChargeOperation } from './charge-operations.ts';
import type { Schema } from './schema.ts';

/**
 * An operation that was requested with its charge and accepted. It is followed until it completes, and never
 * claimed the charge.
 */
export interface PendingOperation extends NewChargeOperation {
  /** The lender's reference of the settle, where the answer to the creation states it. */
  lenderReferenceId: string | undefined;
  sentAt: number;
  reason: string;
  attentionAt: number;
}

/** Returns the columns that never change, and the columns that are unknown at first. */
export function identity(operation: NewChargeOperation) {
  return {
    id: operation.id,
    environment: operation.environment,
    charge_id: operation.chargeId,
    merchant_order_id: operation.merchantOrderId,
    kind: operation.kind,
    merchant_transaction_id: operation.merchantTransactionId,
    key: operation.key,
    fingerprint: operation.fingerprint,
    transaction_id: null,
    lender_reference_id: null,
    service_request_id: null,
    with_charge: null,
  };
}

/** Writes an operation that the service accepted together with the charge it belongs to. */
export async function insertPending(
  tx: Transaction<Schema>,
  operation: PendingOperation,
  now: number,
): Promise<void> {
  await tx
    .insertInto('charge_operations')
    .values({
      ...identity(operation),
      with_charge: 1,
      lender_reference_id: operation.lenderReferenceId ?? null,
      state: 'accepted',
      amount: operation.amount?.value ?? null,
      currency: operation.amount?.currency ?? null,
      progress_before: operation.progressBefore,
      reason: operation.reason,
      problem: null,
      created_at: now,
      sent_at: operation.sentAt,
      updated_at: now,
      attention_at: operation.attentionAt,
      attention_tries: 0,
      request_id: operation.requestId ?? null,
      actor: operation.actor ?? null,
    })
    .execute();
}
