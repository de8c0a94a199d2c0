import type { Order } from '@financing-checkout/contract/storefront';
import {
  type ClientAddress,
  type Clock,
  systemClock,
  type Transport,
  watchClock,
} from '@financing-checkout/kit';
import { type GivenSettings, withDefaults } from '@financing-checkout/kit/env';
import type { BackOfficeContext } from './back-office/api.ts';
import { createInFlight } from './checkout/context.ts';
import { orderSource } from './checkout/order-source.ts';
import { type CompanionSettings, variables } from './config/variables.ts';
import type { KeyRing, TripWire } from './keys/key-ring.ts';
import { type Counters, createCounters } from './platform/counters.ts';
import { type Logger, silentLogger } from './platform/logger.ts';
import { type Meter, silentMeter } from './platform/meter.ts';
import { PublishedProgrammes } from './programmes/published.ts';
import type { ServiceClient } from './service/client.ts';
import { createPageReads } from './service/page-reads.ts';
import { timingFor } from './service/timing.ts';
import type { Store } from './store/store.ts';
import type { StorefrontContext } from './storefront/context.ts';

/** The dependencies of a companion, in addition to its settings. */
export interface CompanionPorts {
  /** The service client: `createServiceClient({ baseUrl, keys })`. */
  service: ServiceClient;
  /** Detects the private key in a request: `createTripWire(keys)`. */
  tripWire: TripWire;
  store: Store;
  /**
   * Returns the order for a reference that a page sends instead of a ticket; undefined if there is
   * no such order. The reference comes from the browser: look it up, do not trust it.
   */
  resolveOrder?: (reference: string, request: Request) => Promise<Order | undefined>;
  /** Transport for webhooks. @default the runtime's `fetch` */
  webhookTransport?: Transport;
  clock?: Clock;
  logger?: Logger;
  counters?: Counters;
  /**
   * The service client's keys. The companion is not ready when the service accepts none of them.
   */
  keys?: KeyRing;
  /**
   * Response to the back office's `GET /metrics`, such as `createMetrics().render` from `/node`.
   */
  metrics?: () => Promise<{ contentType: string; text: string }>;
  /** Receives measurements, such as `createMetrics().meter` from `/node`. */
  meter?: Meter;
  /** Returns the client address of a request. If omitted, there is no limit per address. */
  clientAddress?: ClientAddress;
  /** Called after each change to a checkout, even if this process does no background work. */
  onChange?: () => void;
  /** The lenders' programmes that pages show before a checkout. @default none */
  programmes?: PublishedProgrammes;
  /** Random number in [0, 1), for jitter. @default Math.random */
  random?: () => number;
}

/**
 * A companion's settings, named as in its configuration, and its ports. Omitted settings use the
 * defaults of their variables. Orders come from `tickets.secrets` or from `resolveOrder`.
 */
export type CompanionOptions = CompanionPorts &
  GivenSettings<typeof variables> &
  Pick<CompanionSettings, 'environment' | 'publicKey' | 'allowedOrigins'>;

/** The settings and the dependencies of the APIs and the background work. */
export interface CompanionContext extends StorefrontContext, BackOfficeContext {
  webhookTransport: Transport | undefined;
  random: () => number;
}

/**
 * Completes the options with their defaults.
 * @param wake called after each change to a checkout
 * @throws {TypeError} if there is not exactly one source of orders
 */
export function contextOf(options: CompanionOptions, wake: () => void): CompanionContext {
  const { clock = systemClock, onChange, resolveOrder, service, store, tripWire } = options;
  const { allowedOrigins, environment, publicKey } = options;
  const settings = { ...withDefaults(variables, options), allowedOrigins, environment, publicKey };
  return {
    ...settings,
    store,
    service,
    tripWire,
    pageReads: createPageReads(service, clock),
    orderSource: orderSource(settings, resolveOrder, clock),
    hasTickets: resolveOrder === undefined,
    timing: timingFor(service),
    inFlight: createInFlight(),
    programmes: options.programmes ?? new PublishedProgrammes({ clock }),
    clock,
    steadySince: watchClock(clock),
    logger: options.logger ?? silentLogger,
    counters: options.counters ?? createCounters(),
    meter: options.meter ?? silentMeter,
    keys: options.keys,
    metrics: options.metrics,
    clientAddress: options.clientAddress,
    webhookTransport: options.webhookTransport,
    random: options.random ?? Math.random,
    changed() {
      wake();
      onChange?.();
    },
  };
}
