import type { Checkout } from '../companion/answer.ts';
import { CompanionError } from '../companion/companion.ts';
import type { Companion } from '../companion/companion.ts';
import type { Memory } from '../companion/memory.ts';
import { readTicket } from '../companion/ticket.ts';
import type { Poller } from './poller.ts';

/** What opening a checkout needs from the attempt. */
export interface OpeningOptions {
  readonly companion: Companion;
  readonly memory: Memory;
  readonly poller: Poller;
  /** The order ticket. */
  readonly order: string;
  readonly life: AbortSignal;
  readonly leaving: AbortSignal;
  /** Called when the shopper left during the opening: the open checkout is being cancelled. */
  readonly onLeaving: () => void;
}

/**
 * Continues the remembered checkout, or opens a new one.
 * @throws the reason of `leaving` when the shopper left before a checkout existed
 */
export async function openCheckout(options: OpeningOptions): Promise<Checkout> {
  const { life, leaving, memory, order, poller } = options;
  const id = memory.recall()?.id;
  if (!id) return primeCheckout(options);
  const signal = AbortSignal.any([life, leaving]);
  let found: Checkout;
  try {
    found = await poller.follow(id, signal);
  } catch (error) {
    life.throwIfAborted();
    if (signal.aborted) {
      options.onLeaving();
      return poller.cancel(id);
    }
    if (!(error instanceof CompanionError) || error.code !== 'checkout-not-found') throw error;
    memory.forget();
    return primeCheckout(options);
  }
  const claims = readTicket(order);
  const drifted =
    claims !== undefined &&
    (claims.totalAmount !== found.amount.value || claims.currency !== found.amount.currency);
  if (found.status === 'open' && drifted) {
    // The cart has changed: the checkout of the old cart is cancelled first.
    found = await poller.cancel(id, { ...found, status: 'cancelled' });
  }
  if (found.status !== 'cancelled' && found.status !== 'expired') return found;
  memory.forget();
  return primeCheckout(options);
}

/** Opens a new checkout. Reuses the key of an attempt whose answer was lost. */
export async function primeCheckout(options: OpeningOptions): Promise<Checkout> {
  const { companion, leaving, life, memory, poller } = options;
  const signal = AbortSignal.any([life, leaving]);
  for (let tries = 0; ; tries++) {
    const used = memory.recall()?.key;
    // A UUID has 122 random bits (RFC 9562 5.4), a secret needs 128.
    const key = used ?? crypto.randomUUID() + crypto.randomUUID();
    // Remembered before the request: if the answer is lost, the same key finds the same checkout.
    memory.remember({ key });
    try {
      const checkout = await companion.prime(key, signal);
      const isOpen = checkout.status === 'open';
      if (isOpen) memory.remember({ key, id: checkout.id });
      // The answer is from before the reload, or the order is decided: its secret is another one.
      else memory.forget();
      if (isOpen || !used) return checkout;
    } catch (error) {
      if (!(error instanceof CompanionError) || !error.answered) throw error;
      if (error.code === 'idempotency-in-flight') {
        if (tries > 4) throw error;
        await poller.wait(tries, signal);
        continue;
      }
      memory.forget();
      // The shop has signed a new ticket since, so this is another request.
      if (error.code !== 'idempotency-key-reused' || tries > 0) throw error;
    }
  }
}
