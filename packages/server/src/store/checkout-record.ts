import type {
  CheckoutRecord,
  OfficeCheckout,
  Webhook,
} from '@financing-checkout/contract/back-office';
import { isoTime } from '@financing-checkout/kit';
import type { CheckoutRow } from './checkout-row.ts';

/** Returns a checkout for the merchant's backend, without personal data and tokens. */
export function checkoutRecord(row: CheckoutRow): CheckoutRecord {
  return {
    checkoutId: row.id,
    revision: row.revision,
    environment: row.environment,
    merchantOrderId: row.merchantOrderId,
    status: row.status,
    retrySafe: row.retrySafe,
    amount: row.amount,
    charged: row.charged,
    chargeId: row.chargeId,
    chargeState: row.chargeState,
    updatedAt: isoTime(row.updatedAt),
  };
}

/**
 * Returns a checkout for the back office, with its timestamp, its items, and the message that the
 * shopper saw.
 */
export function officeRecord(row: CheckoutRow): OfficeCheckout {
  const { createdAt, items, shown, taxAmount } = row;
  return {
    ...checkoutRecord(row),
    createdAt: isoTime(createdAt),
    ...(shown && { shown }),
    items,
    taxAmount,
  };
}

export function webhookBody(row: CheckoutRow): string {
  const message: Webhook = {
    type: 'checkout.updated',
    timestamp: isoTime(row.updatedAt),
    data: checkoutRecord(row),
  };
  return JSON.stringify(message);
}
