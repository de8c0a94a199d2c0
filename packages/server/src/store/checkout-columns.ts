import type { Insertable } from 'kysely';
import type { CheckoutsTable } from './schema.ts';
import type { CheckoutRow } from './store.ts';

/** Every column of a new checkout, none left out. */
export type CheckoutColumns = Required<Insertable<CheckoutsTable>>;

export function fromCheckout(row: CheckoutRow): CheckoutColumns {
  return {
    id: row.id,
    environment: row.environment,
    merchant_order_id: row.merchantOrderId,
    amount: row.amount.value,
    currency: row.amount.currency,
    status: row.status,
    retry_safe: row.retrySafe === undefined ? null : Number(row.retrySafe),
    revision: row.revision,
    session_token: row.sessionToken,
    secret_hash: row.secretHash ?? null,
    application_id: row.applicationId ?? null,
    origin: row.origin,
    return_url: row.returnUrl ?? null,
    locale: row.locale ?? null,
    confirmation_hash: row.confirmationHash ?? null,
    order_hash: row.orderHash ?? null,
    ticket_hash: row.ticketHash ?? null,
    order_changed: Number(row.orderChanged),
    charge_id: row.chargeId ?? null,
    charge_state: row.chargeState ?? null,
    refunded_amount: row.refundedAmount ?? null,
    tax_amount: row.taxAmount ?? null,
    shipping_tax_amount: row.shippingTaxAmount ?? null,
    charged_amount: row.charged?.amount.value ?? null,
    charged_reason: row.charged?.reason ?? null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    expires_at: row.expiresAt,
    attention_at: row.attentionAt ?? null,
    attention_tries: row.attentionTries,
  };
}
