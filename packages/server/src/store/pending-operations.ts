import type { Transaction } from 'kysely';
import type { NewChargeOperation } from './charge-operations.ts';
import type { Schema } from './schema.ts';

/** One that was sent with its charge and accepted: it is followed, and was never this charge's turn. */
export interface PendingOperation extends NewChargeOperation {
  sentAt: number;
  reason: string;
  attentionAt: number;
}

/** What never changes of an operation, and what is not known of it at first. */
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
  };
}

/** Writes an operation that the service has accepted with something else. */
export async function insertPending(
  tx: Transaction<Schema>,
  operation: PendingOperation,
  now: number,
): Promise<void> {
  await tx
    .insertInto('charge_operations')
    .values({
      ...identity(operation),
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
    })
    .execute();
}
