import type { Checkout } from '../companion/answer.ts';
import type { CompanionError } from '../companion/companion.ts';
import type { CheckoutResult, Outcome } from '../model/outcome.ts';

/** Returns a checkout's result, or undefined while it is open or confirming. */
export function resultOf(checkout: Checkout): CheckoutResult | undefined {
  const { id: checkoutId, reversal, status } = checkout;
  if (status === 'open' || status === 'confirming') return undefined;
  // A charge that no longer pays for the order is not reported to the page as an approval.
  const outcome = reversal && reversal.kind !== 'reduced' ? 'failed' : status;
  const link = status === 'cancelled' ? checkout.presentation?.link : undefined;
  return { ...checkout, outcome, checkoutId, linkExpiresAt: link?.expiresAt };
}

/** Returns the result to report while it is unknown whether a charge exists. */
export function unknownResult(checkoutId: string, seen: Checkout | undefined): CheckoutResult {
  return { ...seen, outcome: 'unavailable', checkoutId, retrySafe: false };
}

/** Returns whether another tab or device has charged the order, or may still charge it. */
export const isChargedElsewhere = (code: string): boolean =>
  code === 'checkout-not-open' || code === 'order-ticket-used';

/**
 * Returns the outcome for the shopper if no checkout could be opened. This page charged nothing; if
 * another page may have, the texts do not suggest another way to pay.
 */
export function outcomeOf({ code, refused, retrySafe }: CompanionError): {
  outcome: Outcome;
  retrySafe?: boolean;
} {
  if (isChargedElsewhere(code)) return { outcome: 'unavailable', retrySafe: false };
  if (code === 'order-ticket-expired') return { outcome: 'expired' };
  return !refused && retrySafe
    ? { outcome: 'unavailable', retrySafe: true }
    : { outcome: 'failed' };
}
