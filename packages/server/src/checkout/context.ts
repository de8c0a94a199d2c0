import type { Environment, Order } from '@financing-checkout/contract';
import type { Clock } from '../clock/clock.ts';
import type { Counters } from '../observe/counters.ts';
import type { Logger } from '../observe/logger.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Store } from '../store/store.ts';

/** Turns what the browser carries (a ticket, or a reference) into the order it stands for. */
export type OrderSource = (
  reference: string,
  page: { origin: string; request: Request },
) => Promise<Order>;

/** What the operations on a checkout work with. */
export interface CheckoutContext {
  environment: Environment;
  publicKey: string;
  store: Store;
  service: ServiceClient;
  orderSource: OrderSource;
  /** Whether a charge is settled as it is made. */
  settle: boolean;
  hostedUrl: string | undefined;
  clock: Clock;
  logger: Logger;
  counters: Counters;
  /** Tells that there is something to deliver. */
  changed: () => void;
}

/**
 * How long an attempt belongs to the companion that recorded it, in milliseconds: longer than a
 * call of the service may take. After it a companion that died is presumed dead.
 */
export const LEASE_MS = 30_000;

/** Milliseconds for which a session without an expiry of its own stays open. */
export const DEFAULT_LIFETIME_MS = 30 * 60_000;

/**
 * How long after a charge was sent its absence at the service counts as proof that it was not
 * made, in milliseconds. Well past every deadline, ours and theirs.
 */
export const ABSENCE_GRACE_MS = 120_000;

/** Time until the next look at a checkout: doubles from two seconds to five minutes. */
export function attentionDelay(tries: number): number {
  return Math.min(300_000, 2_000 * 2 ** Math.min(tries, 10));
}
