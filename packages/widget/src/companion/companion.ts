import { isCheckout } from './answer.ts';
import type { Checkout } from './answer.ts';
import type { Configuration } from './configuration.ts';
import { ask } from './request.ts';
import type { Send } from './request.ts';
import { SHOWN } from '../events/message-shown-event.ts';
import type { ShownMessage } from '../events/message-shown-event.ts';
import { readTicket } from './ticket.ts';

export { CompanionError } from './request.ts';

/** Timeouts in milliseconds. A charge takes longer than a lookup. */
const TIMEOUT = { prime: 30_000, confirmation: 30_000, cancellation: 8_000, lookup: 10_000 };

/**
 * Returns the message that this tab has shown. The code that validates it loads only if there is
 * one.
 */
async function shownMessage(currency: unknown): Promise<ShownMessage | undefined> {
  try {
    const text = sessionStorage.getItem(SHOWN);
    return text ? (await import('./shown.ts')).shownMessage(text, currency) : undefined;
  } catch {
    // If storage is blocked or the file does not load, the order has no evidence of a message.
    return undefined;
  }
}

export interface Confirmation {
  readonly confirmationToken: string;
  readonly order?: string | undefined;
}

/**
 * Client for the companion's storefront API. Every call settles: with a response, with an error, or
 * because its signal was aborted.
 */
export class Companion {
  /** Settings for requests. A new ticket replaces them. */
  declare configuration: Configuration;
  /**
   * Idempotency-Key of the prime. It is also the page's secret for the checkout: without it, the
   * companion responds with `checkout-not-found`.
   */
  declare key: string | undefined;
  readonly #send: Send | undefined;

  constructor(configuration: Configuration, send?: Send) {
    this.configuration = configuration;
    this.#send = send;
  }

  /**
   * Opens a checkout. Safe to repeat with the same key.
   * @param via `link`: for another device
   */
  async prime(key: string, signal: AbortSignal, via: 'link' | undefined): Promise<Checkout> {
    this.key = key;
    const { order, environment, returnUrl, locale } = this.configuration;
    const shown = await shownMessage(readTicket(order)?.currency);
    const body = { order, environment, returnUrl, locale, shown, via };
    return this.#ask('prime', TIMEOUT.prime, signal, body);
  }

  find(id: string, signal: AbortSignal): Promise<Checkout> {
    return this.#ask(encodeURIComponent(id), TIMEOUT.lookup, signal);
  }

  /**
   * Makes the charge. Safe to repeat, because the companion makes only one charge.
   * @param confirmation includes the current order; the companion refuses to charge any other order
   */
  confirm(id: string, confirmation: Confirmation, signal: AbortSignal): Promise<Checkout> {
    const path = `${encodeURIComponent(id)}/confirmation`;
    return this.#ask(path, TIMEOUT.confirmation, signal, confirmation);
  }

  /**
   * Cancels the checkout because the shopper left. Returns the outcome that the service reports.
   */
  cancel(id: string, signal: AbortSignal): Promise<Checkout> {
    return this.#ask(`${encodeURIComponent(id)}/cancellation`, TIMEOUT.cancellation, signal, {});
  }

  #ask(path: string, timeout: number, signal: AbortSignal, body?: object): Promise<Checkout> {
    const { configuration, key } = this;
    const opens = path === 'prime';
    const question = { timeout, body, key, opens, isAnswer: isCheckout };
    return ask(configuration, { path: `/checkout/${path}`, ...question }, signal, this.#send);
  }
}
