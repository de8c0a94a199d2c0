import type { Checkout } from '../companion/answer.ts';
import type { CompanionError } from '../companion/companion.ts';
import type { DetourOptions } from './opening.ts';

/** A structural check, because importing the class would move it into a third file. */
export const isOfCompanion = (error: unknown): error is CompanionError =>
  error instanceof Error && 'answered' in error;

/**
 * Cancels a checkout. The companion's response is authoritative: a lender may have approved in the
 * meantime. The claim is used if there is no response and nothing was confirmed here. A checkout
 * that another tab also shows stays open and counts as canceled only in this tab. The same applies
 * to a checkout with a live link, because the service cannot revoke a link.
 */
export async function cancelCheckout(
  id: string,
  { companion, isOpenElsewhere, life, onError, poller }: DetourOptions,
  claim?: Checkout,
): Promise<Checkout> {
  const { status = 'cancelled' } = claim ?? {};
  const left = status === 'cancelled' && (await isOpenElsewhere(id));
  for (let tries = 0; tries < 2; tries++) {
    try {
      const checkout = await companion[left ? 'find' : 'cancel'](id, life);
      if (checkout.status === 'open' && (left || checkout.presentation?.link)) {
        return { ...checkout, status };
      }
      return await poller.settle(checkout, life);
    } catch (error) {
      life.throwIfAborted();
      if (!isOfCompanion(error)) throw error;
      if (error.code === 'checkout-not-open') return poller.follow(id, life);
      if (error.refused) {
        onError(error);
        break;
      }
    }
    if (tries === 0) await poller.wait(tries, life);
  }
  return claim ?? poller.follow(id, life);
}
