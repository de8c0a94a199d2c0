import { isObject } from '../checkout/object.ts';
import type { End, SdkSurroundings } from './presentation.ts';

/** The shopper went back to the shop: to leave, or to change the address there. No error. */
const left = ['BACK_TO_STORE', 'CONSUMER_CANCELLED', 'CHANGE_ADDRESS'];

/** Nothing was confirmed, and the same may work at the next try. */
const failed = ['CREATE_CHECKOUT_FAILED', 'CREATE_APPLICATION_FAILED', 'GENERAL'];

/** Mistakes in how the shop is set up: the code for its developer, and what to do. */
const setUp: Readonly<Record<string, readonly [code: string, message: string]>> = {
  TOTAL_AMOUNT_MISMATCH: [
    'sdk-total-amount-mismatch',
    'The amounts of the order do not add up to its total at the service: compare the items, discounts, tax and shipping of the ticket with its total.',
  ],
  BILLING_SHIPPING_MISMATCH: [
    'sdk-billing-shipping-mismatch',
    'The billing address must be the shipping address for this merchant account: sign tickets with the same one twice, or have the account changed.',
  ],
  MISSING_CHECKOUT_DATA: [
    'sdk-missing-checkout-data',
    'The service needs more of the order: sign the shopper’s name, e-mail address, phone number and both addresses into the ticket.',
  ],
  MERCHANT_CONTAINER_NOT_FOUND: [
    'sdk-merchant-container-not-found',
    'The page has the service’s script show its dialog in a container that is not in the page: add the container, or take containerSelector off.',
  ],
};

/** Reads a token. @returns an empty string for anything else. */
export function tokenOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Reads a completion (published contract, browser SDK). No code is published for declined, pending or
 * expired, and the list of codes is open: where a code says nothing, the companion's answer counts.
 * @param decisions the latest of each lender
 */
export function endOf(
  token: unknown,
  data: unknown,
  status: unknown,
  decisions: readonly string[],
  onError: SdkSurroundings['onError'],
): End {
  const code = isObject(status) ? String(status.code) : '';
  // Some versions have the token in the data as well.
  const confirmationToken = tokenOf(token) || (!code && isObject(data) && tokenOf(data.token));
  if (confirmationToken) return { type: 'confirmed', confirmationToken };
  const mistake = Object.hasOwn(setUp, code) && setUp[code];
  if (mistake) {
    onError({ code: mistake[0], message: mistake[1] });
    return { type: 'ended', reason: 'failed' };
  }
  // Never "you left" to a shopper whom every lender has turned down.
  if (decisions.length > 0 && decisions.every((decision) => decision === 'DECLINE')) {
    return { type: 'ended', reason: 'declined', firm: true };
  }
  if (left.includes(code)) return { type: 'ended', reason: 'cancelled' };
  return { type: 'ended', reason: 'unavailable', firm: failed.includes(code) };
}
