import {
  amountDifferenceReasons,
  chargeOperationKinds,
  checkoutStatusSchema,
  environmentSchema,
  problemCodes,
} from '@financing-checkout/contract';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { ChargeOperationRow } from './charge-operations.ts';
import type {
  AttemptsTable,
  ChargeOperationsTable,
  CheckoutsTable,
  IdempotencyTable,
} from './schema.ts';
import type { AttemptRow, CheckoutRow, IdempotencyRow, StoredProblem } from './store.ts';

const optionalNumber = (value: number | string | null) =>
  value === null ? undefined : Number(value);

export function toCheckout(row: Selectable<CheckoutsTable>): CheckoutRow {
  return {
    id: row.id,
    environment: environmentSchema.parse(row.environment),
    merchantOrderId: row.merchant_order_id,
    amount: { value: Number(row.amount), currency: row.currency },
    status: checkoutStatusSchema.parse(row.status),
    retrySafe: row.retry_safe === null ? undefined : row.retry_safe === 1,
    revision: Number(row.revision),
    sessionToken: row.session_token,
    secretHash: row.secret_hash ?? undefined,
    applicationId: row.application_id ?? undefined,
    origin: row.origin,
    returnUrl: row.return_url ?? undefined,
    locale: row.locale ?? undefined,
    confirmationHash: row.confirmation_hash ?? undefined,
    orderHash: row.order_hash ?? undefined,
    ticketHash: row.ticket_hash ?? undefined,
    orderChanged: row.order_changed === 1,
    chargeId: row.charge_id ?? undefined,
    chargeState: row.charge_state ?? undefined,
    refundedAmount: optionalNumber(row.refunded_amount),
    taxAmount: optionalNumber(row.tax_amount),
    shippingTaxAmount: optionalNumber(row.shipping_tax_amount),
    charged:
      row.charged_amount === null || row.charged_reason === null
        ? undefined
        : {
            amount: { value: Number(row.charged_amount), currency: row.currency },
            reason: differenceReason.parse(row.charged_reason),
          },
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    expiresAt: Number(row.expires_at),
    attentionAt: optionalNumber(row.attention_at),
    attentionTries: row.attention_tries,
  };
}

const differenceReason = z.enum(amountDifferenceReasons);
const attemptKind = z.enum(['prime', 'charge', 'void']);
export const attemptState = z.enum(['recorded', 'not-sent', 'rejected', 'accepted', 'unknown']);

export function toAttempt(row: Selectable<AttemptsTable>): AttemptRow {
  return {
    id: row.id,
    kind: attemptKind.parse(row.kind),
    checkoutId: row.checkout_id ?? undefined,
    merchantTransactionId: row.merchant_transaction_id ?? undefined,
    state: attemptState.parse(row.state),
    requestId: row.request_id ?? undefined,
    settle: row.settle === null ? undefined : row.settle === 1,
    serviceRequestId: row.service_request_id ?? undefined,
    reason: row.reason ?? undefined,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

const idempotencyState = z.enum(['in-flight', 'finished', 'released']);
const storedProblem = z.object({
  code: z.enum(problemCodes as [(typeof problemCodes)[number], ...typeof problemCodes]),
  detail: z.string().optional(),
  retrySafe: z.boolean().optional(),
  serviceRequestId: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** A problem as it was stored. */
export function parseProblem(text: string | null): StoredProblem | undefined {
  return text === null ? undefined : storedProblem.parse(JSON.parse(text));
}

export function toIdempotency(row: Selectable<IdempotencyTable>): IdempotencyRow {
  return {
    key: row.key,
    fingerprint: row.fingerprint,
    attemptId: row.attempt_id,
    state: idempotencyState.parse(row.state),
    leaseUntil: Number(row.lease_until),
    checkoutId: row.checkout_id ?? undefined,
    problem: parseProblem(row.problem),
  };
}

const operationKind = z.enum(chargeOperationKinds);

/** An operation as it was stored. */
export function toOperation(row: Selectable<ChargeOperationsTable>): ChargeOperationRow {
  return {
    id: row.id,
    environment: environmentSchema.parse(row.environment),
    chargeId: row.charge_id,
    merchantOrderId: row.merchant_order_id,
    kind: operationKind.parse(row.kind),
    amount:
      row.amount === null || row.currency === null
        ? undefined
        : { value: Number(row.amount), currency: row.currency },
    merchantTransactionId: row.merchant_transaction_id,
    key: row.key,
    fingerprint: row.fingerprint,
    progressBefore: Number(row.progress_before),
    state: attemptState.parse(row.state),
    requestId: row.request_id ?? undefined,
    transactionId: row.transaction_id ?? undefined,
    lenderReferenceId: row.lender_reference_id ?? undefined,
    isWithCharge: row.with_charge === 1,
    serviceRequestId: row.service_request_id ?? undefined,
    reason: row.reason ?? undefined,
    problem: parseProblem(row.problem),
    resolution:
      row.resolved_by === null || row.resolution_note === null
        ? undefined
        : { by: row.resolved_by, note: row.resolution_note },
    createdAt: Number(row.created_at),
    sentAt: Number(row.sent_at),
    updatedAt: Number(row.updated_at),
    attentionAt: row.attention_at === null ? undefined : Number(row.attention_at),
    attentionTries: row.attention_tries,
  };
}
