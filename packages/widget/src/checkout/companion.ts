import { isCheckout, isRefusal } from './answer.ts';
import type { Amounts, Checkout } from './answer.ts';
import type { Configuration } from './configuration.ts';

/** Version of the storefront API this widget speaks. */
const VERSION = '1';

/** Longest wait for an answer, in milliseconds: a charge takes its time, a question does not. */
const DEADLINE = { prime: 30_000, confirmation: 30_000, cancellation: 8_000, question: 10_000 };

/** Body of a confirmation. */
export interface Confirmation {
  readonly confirmationToken: string;
  readonly order?: string | undefined;
}

/** The companion refused, did not answer, or answered with something unreadable. */
export class CompanionError extends Error {
  /** A problem code of the companion, or `unreachable`, `timeout`, `answer-invalid`. */
  declare readonly code: string;
  /** Whether the companion itself said so: nothing of the request is still on its way. */
  declare readonly settled: boolean;
  /** Whether the same request will be refused again. */
  declare readonly refused: boolean;
  declare readonly retrySafe: boolean;
  /** Only with `order-changed`. */
  declare readonly amounts: Amounts | undefined;

  constructor(code: string, message: string, status = 0, retrySafe = true, amounts?: Amounts) {
    super(message);
    this.code = code;
    this.settled = status > 0;
    this.refused = status >= 400 && status < 500 && code !== 'rate-limited' && status !== 409;
    this.retrySafe = retrySafe;
    this.amounts = amounts;
    if (code === 'environment-mismatch') this.refused = true;
  }
}

/** The storefront API of the companion. Each call ends: with an answer, an error, or its signal. */
export class Companion {
  /** What it is asked with: another ticket may take its place. */
  declare configuration: Configuration;
  /**
   * Idempotency-Key of the prime. It is also the secret of the page for the checkout: without it the
   * companion answers as if there were none.
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

  /** Opens a checkout. Sending it again with the same key is harmless. */
  prime(key: string, signal: AbortSignal): Promise<Checkout> {
    this.key = key;
    const { order, environment, returnUrl, locale } = this.configuration;
    const body = { order, environment, returnUrl, locale };
    return this.#ask('prime', DEADLINE.prime, signal, body);
  }

  find(id: string, signal: AbortSignal): Promise<Checkout> {
    return this.#ask(encodeURIComponent(id), DEADLINE.question, signal);
  }

  /**
   * Has the charge made. Sending it again is harmless: the companion makes one charge.
   * @param confirmation with the order as the page has it now: for another one nothing is charged
   */
  confirm(id: string, confirmation: Confirmation, signal: AbortSignal): Promise<Checkout> {
    const path = `${encodeURIComponent(id)}/confirmation`;
    return this.#ask(path, DEADLINE.confirmation, signal, confirmation);
  }

  /** Says that the shopper left; the answer has the outcome that the service knows. */
  cancel(id: string, signal: AbortSignal): Promise<Checkout> {
    return this.#ask(`${encodeURIComponent(id)}/cancellation`, DEADLINE.cancellation, signal, {});
  }

  async #ask(
    path: string,
    deadline: number,
    signal: AbortSignal,
    body?: object,
  ): Promise<Checkout> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), deadline);
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
        // An answer from elsewhere is not the companion's.
        redirect: 'error',
        referrerPolicy: 'strict-origin',
        signal: AbortSignal.any([signal, late.signal]),
      });
      return this.#read(response.status, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CompanionError) throw error;
      throw late.signal.aborted
        ? new CompanionError('timeout', `No answer in ${deadline} ms.`)
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
      // Told below, like any other answer that is not the companion's: a proxy's HTML, a cut body.
    }
    if (status < 300 && isCheckout(answer)) {
      if (answer.environment === this.configuration.environment) return answer;
      throw new CompanionError(
        'environment-mismatch',
        `This page is set to ${this.configuration.environment}, the companion to ${answer.environment}.`,
        409,
      );
    }
    if (status >= 400 && isRefusal(answer)) {
      const { code, title, detail, requestId, retrySafe, amounts } = answer;
      const message = [`${title}.`, detail, requestId && `(request ${requestId})`];
      throw new CompanionError(code, message.filter(Boolean).join(' '), status, retrySafe, amounts);
    }
    throw new CompanionError('answer-invalid', `HTTP ${status}, and not an answer of a companion.`);
  }
}
