import { delay, type Clock } from '@financing-checkout/kit';
import type { Logger } from '../platform/log.ts';
import type { FactStore, Fence } from './store.ts';

export interface LeaseOptions {
  facts: Pick<FactStore, 'serverTime' | 'takeLease' | 'renewLease' | 'releaseLease'>;
  /** Unique name of the process. */
  holder: string;
  /** Base URL of the process's HTTP API, if it has one. */
  address?: string | undefined;
  clock: Clock;
  logger: Logger;
  /** Milliseconds after which a dead process loses the lease. @default 10_000 */
  lengthMs?: number;
}

/**
 * Parts of the lease duration: after one part, the holder renews the lease, and a waiting process
 * retries.
 */
const PARTS = 4;
const LENGTH_MS = 10_000;

/** The lease of this process, renewed until it is released or lost. */
export class Lease {
  readonly fence: Fence;
  /** Aborted when another process may hold the lease; all writing must stop then. */
  readonly lost: AbortSignal;
  readonly #options: LeaseOptions;
  readonly #losing = new AbortController();
  /**
   * Time at which the lease ends on this process's own clock. Other processes do not see this
   * clock.
   */
  #until: number;
  #cancel: () => void = () => undefined;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(options: LeaseOptions, fence: Fence, until: number) {
    this.#options = options;
    this.fence = fence;
    this.lost = this.#losing.signal;
    this.#until = until;
    this.#schedule();
  }

  /** Acquires the lease. Returns undefined while another process holds it. */
  static async take(options: LeaseOptions): Promise<Lease | undefined> {
    const { facts, holder, address, clock } = options;
    const until = clock.now() + lengthOf(options);
    const now = await timeOf(options);
    const fence = await facts.takeLease(holder, address, now, now + lengthOf(options));
    return fence && new Lease(options, fence, until);
  }

  /**
   * Waits until the lease is available and acquires it. Retries while the database is unavailable.
   * @returns undefined once `signal` is aborted
   */
  static async wait(options: LeaseOptions, signal: AbortSignal): Promise<Lease | undefined> {
    while (!signal.aborted) {
      try {
        const lease = await Lease.take(options);
        if (lease !== undefined) return lease;
      } catch (error) {
        const errorName = error instanceof Error ? error.name : typeof error;
        options.logger.log('warn', 'lease-not-asked', { errorName });
      }
      await delay(options.clock, lengthOf(options) / PARTS, signal);
    }
    return undefined;
  }

  /** Releases the lease, so that another process need not wait for it to expire. */
  async release(): Promise<void> {
    this.#cancel();
    await this.#renewal;
    if (this.lost.aborted) return;
    this.#losing.abort();
    await this.#options.facts.releaseLease(this.fence);
  }

  #schedule(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(lengthOf(this.#options) / PARTS, () => {
      this.#renewal = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { facts, clock, logger } = this.#options;
    const until = clock.now() + lengthOf(this.#options);
    try {
      const now = await timeOf(this.#options);
      if (!(await facts.renewLease(this.fence, now + lengthOf(this.#options)))) {
        this.#lose('taken');
        return;
      }
      this.#until = until;
    } catch (error) {
      // The database may become available again before the lease expires. After that, another
      // process may hold the lease.
      const errorName = error instanceof Error ? error.name : typeof error;
      logger.log('warn', 'lease-not-renewed', { errorName });
      if (clock.now() >= this.#until) {
        this.#lose('expired');
        return;
      }
    }
    this.#schedule();
  }

  #lose(reason: string): void {
    this.#options.logger.log('warn', 'lease-lost', { reason });
    this.#losing.abort();
  }
}

/**
 * Returns the time to compare the lease with. Uses the database's clock, because a process whose
 * own clock is ahead would take the lease from one that is still alive.
 */
async function timeOf({ facts, clock }: LeaseOptions): Promise<number> {
  return (await facts.serverTime?.()) ?? clock.now();
}

function lengthOf({ lengthMs = LENGTH_MS }: LeaseOptions): number {
  return lengthMs;
}
