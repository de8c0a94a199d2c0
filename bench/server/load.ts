import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { signTicket } from '../../tests/e2e/ticket.ts';

/** The target of primes, and the data that they need to be accepted. */
export interface Target {
  ca: string;
  origin: string;
  publicKey: string;
  /** Order tickets that are used in turn. */
  bodies: readonly string[];
}

/** The measurements of a load. Times are milliseconds. */
export interface Load {
  sent: number;
  rps: number;
  times: number[];
}

/** Maximum number of response times kept per load. */
const MAX_TIMES = 200_000;

/** Returns a ticket for an order of two items. */
export function orderTicket(merchantOrderId: string, secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  return signTicket(
    {
      aud: 'financing-companion',
      env: 'sandbox',
      iat: now,
      exp: now + 6 * 3600,
      jti: randomUUID(),
      order: {
        merchantOrderId,
        currency: 'USD',
        items: [
          { name: 'Lounge chair', sku: 'LC-1', price: 89_000, quantity: 1 },
          { name: 'Reading lamp', sku: 'RL-2', price: 12_500, quantity: 2 },
        ],
        taxAmount: 5563,
        shippingAmount: 0,
        totalAmount: 119_563,
      },
    },
    secret,
  );
}

/** Returns prime bodies for `count` orders, each with its own ticket. */
export function primeBodies(count: number, secret: string): string[] {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({ environment: 'sandbox', order: orderTicket(`bench-${index}`, secret) }),
  );
}

/** Sends primes to one address and checks each answer. */
class Sender {
  readonly times: number[] = [];
  sent = 0;
  /** The first answer that is not a session of the service. */
  wrong: string | undefined;
  readonly #target: Target;
  readonly #pool: Pool;

  constructor(url: string, target: Target, connections: number) {
    this.#target = target;
    this.#pool = new Pool(url, { connections, connect: { ca: target.ca } });
  }

  /** Sends a prime. Its time is measured from `from`, a value of `performance.now()`. */
  async send(from: number): Promise<void> {
    const { bodies, origin, publicKey } = this.#target;
    const body = bodies[this.sent++ % bodies.length] ?? '';
    try {
      const answer = await this.#pool.request({
        method: 'POST',
        path: '/checkout/prime',
        headers: {
          authorization: `Bearer ${publicKey}`,
          'content-type': 'application/json',
          'financing-checkout-version': '1',
          'idempotency-key': randomUUID(),
          origin,
        },
        body,
      });
      const text = await answer.body.text();
      const isCreated = answer.statusCode === 201 || answer.statusCode === 200;
      if (!isCreated || !text.includes('"session-')) this.wrong ??= `${answer.statusCode} ${text}`;
    } catch (error) {
      this.wrong ??= String(error);
    }
    if (this.times.length < MAX_TIMES) this.times.push(performance.now() - from);
  }

  /**
   * @throws {Error} when an answer was not a session of the service, because a broken program would
   * look fast
   */
  async end(url: string, started: number): Promise<Load> {
    const seconds = (performance.now() - started) / 1000;
    await this.#pool.close();
    if (this.wrong !== undefined) throw new Error(`${url} gave a wrong answer: ${this.wrong}`);
    return { sent: this.sent, rps: this.sent / seconds, times: this.times };
  }
}

/**
 * Keeps all connections busy until the time or the number of requests is reached.
 * @throws {Error} when an answer is not a session of the service
 */
export async function closedLoop(
  url: string,
  target: Target,
  options: { connections: number; seconds?: number; requests?: number },
): Promise<Load> {
  const { connections, seconds = Infinity, requests = Infinity } = options;
  const sender = new Sender(url, target, connections);
  const started = performance.now();
  const until = started + seconds * 1000;
  const worker = async () => {
    for (;;) {
      const now = performance.now();
      if (sender.wrong !== undefined || now >= until || sender.sent >= requests) return;
      await sender.send(now);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return sender.end(url, started);
}

/**
 * Sends primes at a fixed rate, whether or not earlier ones are answered. Each is timed from the
 * moment at which it is due, so that a stall counts against all primes that it holds up.
 * @throws {Error} when an answer is not a session of the service
 */
export async function openLoop(
  url: string,
  target: Target,
  options: { connections: number; seconds: number; perSecond: number },
): Promise<Load> {
  const { connections, seconds, perSecond } = options;
  const sender = new Sender(url, target, connections);
  const started = performance.now();
  await atRate({ perSecond, seconds }, async (due) => {
    if (sender.wrong === undefined) await sender.send(due);
  });
  return sender.end(url, started);
}

/**
 * Calls `send` at a fixed rate, whether or not earlier calls have ended, and waits until all have.
 * @param send receives the `performance.now()` value at which the call is due
 * @returns how much later than due the calls were sent, in milliseconds: the 99th percentile
 */
export async function atRate(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  send: (due: number) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const inFlight: Promise<void>[] = [];
  const total = seconds * perSecond;
  const delays: number[] = [];
  const dueOf = (index: number) => started + (index * 1000) / perSecond;
  while (inFlight.length < total) {
    const now = performance.now();
    while (inFlight.length < total && dueOf(inFlight.length) <= now) {
      const due = dueOf(inFlight.length);
      delays.push(now - due);
      inFlight.push(send(due));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(inFlight);
  return percentile(delays, 0.99);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);
