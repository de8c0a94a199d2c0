import type { Environment, Order } from '@financing-checkout/contract';
import type { Clock } from '../platform/clock.ts';
import type { Counters } from '../platform/counters.ts';
import type { Logger } from '../platform/logger.ts';
import { ProblemError } from '../platform/problem.ts';
import type { ServiceClient } from '../service/client.ts';
import type { CheckoutRow, Store } from '../store/store.ts';
import type { OrderBudgets } from './budgets.ts';
import type { UnderWay } from './under-way.ts';
import type { Waits } from './waits.ts';

/** An order, and the ticket that stated it. */
export interface StatedOrder {
  order: Order;
  /** The ticket's `jti`; undefined for a reference. */
  ticketId: string | undefined;
}

/** Turns what the browser carries (a ticket, or a reference) into the order it stands for. */
export type OrderSource = (
  reference: string,
  page: { origin: string; request: Request },
) => Promise<StatedOrder>;

/** The service's own browser SDK, for pages that present the checkout with it. */
export interface BrowserSdk {
  /**
   * Address of the script. Published are https://cdn.chargeafter.com/web/v2/chargeafter.min.js
   * (Production) and https://cdn-sandbox.ca-dev.co/web/v2/chargeafter.min.js (Sandbox); none for UAT.
   */
  src: string;
  /** Subresource integrity of the script, where its address names one version. */
  integrity?: string;
  /** Name of the one global the script sets. */
  global: string;
}

/** What the operations on a checkout work with. */
export interface CheckoutContext {
  environment: Environment;
  publicKey: string;
  store: Store;
  service: ServiceClient;
  orderSource: OrderSource;
  /** Whether what the browser carries is the order itself, signed, and not a reference to it. */
  statesItself: boolean;
  /** Whether a ticket may open one checkout at a time only. */
  oneTimeTickets: boolean;
  budgets: OrderBudgets;
  /** Currency of money of which nobody says one. */
  defaultCurrency: string;
  /** Whether a charge is settled as it is made. */
  settle: boolean;
  hostedUrl: string | undefined;
  /** The service's own browser SDK, where pages may use it. */
  sdk: BrowserSdk | undefined;
  waits: Waits;
  underWay: UnderWay;
  clock: Clock;
  /** Since when the clock was not set forward, in milliseconds since 1970, as far as is known. */
  steadySince: () => number;
  logger: Logger;
  counters: Counters;
  /** Tells that there is something to deliver. */
  changed: () => void;
}

/** Milliseconds for which a session stays open that has no expiry, or none our clock can use. */
export const DEFAULT_LIFETIME_MS = 30 * 60_000;

/**
 * A checkout of this companion's environment: companions of several may share a store, and the
 * service of one knows nothing of the others'.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function ownCheckout(
  { environment, store }: Pick<CheckoutContext, 'environment' | 'store'>,
  id: string,
): Promise<CheckoutRow> {
  const checkout = await store.findCheckout(id);
  if (checkout?.environment === environment) return checkout;
  throw new ProblemError('checkout-not-found');
}
