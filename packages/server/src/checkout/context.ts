import type { ChargeContext } from '../charges/context.ts';
import type { PublishedProgrammes } from '../programmes/published.ts';
import type { PageReads } from '../service/page-reads.ts';
import type { OrderSource } from './order-source.ts';

export interface CheckoutContext extends ChargeContext {
  /** Shared service reads, for reads that a page can repeat at will. */
  pageReads: PageReads;
  orderSource: OrderSource;
  /** Whether the browser carries the signed order itself instead of a reference to it. */
  hasTickets: boolean;
  inFlight: InFlight;
  programmes: PublishedProgrammes;
}

/** Work that continues after the response to its request was sent. */
export type InFlight = ReturnType<typeof createInFlight>;

export function createInFlight() {
  const all = new Set<Promise<unknown>>();
  return {
    add(work: Promise<unknown>): void {
      const ended = Promise.allSettled([work]);
      all.add(ended);
      void ended.then(() => all.delete(ended));
    },
    /** Resolves when no work is in flight. */
    async idle(): Promise<void> {
      while (all.size > 0) await Promise.all(all);
    },
  };
}
