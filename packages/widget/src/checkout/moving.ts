import type { Checkout } from '../companion/answer.ts';
import { BlockedError } from '../presentations/presentation.ts';
import { cancelCheckout, isOfCompanion } from './cancelling.ts';
import type { DetourOptions } from './opening.ts';
import { isChargedElsewhere } from './result.ts';

/**
 * Opens a link for an order whose presentations are all blocked here. The checkout on this device
 * ends only after that: if the companion creates no link, the shopper can still continue here.
 * @throws {BlockedError} if the companion creates no link
 * @throws {CompanionError} if another tab or device has charged the order, or may still charge it
 */
export async function moveToPhone(checkout: Checkout, opening: DetourOptions): Promise<Checkout> {
  const { companion, leaving, memory, onError } = opening;
  const { key } = companion;
  const remembered = memory.recall();
  memory.forget();
  let made: Checkout;
  try {
    made = await opening.prime();
  } catch (error) {
    companion.key = key;
    if (remembered) memory.remember(remembered);
    // The caller cancels its current checkout.
    if (leaving.aborted) return checkout;
    if (!isOfCompanion(error) || isChargedElsewhere(error.code)) throw error;
    // An earlier link for this order is still live, so a charge may still follow.
    if (error.code === 'order-changed' || error.code === 'outcome-unknown') throw error;
    onError(error);
    throw new BlockedError();
  }
  const { key: linkKey } = companion;
  companion.key = key;
  const left = await cancelCheckout(checkout.id, opening, { ...checkout, status: 'cancelled' });
  companion.key = linkKey;
  return left.status === 'approved' ? left : made;
}
