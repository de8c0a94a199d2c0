import type { Environment, Order } from '@financing-checkout/contract';
import { orderSchema } from '@financing-checkout/contract';
import type { BackOfficeToken } from './back-office/access.ts';
import { DEFAULT_ORDER_BUDGETS, type OrderBudgets } from './checkout/budgets.ts';
import type { BrowserSdk, CheckoutContext, OrderSource } from './checkout/context.ts';
import { createUnderWay, type UnderWay } from './checkout/under-way.ts';
import { waitsFor } from './checkout/waits.ts';
import { type Clock, systemClock, watchClock } from './platform/clock.ts';
import { canonicalOrigin } from './platform/http/origin.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Secret } from './keys/secret.ts';
import type { TripWire } from './keys/trip-wire.ts';
import type { ClientAddress } from './platform/http/rate-limit.ts';
import { type Counters, createCounters } from './platform/counters.ts';
import { type Logger, silentLogger } from './platform/logger.ts';
import type { Meter } from './platform/meter.ts';
import { checkFields } from './platform/field-errors.ts';
import { ProblemError } from './platform/problem.ts';
import type { ServiceClient } from './service/client.ts';
import type { Transport } from './service/transport.ts';
import type { Store } from './store/store.ts';
import { createTicketVerifier, TicketError, type TicketVerifierOptions } from './ticket/verify.ts';
import type { WebhookTarget } from './webhook/delivery.ts';

/**
 * What the companion is made of. One object serves `createStorefrontApi`, `createBackOfficeApi`
 * and `createBackgroundWork`.
 */
export interface CompanionOptions {
  /** Which environment of the service this companion talks to. */
  environment: Environment;
  /** The Public API Key, which pages send. */
  publicKey: string;
  /** The client of the service: `createServiceClient({ baseUrl, keys })`. */
  service: ServiceClient;
  /** Finds the private key in a request: `createTripWire(keys)`. */
  tripWire: TripWire;
  store: Store;
  /** Origins of storefront pages ("https://shop.example"); a request from another is refused. */
  allowedOrigins: readonly string[];
  /** How order tickets are verified. Either this or `resolveOrder`. */
  tickets?: TicketVerifierOptions;
  /**
   * Whether an order ticket may open one checkout at a time: a second one is refused until the
   * first has ended. @default false
   */
  oneTimeTickets?: boolean;
  /**
   * How much may be done for one order.
   * @default 5 open checkouts, 20 primes in ten minutes, 10 refused charges in an hour
   */
  orderBudgets?: Partial<OrderBudgets>;
  /**
   * Values of the Authorization header that the service was told to send with its notifications,
   * the current one first. Without any, `POST /notifications` is not there.
   */
  notificationAuthorizations?: readonly Secret[];
  /**
   * Turns the reference a page sends into the order, instead of tickets. Undefined when there is
   * no such order. The reference comes from the browser: look it up, do not trust it.
   */
  resolveOrder?: (reference: string, request: Request) => Promise<Order | undefined>;
  /** Address template of the hosted page; see the architecture notes for its placeholders. */
  hostedUrl?: string;
  /** The service's own browser SDK, for pages with `presentation="sdk"`. */
  sdk?: BrowserSdk;
  /** Whether a charge is settled as it is made, or later. @default 'on-approval' */
  settle?: 'on-approval' | 'later';
  /** Currency of a funding whose order is not known here. @default 'USD' */
  defaultCurrency?: string;
  /** Bearer tokens of the back-office API. Without any it answers to loopback hosts only. */
  backOfficeTokens?: readonly BackOfficeToken[];
  /** Where the shop's backend hears of results. */
  webhook?: WebhookTarget;
  /** How the webhook is sent. @default the runtime's `fetch` */
  webhookTransport?: Transport;
  clock?: Clock;
  logger?: Logger;
  counters?: Counters;
  /** The keys of the service client, so that readiness can tell when none of them is taken. */
  keys?: KeyRing;
  /** Text of `GET /metrics` on the back office, such as `createMetrics().render` of `/node`. */
  metrics?: () => Promise<{ contentType: string; text: string }>;
  /** Where measurements go, such as `createMetrics().meter` of `/node`. */
  meter?: Meter;
  /** Requests a minute of one client address, see `clientAddress`. @default no limit */
  addressLimit?: number;
  /** Requests a minute with the public key, of all shoppers together. @default no limit */
  keyLimit?: number;
  /** Tells the address of a request's client; without it addresses are not limited. */
  clientAddress?: ClientAddress;
  /** Called after each change of a checkout: `background.wake`. */
  onChange?: () => void;
  /**
   * Creations of charges that go on after their request was answered: wait for `idle()` before the
   * store is closed.
   */
  underWay?: UnderWay;
  /** Random number in [0, 1), for jitter. @default Math.random */
  random?: () => number;
}

