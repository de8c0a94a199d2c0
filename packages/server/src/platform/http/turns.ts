import { type ClientAddress, clientBlock } from '@financing-checkout/kit';
import type { MiddlewareHandler } from 'hono';
import type { Env } from './requests.ts';

/** The queue of one name: how many tasks are running, and which are waiting. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Concurrency limit per name. Excess tasks with the same name wait in FIFO order. */
export class Turns {
  readonly #atOnce: number;
  readonly #lines = new Map<string, Line>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Number of names with running tasks. */
  get size(): number {
    return this.#lines.size;
  }

  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(name) ?? { running: 0, waiting: [] };
    this.#lines.set(name, line);
    if (line.running < this.#atOnce) line.running++;
    // A task that ends hands its turn over to the next one, so `running` does not change.
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else if (--line.running === 0) this.#lines.delete(name);
    }
  }
}

/**
 * Limits the concurrent requests per client address (per /64 for IPv6). Otherwise one address could
 * fill the queue for service calls within its rate limit, ahead of other shoppers' primes. Requests
 * from this machine or without a known address do not wait, because they may come from all
 * shoppers.
 * @param atOnce maximum number of concurrent requests; 0 means no limit
 */
export function takeTurns(
  atOnce: number,
  clientAddress: ClientAddress | undefined,
): MiddlewareHandler<Env>[] {
  if (atOnce === 0 || clientAddress === undefined) return [];
  const turns = new Turns(atOnce);
  const takeTurn: MiddlewareHandler<Env> = function takeTurn(c, next) {
    const { block } = clientBlock(clientAddress(c.req.raw, c.env));
    return block === undefined ? next() : turns.run(block, next);
  };
  return [takeTurn];
}
