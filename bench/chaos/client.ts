import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../fuzz/chance.ts';

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** A client that retries over several addresses of one API, like a load balancer. */
export class Client {
  readonly #urls: readonly string[];
  readonly #headers: Record<string, string>;
  readonly #chance: Chance;
  readonly #onAnswer: (path: string, url: string) => void;

  constructor(
    urls: readonly string[],
    headers: Record<string, string>,
    chance: Chance,
    onAnswer: (path: string, url: string) => void,
  ) {
    this.#urls = urls;
    this.#headers = headers;
    this.#chance = chance;
    this.#onAnswer = onAnswer;
  }

  /** Sends one request. @returns undefined without an answer, when the effect is unknown */
  async once(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    signal = AbortSignal.timeout(8_000),
  ): Promise<Answer | undefined> {
    try {
      const url = this.#chance.of(this.#urls);
      const response = await fetch(url + path, {
        method,
        headers: { ...this.#headers, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      });
      const text = await response.text();
      this.#onAnswer(path, url);
      return { status: response.status, body: JSON.parse(text) as Record<string, unknown> };
    } catch {
      return undefined;
    }
  }

  /**
   * Retries a request until it gets a final answer: "in flight", "too busy", "not reachable" and a
   * missing answer are not final.
   */
  async until(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    for (;;) {
      const answer = await this.once(method, path, body, headers);
      if (answer && !isTemporary(answer)) return answer;
      await this.rest();
    }
  }

  /** Waits for a random time. */
  rest(): Promise<void> {
    return pause(this.#chance.whole(100, 400));
  }
}

const temporary = new Set([
  'idempotency-in-flight',
  'service-unavailable',
  'service-key-rejected',
  'charge-busy',
  'rate-limited',
  'store-unavailable',
  'overloaded',
  'internal',
]);

function isTemporary({ body }: Answer): boolean {
  return typeof body.code === 'string' && temporary.has(body.code);
}
