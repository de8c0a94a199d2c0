import { isObject } from '../platform/object.ts';
import type { End, SdkContext } from './presentation.ts';

/**
 * The shopper returned to the shop, either to leave or to change the address there. Not an error.
 */
const left = ['BACK_TO_STORE', 'CONSUMER_CANCELLED', 'CHANGE_ADDRESS'];

/** Nothing was confirmed, and a retry may succeed. */
const failed = ['CREATE_CHECKOUT_FAILED', 'CREATE_APPLICATION_FAILED', 'GENERAL'];

/** Mistakes in the shop's setup, each with a code and a solution for the developer. */
const setupErrors: Readonly<Record<string, readonly [code: string, message: string]>> = {
  TOTAL_AMOUNT_MISMATCH: [
    'sdk-total-amount-mismatch',
    'The service found that the amounts of the order do not add up to its total. Compare the items, discounts, tax and shipping of the ticket with its total.',
  ],
  BILLING_SHIPPING_MISMATCH: [
    'sdk-billing-shipping-mismatch',
    'This merchant account requires the billing address to equal the shipping address. Sign tickets with the same address for both, or have the account changed.',
  ],
  MISSING_CHECKOUT_DATA: [
    'sdk-missing-checkout-data',
    'The service needs more data. Add the shopper’s name, e-mail address, phone number and both addresses to the ticket.',
  ],
  MERCHANT_CONTAINER_NOT_FOUND: [
    'sdk-merchant-container-not-found',
    'The service’s script is configured to show its dialog in a container that the page does not have. Add the container, or remove containerSelector.',
  ],
};

/** Reads a token. @returns an empty string for any other value */
export function tokenOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Interprets a completion (published contract, browser SDK). The service documents no code for
 * declined, pending or expired, and the list of codes is open-ended. For an unknown code, the
 * companion's response is authoritative.
 * @param decisions each lender's latest decision
 */
export function endOf(
  token: unknown,
  data: unknown,
  status: unknown,
  decisions: readonly string[],
  onError: SdkContext['onError'],
): End {
  const code = isObject(status) ? String(status.code) : '';
  // Some versions send the token in the data.
  const confirmationToken = tokenOf(token) || (!code && isObject(data) && tokenOf(data.token));
  if (confirmationToken) return { type: 'confirmed', confirmationToken };
  const mistake = Object.hasOwn(setupErrors, code) && setupErrors[code];
  if (mistake) {
    onError({ code: mistake[0], message: mistake[1] });
    return { type: 'ended', reason: 'failed' };
  }
  // A shopper who was declined by every lender must not be told that they left.
  if (decisions.length > 0 && decisions.every((decision) => decision === 'DECLINE')) {
    return { type: 'ended', reason: 'declined', firm: true };
  }
  if (left.includes(code)) return { type: 'ended', reason: 'cancelled' };
  return { type: 'ended', reason: 'unavailable', firm: failed.includes(code) };
}