/** @throws {TypeError} when orders can be stated in no way, or in two */
export function resolveOptions(options: CompanionOptions): CheckoutContext {
  const { clock = systemClock } = options;
  return {
    environment: options.environment,
    publicKey: options.publicKey,
    store: options.store,
    service: options.service,
    orderSource: orderSource(options),
    statesItself: options.resolveOrder === undefined,
    oneTimeTickets: options.oneTimeTickets ?? false,
    budgets: { ...DEFAULT_ORDER_BUDGETS, ...options.orderBudgets },
    defaultCurrency: options.defaultCurrency ?? 'USD',
    settle: (options.settle ?? 'on-approval') === 'on-approval',
    hostedUrl: options.hostedUrl,
    sdk: options.sdk,
    waits: waitsFor(options.service),
    underWay: options.underWay ?? createUnderWay(),
    clock,
    steadySince: watchClock(clock),
    logger: options.logger ?? silentLogger,
    counters: options.counters ?? createCounters(),
    changed: options.onChange ?? (() => undefined),
  };
}

function orderSource(options: CompanionOptions): OrderSource {
  const { environment, tickets, resolveOrder, clock = systemClock } = options;
  if (tickets && !resolveOrder) {
    const verify = createTicketVerifier(tickets);
    return async function orderOfTicket(ticket, { origin }) {
      // A template may put line breaks around the value of an attribute or a field.
      const claims = await verify(ticket.trim(), clock.now()).catch((error: unknown) => {
        throw error instanceof TicketError ? ticketProblem(error) : error;
      });
      if (claims.env !== undefined && claims.env !== environment) {
        throw new ProblemError('environment-mismatch', {
          detail: `The ticket is signed for "${claims.env}", and this companion is set to "${environment}": give the shop's backend the environment of its companion.`,
        });
      }
      if (claims.origin !== undefined) refuseOtherOrigin(claims.origin, origin);
      return { order: claims.order, ticketId: claims.jti };
    };
  }
  if (resolveOrder && !tickets) {
    return async function orderOfReference(reference, { request }) {
      const order = checkFields(orderSchema, await resolveOrder(reference.trim(), request));
      if (order.success) return { order: order.data, ticketId: undefined };
      throw new ProblemError('order-ticket-invalid', {
        detail: 'There is no order under this reference, or it is not complete:',
        errors: order.errors,
      });
    };
  }
  throw new TypeError('Give either `tickets` or `resolveOrder`: one of them states the order.');
}

/** @throws {ProblemError} when a ticket is pinned to another origin than the page's, or to none */
function refuseOtherOrigin(pinned: string, origin: string): void {
  const canonical = canonicalOrigin(pinned);
  if (canonical === origin) return;
  throw new ProblemError('order-ticket-invalid', {
    detail:
      canonical === undefined
        ? 'The "origin" of the ticket is no origin: sign one such as https://shop.example, without a path.'
        : 'The ticket is pinned to another origin than the page it was sent from.',
  });
}

function ticketProblem(error: TicketError): ProblemError {
  return new ProblemError(
    error.code === 'expired' ? 'order-ticket-expired' : 'order-ticket-invalid',
    { detail: error.message, errors: error.errors },
  );
}
