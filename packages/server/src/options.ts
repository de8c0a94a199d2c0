import type { Environment, Order } from '@financing-checkout/contract';
import type { TicketVerifierOptions } from '@financing-checkout/ticket';
import type { BackOfficeToken } from './back-office/access.ts';
import {
  DEFAULT_LINK_MESSAGE_BUDGETS,
  DEFAULT_ORDER_BUDGETS,
  type LinkMessageBudgets,
  type OrderBudgets,
  type StartBudget,
} from './checkout/budgets.ts';
import {
  type BrowserSdk,
  type CheckoutContext,
  createInFlight,
  type InFlight,
} from './checkout/context.ts';
import { orderSource } from './checkout/order-source.ts';
import { timingFor } from './service/timing.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { TripWire } from './keys/trip-wire.ts';
import {
  type ClientAddress,
  type Clock,
  systemClock,
  watchClock,
  type Secret,
} from '@financing-checkout/kit';
import { type Counters, createCounters } from './platform/counters.ts';
import { type Logger, silentLogger } from './platform/logger.ts';
import type { Meter } from './platform/meter.ts';
import type { PrequalificationBudget } from './prequalification/budget.ts';
import { PublishedProgrammes } from './programmes/published.ts';
import type { ServiceClient } from './service/client.ts';
import { createPageReads } from './service/page-reads.ts';
import type { Transport } from '@financing-checkout/kit';
import type { Store } from './store/store.ts';
import type { WebhookTarget } from '@financing-checkout/kit/outbox';

/**
 * The dependencies and settings of a companion. One object serves `createStorefrontApi`,
 * `createBackOfficeApi` and `createBackgroundWork`.
 */
export interface CompanionOptions {
  /** The environment of the service that this companion calls. */
  environment: Environment;
  /** The Public API Key that pages send. */
  publicKey: string;
  /** The service client: `createServiceClient({ baseUrl, keys })`. */
  service: ServiceClient;
  /** Detects the private key in a request: `createTripWire(keys)`. */
  tripWire: TripWire;
  store: Store;
  /** Origins of storefront pages ("https://shop.example"). Requests from other origins are refused. */
  allowedOrigins: readonly string[];
  /** How order tickets are verified. Either this or `resolveOrder`. */
  tickets?: TicketVerifierOptions;
  /**
   * Whether an order ticket may open only one checkout at a time. A second one is refused until the
   * first has ended. @default false
   */
  oneTimeTickets?: boolean;
  /**
   * Limits for one order.
   * @default 5 open checkouts, 20 primes in ten minutes, 10 refused charges in an hour
   */
  orderBudgets?: Partial<OrderBudgets>;
  /**
   * Limits for the messages in which the service sends links.
   * @default 5 to one recipient in 24 hours, 100 per back-office token in an hour
   */
  linkMessageBudgets?: Partial<LinkMessageBudgets>;
  /**
   * Authorization header values that the service may send with its notifications, the current one
   * first. If there are none, `POST /notifications` answers 404.
   */
  notificationAuthorizations?: readonly Secret[];
  /**
   * Returns the order for a reference that a page sends instead of a ticket; undefined if there is
   * no such order. The reference comes from the browser: look it up, do not trust it.
   */
  resolveOrder?: (reference: string, request: Request) => Promise<Order | undefined>;
  /** Address of the documentation's site: the `type` of a problem leads to its page. @default a URN */
  docsUrl?: string | undefined;
  /** URL template of the hosted page; see the architecture notes for its placeholders. */
  hostedUrl?: string;
  /** The service's own browser SDK, for pages with `presentation="sdk"`. */
  sdk?: BrowserSdk;
  /** Whether a charge is settled immediately or later. @default 'on-approval' */
  settle?: 'on-approval' | 'later';
  /** Currency of fundings without a known order. @default 'USD' */
  defaultCurrency?: string;
  /** Bearer tokens of the back-office API. Without tokens, the API serves loopback hosts only. */
  backOfficeTokens?: readonly BackOfficeToken[];
  /** The shop's backend endpoint that receives results. */
  webhook?: WebhookTarget;
  /** Transport for webhooks. @default the runtime's `fetch` */
  webhookTransport?: Transport;
  clock?: Clock;
  logger?: Logger;
  counters?: Counters;
  /**
   * The keys of the service client. The companion is not ready when the service accepts none of
   * them.
   */
  keys?: KeyRing;
  /**
   * Response text for `GET /metrics` of the back office, such as `createMetrics().render` of
   * `/node`.
   */
  metrics?: () => Promise<{ contentType: string; text: string }>;
  /** Receives measurements, such as `createMetrics().meter` of `/node`. */
  meter?: Meter;
  /**
   * Maximum number of requests per minute per client address, see `clientAddress`. @default no
   * limit
   */
  addressLimit?: number;
  /**
   * Maximum number of concurrent requests per client address, see `clientAddress`; 0 means no
   * limit.
   * @default 8
   */
  addressConcurrency?: number;
  /**
   * Maximum number of requests per minute with the public key, for all shoppers together. @default
   * no limit
   */
  keyLimit?: number;
  /**
   * Limits for `POST /checkout/start`; the limit per address needs `clientAddress`.
   * @default 20 per minute per address, 30 per minute per order ticket
   */
  startBudget?: Partial<StartBudget>;
  /**
   * Limits for `POST /prequalifications`; the limit per address needs `clientAddress`.
   * @default 20 per minute per address, 600 per minute in total
   */
  prequalificationBudget?: Partial<PrequalificationBudget>;
  /** Returns the client address of a request. Without it, addresses are not limited. */
  clientAddress?: ClientAddress;
  /** Called after each change to a checkout: `background.wake`. */
  onChange?: () => void;
  /**
   * Charge creations that continue after their request has been answered. Wait for `idle()` before
   * closing the store.
   */
  inFlight?: InFlight;
  /** The lenders' programmes that pages show before a checkout. @default none */
  programmes?: PublishedProgrammes;
  /** Random number in [0, 1), for jitter. @default Math.random */
  random?: () => number;
}

/**
 * Applies the default options.
 * @throws {TypeError} if there is not exactly one source of orders
 */
export function resolveOptions(options: CompanionOptions): CheckoutContext {
  const { clock = systemClock } = options;
  return {
    environment: options.environment,
    publicKey: options.publicKey,
    store: options.store,
    service: options.service,
    pageReads: createPageReads(options.service, clock),
    orderSource: orderSource(options),
    hasTickets: options.resolveOrder === undefined,
    oneTimeTickets: options.oneTimeTickets ?? false,
    docsUrl: options.docsUrl,
    budgets: { ...DEFAULT_ORDER_BUDGETS, ...options.orderBudgets },
    linkMessageBudgets: { ...DEFAULT_LINK_MESSAGE_BUDGETS, ...options.linkMessageBudgets },
    defaultCurrency: options.defaultCurrency ?? 'USD',
    settle: (options.settle ?? 'on-approval') === 'on-approval',
    hostedUrl: options.hostedUrl,
    sdk: options.sdk,
    timing: timingFor(options.service),
    inFlight: options.inFlight ?? createInFlight(),
    programmes: options.programmes ?? new PublishedProgrammes({ clock }),
    clock,
    steadySince: watchClock(clock),
    logger: options.logger ?? silentLogger,
    counters: options.counters ?? createCounters(),
    changed: options.onChange ?? (() => undefined),
  };
}
