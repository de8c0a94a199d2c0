import type { Checkout } from '../companion/answer.ts';
import type { Companion } from '../companion/companion.ts';
import type { Configuration } from '../companion/configuration.ts';
import { Memory } from '../companion/memory.ts';
import { openOnce } from '../companion/once.ts';
import { readTicket } from '../companion/ticket.ts';
import type { isOpenElsewhere } from '../platform/tabs.ts';
import type { Poller } from './poller.ts';

/** What opening a checkout needs from the attempt. */
export interface OpeningOptions {
  readonly companion: Companion;
  readonly memory: Memory;
  readonly poller: Poller;
  /** The order ticket. */
  readonly order: string;
  /** `link`: the shopper continues on another device. */
  readonly via: 'link' | undefined;
  readonly life: AbortSignal;
  readonly leaving: AbortSignal;
  /** Reports a problem to the page's developer. */
  readonly onError: (error: { code: string; message: string }) => void;
}

/**
 * What the code in `detours.ts` needs. The functions are passed in because the checkout has already
 * loaded them; a shared file would cost one more request.
 */
export interface DetourOptions extends OpeningOptions {
  readonly isOpenElsewhere: typeof isOpenElsewhere;
  /** Opens a new checkout. */
  readonly prime: () => Promise<Checkout>;
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
