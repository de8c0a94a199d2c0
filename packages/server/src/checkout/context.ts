import type { Presentation } from '@financing-checkout/contract';
import type { ChargeContext } from '../charges/context.ts';
import type { PublishedProgrammes } from '../programmes/published.ts';
import type { PageReads } from '../service/page-reads.ts';
import type { LinkMessageBudgets, OrderBudgets } from './budgets.ts';
import type { OrderSource } from './order-source.ts';

/**
 * The service's own browser SDK, for pages that present the checkout with it. The published scripts
 * are https://cdn.chargeafter.com/web/v2/chargeafter.min.js (Production) and
 * https://cdn-sandbox.ca-dev.co/web/v2/chargeafter.min.js (Sandbox); there is none for UAT.
 * `integrity` is the script's subresource integrity if its URL is pinned to one version, and
 * `global` is the name of the only global variable that the script sets.
 */
export type BrowserSdk = NonNullable<Presentation['sdk']>;

/** The dependencies of operations on a checkout. */
export interface CheckoutContext extends ChargeContext {
  /** Shared reads from the service, for reads whose number a page controls. */
  pageReads: PageReads;
  publicKey: string;
  orderSource: OrderSource;
  /** Whether the browser carries the signed order itself instead of a reference to it. */
  hasTickets: boolean;
  /** Whether a ticket may open only one checkout at a time. */
  oneTimeTickets: boolean;
  /** Address of the documentation, to which the `type` of a problem leads. */
  docsUrl?: string | undefined;
  budgets: OrderBudgets;
  linkMessageBudgets: LinkMessageBudgets;
  /** Whether the settle is requested with the charge. */
  settle: boolean;
  hostedUrl: string | undefined;
  /** The service's own browser SDK, if pages may use it. */
  sdk: BrowserSdk | undefined;
  inFlight: InFlight;
  programmes: PublishedProgrammes;
}

/** Work that continues after the response to its request was sent. */
export type InFlight = ReturnType<typeof createInFlight>;

/** Creates an empty {@link InFlight}. */
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
