import { ask } from '../companion/request.ts';
import type { Send } from '../companion/request.ts';
import { isPrequalification } from './answer.ts';
import type { Prequalification } from './answer.ts';
import type { PrequalifyConfiguration } from './configuration.ts';

/** Timeouts in milliseconds. */
const TIMEOUT = { open: 30_000, find: 10_000 };

/** Client of the companion for applications without a cart. Each call ends. */
export class PrequalifyClient {
  readonly #configuration: PrequalifyConfiguration;
  readonly #send: Send | undefined;

  constructor(configuration: PrequalifyConfiguration, send?: Send) {
    this.#configuration = configuration;
    this.#send = send;
  }

  /**
   * Opens an application. Safe to repeat with the same key.
   * @throws {CompanionError}
   */
  open(key: string, signal: AbortSignal): Promise<Prequalification> {
    const { amount, currency, environment, locale, returnUrl } = this.#configuration;
    const body = { environment, currency, amount, returnUrl, locale };
    return this.#ask('', TIMEOUT.open, key, signal, body);
  }

  /**
   * Reads an application as the service states it now.
   * @param key the one that opened it: the page's secret
   * @throws {CompanionError} `not-found` for another key
   */
  find(id: string, key: string, signal: AbortSignal): Promise<Prequalification> {
    return this.#ask(`/${encodeURIComponent(id)}`, TIMEOUT.find, key, signal);
  }

  #ask(path: string, timeout: number, key: string, signal: AbortSignal, body?: object) {
    const opens = body !== undefined;
    const question = { timeout, key, opens, body, isAnswer: isPrequalification };
    return ask(
      this.#configuration,
      { path: `/prequalifications${path}`, ...question },
      signal,
      this.#send,
    );
  }
}
