import type { CheckoutRecord, Webhook } from '@financing-checkout/contract';
import { isoTime } from '../platform/clock.ts';
import type { CheckoutRow } from './store.ts';

/** A checkout as the merchant's backend sees it: nothing personal, no token. */
export function checkoutRecord(row: CheckoutRow): CheckoutRecord {
  return {
    checkoutId: row.id,
    revision: row.revision,
    environment: row.environment,
    merchantOrderId: row.merchantOrderId,
    status: row.status,
    ...(row.retrySafe === undefined ? {} : { retrySafe: row.retrySafe }),
    amount: row.amount,
    ...(row.charged === undefined ? {} : { charged: row.charged }),
    ...(row.chargeId === undefined ? {} : { chargeId: row.chargeId }),
    ...(row.chargeState === undefined ? {} : { chargeState: row.chargeState }),
    updatedAt: isoTime(row.updatedAt),
  };
}

/** The message that tells of the checkout's last change. */
export function webhookBody(row: CheckoutRow): string {
  const message: Webhook = {
    type: 'checkout.updated',
    timestamp: isoTime(row.updatedAt),
    data: checkoutRecord(row),
  };
  return JSON.stringify(message);
}
