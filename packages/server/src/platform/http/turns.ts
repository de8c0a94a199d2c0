import { type ClientAddress, clientBlock } from '@financing-checkout/kit';
import type { MiddlewareHandler } from 'hono';
import type { Env } from './requests.ts';

/** Requests of one client address that are worked on at a time: an eighth of the calls of the service. */
export const DEFAULT_TURNS = 8;

/** The work of one name: how much runs, and what waits. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Runs a few pieces of work of each name at a time. The others of that name wait, in the order they came. */
export class Turns {
  readonly #atOnce: number;
  readonly #lines = new Map<string, Line>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Number of names with work. */
  get size(): number {
    return this.#lines.size;
  }

  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(name) ?? { running: 0, waiting: [] };
    this.#lines.set(name, line);
    if (line.running < this.#atOnce) line.running++;
    // What ends hands its turn over, so `running` stays as it is.
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
 * Works on a few requests of one client address at a time, IPv6 by its /64. The burst that the limit of an
 * address allows would otherwise fill the queue for calls of the service, ahead of the primes of others.
 * Requests from this machine and without a known address do not wait: they may be all shoppers.
 * @param atOnce 0 is no limit
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
