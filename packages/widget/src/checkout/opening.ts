import type { Checkout } from './answer.ts';
import { CompanionError } from './companion.ts';
import type { Companion } from './companion.ts';
import type { Memory } from './memory.ts';
import type { Settling } from './settling.ts';
import { readTicket } from './ticket.ts';

/** What opening needs of the attempt it is part of. */
export interface OpeningOptions {
  readonly companion: Companion;
  readonly memory: Memory;
  readonly settling: Settling;
  /** The order ticket. */
  readonly order: string;
  readonly life: AbortSignal;
  readonly leaving: AbortSignal;
  /** The shopper left meanwhile: what is open is being closed. */
  readonly onLeaving: () => void;
}

/**
 * The checkout of before a reload, where there is one to go on with; otherwise a new one.
 * @throws the reason of `leaving` when the shopper left before there was a checkout.
 */
export async function open(options: OpeningOptions): Promise<Checkout> {
  const { life, leaving, memory, order, settling } = options;
  const id = memory.recall()?.id;
  if (!id) return prime(options);
  const here = AbortSignal.any([life, leaving]);
  let found: Checkout;
  try {
    found = await settling.follow(id, here);
  } catch (error) {
    life.throwIfAborted();
    if (here.aborted) {
      options.onLeaving();
      return settling.cancel(id);
    }
    if (!(error instanceof CompanionError) || error.code !== 'checkout-not-found') throw error;
    memory.forget();
    return prime(options);
  }
  const claims = readTicket(order);
  const drifted =
    claims !== undefined &&
    (claims.totalAmount !== found.amount.value || claims.currency !== found.amount.currency);
  if (found.status === 'open' && drifted) {
    // The cart is another one now: what is still open for the old one is closed first.
    found = await settling.cancel(id, { ...found, status: 'cancelled' });
  }
  if (found.status !== 'cancelled' && found.status !== 'expired') return found;
  memory.forget();
  return prime(options);
}

/** Opens a new checkout, with the key of an attempt whose answer was lost where there is one. */
export async function prime(options: OpeningOptions): Promise<Checkout> {
  const { companion, leaving, life, memory, settling } = options;
  const here = AbortSignal.any([life, leaving]);
  for (let tries = 0; ; tries++) {
    const used = memory.recall()?.key;
    const key = used ?? crypto.randomUUID() + crypto.randomUUID();
    // One of them has 122 random bits (RFC 9562 5.4), a secret needs 128.
    // Before it is sent: whatever happens to the answer, the same key asks for the same checkout.
    memory.remember({ key });
    try {
      const checkout = await companion.prime(key, here);
      const isOpen = checkout.status === 'open';
      if (isOpen) memory.remember({ key, id: checkout.id });
      // An answer from before the reload, or the order is decided: its checkout has another secret.
      else memory.forget();
      if (isOpen || !used) return checkout;
    } catch (error) {
      if (!(error instanceof CompanionError) || !error.settled) throw error;
      if (error.code === 'idempotency-in-flight') {
        if (tries > 4) throw error;
        await settling.wait(tries, here);
        continue;
      }
      memory.forget();
      // The ticket was signed anew since: a request of its own.
      if (error.code !== 'idempotency-key-reused' || tries > 0) throw error;
    }
  }
}
