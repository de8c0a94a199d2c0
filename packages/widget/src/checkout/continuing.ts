import type { Checkout } from '../companion/answer.ts';
import { readTicket } from '../companion/ticket.ts';
import { cancelCheckout, isOfCompanion } from './cancelling.ts';
import type { DetourOptions } from './opening.ts';

interface ContinuingOptions extends DetourOptions {
  /** Whether the page continues by itself, without the shopper acting. */
  readonly follows: boolean;
  /**
   * Called if the shopper left while the checkout was being found: the open checkout is being
   * canceled.
   */
  readonly onLeaving: () => void;
}

/**
 * Continues the remembered checkout or opens a new one.
 * @returns undefined if the shopper has not acted, and there is nothing to show until they do
 * @throws the reason of `leaving` if the shopper left before a checkout existed
 */
export async function continueCheckout(
  id: string,
  options: ContinuingOptions,
): Promise<Checkout | undefined> {
  const { follows, leaving, life, memory, onLeaving, order, poller, via } = options;
  const signal = follows ? life : AbortSignal.any([life, leaving]);
  let found: Checkout;
  try {
    found = await poller.follow(id, signal);
  } catch (error) {
    if (isOfCompanion(error) && error.code === 'checkout-not-found') {
      memory.forget();
      return follows ? undefined : options.prime();
    }
    life.throwIfAborted();
    if (!signal.aborted) throw error;
    onLeaving();
    return cancelCheckout(id, options);
  }
  const isOther = via !== undefined && !found.presentation?.link;
  const isOutdated = found.status === 'open' && (isOther || hasDrifted(order, found));
  // The link is shown again without a shopper action as long as it is for this order.
  if (follows) return isOutdated ? undefined : found;
  if (isOutdated) {
    // The cart has changed or the shopper switches devices, so the previous checkout is canceled
    // first.
    found = await cancelCheckout(id, options, { ...found, status: 'cancelled' });
  }
  if (found.status !== 'cancelled' && found.status !== 'expired') return found;
  memory.forget();
  return options.prime();
}

/** Returns whether the amount of the page's order differs from that of the checkout. */
function hasDrifted(order: string, { amount }: Checkout): boolean {
  const claims = readTicket(order);
  return (
    claims !== undefined &&
    (claims.totalAmount !== amount.value || claims.currency !== amount.currency)
  );
}
