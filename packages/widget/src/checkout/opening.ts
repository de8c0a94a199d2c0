import type { Checkout } from '../companion/answer.ts';
import { CompanionError } from '../companion/companion.ts';
import type { Companion } from '../companion/companion.ts';
import type { Configuration } from '../companion/configuration.ts';
import { Memory } from '../companion/memory.ts';
import { openOnce } from '../companion/once.ts';
import { readTicket } from '../companion/ticket.ts';
import type { Poller } from './poller.ts';

/** Inputs from the attempt for opening a checkout. */
interface OpeningOptions {
  readonly companion: Companion;
  readonly memory: Memory;
  readonly poller: Poller;
  /** The order ticket. */
  readonly order: string;
  /** `link`: the shopper continues on another device. */
  readonly via: 'link' | undefined;
  readonly life: AbortSignal;
  readonly leaving: AbortSignal;
  /** Reports a problem to the developer of the page. */
  readonly onError: (error: { code: string; message: string }) => void;
  /**
   * Called when the shopper left while the checkout was being opened: the open checkout is being
   * canceled.
   */
  readonly onLeaving: () => void;
}

/**
 * Continues the remembered checkout, or opens a new one.
 * @throws the reason of `leaving` when the shopper left before a checkout existed
 */
export async function openCheckout(options: OpeningOptions): Promise<Checkout> {
  const { life, leaving, memory, order, poller, via } = options;
  const id = memory.recall()?.id;
  if (!id) return primeCheckout(options);
  const signal = AbortSignal.any([life, leaving]);
  let found: Checkout | undefined;
  try {
    found = await findRemembered(id, options, signal);
  } catch (error) {
    life.throwIfAborted();
    if (!signal.aborted) throw error;
    options.onLeaving();
    return poller.cancel(id);
  }
  if (!found) return primeCheckout(options);
  const isOther = via && !found.presentation?.link;
  if (found.status === 'open' && (isOther || hasDrifted(order, found))) {
    // The cart has changed or the shopper switches devices, so the previous checkout is canceled
    // first.
    found = await poller.cancel(id, { ...found, status: 'cancelled' });
  }
  if (found.status !== 'cancelled' && found.status !== 'expired') return found;
  memory.forget();
  return primeCheckout(options);
}

/** Looks up the remembered checkout. @returns undefined when the companion no longer knows it */
export async function findRemembered(
  id: string,
  { memory, poller }: OpeningOptions,
  signal: AbortSignal,
): Promise<Checkout | undefined> {
  try {
    return await poller.follow(id, signal);
  } catch (error) {
    if (!(error instanceof CompanionError) || error.code !== 'checkout-not-found') throw error;
    memory.forget();
    return undefined;
  }
}

/** Opens a new checkout. */
export function primeCheckout(options: OpeningOptions): Promise<Checkout> {
  const { companion, leaving, life, memory, poller, via } = options;
  const signal = AbortSignal.any([life, leaving]);
  return openOnce({
    memory,
    link: via && true,
    isOpen: ({ status }) => status === 'open',
    send: (key) => companion.prime(key, signal, via),
    wait: (tries) => poller.wait(tries, signal),
  });
}

/** Returns the page's current ticket if it is for the order that the shopper confirmed. */
export function currentTicket(
  ticket: string | null | undefined,
  { order }: Configuration,
): string | undefined {
  const idOf = (one: string) => readTicket(one)?.merchantOrderId;
  return ticket && idOf(ticket) === idOf(order) ? ticket : undefined;
}

export function memoryOf({ companion, environment, order }: Configuration): Memory {
  return new Memory(new URL(companion), environment, order);
}

/** Returns whether the amount of the page's order differs from that of the checkout. */
export function hasDrifted(order: string, { amount }: Checkout): boolean {
  const claims = readTicket(order);
  return (
    claims !== undefined &&
    (claims.totalAmount !== amount.value || claims.currency !== amount.currency)
  );
}
