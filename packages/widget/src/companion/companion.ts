import { isCheckout, isRefusal } from './answer.ts';
import type { Amounts, Checkout } from './answer.ts';
import type { Configuration } from './configuration.ts';
import { shownMessage } from './shown.ts';
import { readTicket } from './ticket.ts';

/** Version of the storefront API this widget speaks. */
const VERSION = '1';

/** Timeouts in milliseconds: a charge takes longer than a lookup. */
const TIMEOUT = { prime: 30_000, confirmation: 30_000, cancellation: 8_000, lookup: 10_000 };

/** Body of a confirmation. */
export interface Confirmation {
  readonly confirmationToken: string;
  readonly order?: string | undefined;
}

/** The companion refused, did not answer, or sent an unreadable answer. */
export class CompanionError extends Error {
  /** A problem code of the companion, or `unreachable`, `timeout`, `answer-invalid`. */
  declare readonly code: string;
  /** Whether the companion itself answered: the request is no longer in flight. */
  declare readonly answered: boolean;
  /** Whether the same request will be refused again. */
  declare readonly refused: boolean;
  declare readonly retrySafe: boolean;
  /** Only with `order-changed`. */
  declare readonly amounts: Amounts | undefined;

  constructor(code: string, message: string, status = 0, retrySafe = true, amounts?: Amounts) {
    super(message);
    this.code = code;
    this.answered = status > 0;
    this.refused = status >= 400 && status < 500 && code !== 'rate-limited' && status !== 409;
    this.retrySafe = retrySafe;
    this.amounts = amounts;
    if (code === 'environment-mismatch') this.refused = true;
  }
}

/** Client of the companion's storefront API. Each call ends: with an answer, an error or its signal. */
export class Companion {
  /** Settings of the requests. A new ticket replaces them. */
  declare configuration: Configuration;
  /**
   * Idempotency-Key of the prime. It is also the page's secret for the checkout: without it the
   * companion answers `checkout-not-found`.
   */
  declare key: string | undefined;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;

  constructor(
    configuration: Configuration,
    send = (url: string, init: RequestInit) => fetch(url, init),
  ) {
    this.configuration = configuration;
    this.#fetch = send;
  }

  /** Opens a checkout. Safe to repeat with the same key. */
  prime(key: string, signal: AbortSignal): Promise<Checkout> {
    this.key = key;
    const { order, environment, returnUrl, locale } = this.configuration;
    const shown = shownMessage(readTicket(order)?.currency);
    const body = { order, environment, returnUrl, locale, shown };
    return this.#send('prime', TIMEOUT.prime, signal, body);
  }

  find(id: string, signal: AbortSignal): Promise<Checkout> {
    return this.#send(encodeURIComponent(id), TIMEOUT.lookup, signal);
  }

  /**
   * Makes the charge. Safe to repeat: the companion makes one charge.
   * @param confirmation includes the current order; the companion charges nothing for another one
   */
  confirm(id: string, confirmation: Confirmation, signal: AbortSignal): Promise<Checkout> {
    const path = `${encodeURIComponent(id)}/confirmation`;
    return this.#send(path, TIMEOUT.confirmation, signal, confirmation);
  }

  /** Cancels the checkout because the shopper left. Returns the outcome that the service knows. */
  cancel(id: string, signal: AbortSignal): Promise<Checkout> {
    return this.#send(`${encodeURIComponent(id)}/cancellation`, TIMEOUT.cancellation, signal, {});
  }

  async #send(
    path: string,
    timeout: number,
    signal: AbortSignal,
    body?: object,
  ): Promise<Checkout> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout);
    try {
      const response = await this.#fetch(`${this.configuration.companion}/checkout/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: {
          Authorization: `Bearer ${this.configuration.publicKey}`,
          'Financing-Checkout-Version': VERSION,
          ...(body && { 'Content-Type': 'application/json' }),
          [path === 'prime' ? 'Idempotency-Key' : 'Financing-Checkout-Secret']: this.key ?? '',
        },
        cache: 'no-store',
        credentials: 'omit',
        // The answer of a redirect's target is not the companion's.
        redirect: 'error',
        referrerPolicy: 'strict-origin',
        signal: AbortSignal.any([signal, late.signal]),
      });
      return this.#read(response.status, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CompanionError) throw error;
      throw late.signal.aborted
        ? new CompanionError('timeout', `No answer in ${timeout} ms.`)
        : new CompanionError(
            'unreachable',
            'Check companion, its allowed origins and connect-src.',
          );
    } finally {
      clearTimeout(timer);
    }
  }

  #read(status: number, text: string): Checkout {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      // Reported below, like any other answer that is not the companion's: a proxy's HTML, a
      // truncated body.
    }
    if (status < 300 && isCheckout(answer)) {
      if (answer.environment === this.configuration.environment) return answer;
      throw new CompanionError(
        'environment-mismatch',
        `This page uses ${this.configuration.environment}, the companion ${answer.environment}.`,
        409,
      );
    }
    if (status >= 400 && isRefusal(answer)) {
      const { code, title, detail, requestId, retrySafe, amounts } = answer;
      const message = [`${title}.`, detail, requestId && `(request ${requestId})`];
      throw new CompanionError(code, message.filter(Boolean).join(' '), status, retrySafe, amounts);
    }
    throw new CompanionError('answer-invalid', `HTTP ${status} is not a companion.`);
  }
}
