import { checkFields, type Order, orderSchema } from '@financing-checkout/contract';
import {
  type ClientAddress,
  type Clock,
  systemClock,
  type Transport,
  watchClock,
} from '@financing-checkout/kit';
import { type GivenSettings, withDefaults } from '@financing-checkout/kit/env';
import { createTicketVerifier, TicketError, type TicketVerifier } from '@financing-checkout/ticket';
import type { BackOfficeContext } from './back-office/api.ts';
import { createInFlight, type OrderSource } from './checkout/context.ts';
import { type CompanionSettings, type Settings, variables } from './config/variables.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { TripWire } from './keys/trip-wire.ts';
import { type Counters, createCounters } from './platform/counters.ts';
import { canonicalOrigin } from './platform/http/origin.ts';
import { type Logger, silentLogger } from './platform/logger.ts';
import { type Meter, silentMeter } from './platform/meter.ts';
import { ProblemError } from './platform/problem.ts';
import { PublishedProgrammes } from './programmes/published.ts';
import type { ServiceClient } from './service/client.ts';
import { createPageReads } from './service/page-reads.ts';
import { timingFor } from './service/timing.ts';
import type { Store } from './store/store.ts';
import type { StorefrontContext } from './storefront/context.ts';

/** What a companion works with, in addition to its settings. */
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
  /** Returns the client address of a request. Without it, addresses are not limited. */
  clientAddress?: ClientAddress;
  /** Called after each change to a checkout, also if this process does no background work. */
  onChange?: () => void;
  /** The lenders' programmes that pages show before a checkout. @default none */
  programmes?: PublishedProgrammes;
  /** Random number in [0, 1), for jitter. @default Math.random */
  random?: () => number;
}

/**
 * The settings of a companion, by the names that the variables have in its configuration, and its
 * ports. Settings that are not given have the defaults of the variables. Orders come from
 * `tickets.secrets` or from `resolveOrder`.
 */
export type CompanionOptions = CompanionPorts &
  GivenSettings<typeof variables> &
  Pick<CompanionSettings, 'environment' | 'publicKey' | 'allowedOrigins'>;

/** Everything that the APIs and the background work of a companion need. */
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

/** Returns the source of orders. @throws {TypeError} if there is not exactly one */
function orderSource(
  { environment, tickets }: CompanionSettings,
  resolveOrder: CompanionPorts['resolveOrder'],
  clock: Clock,
): OrderSource {
  const hasSecrets = tickets.secrets.length > 0;
  if (hasSecrets && !resolveOrder) {
    const verify = followSecrets(tickets);
    return async function orderOfTicket(ticket, { origin }) {
      // A template may put line breaks around the value of an attribute or a field.
      const claims = await verify(ticket.trim(), clock.now()).catch((error: unknown) => {
        throw error instanceof TicketError ? ticketProblem(error) : error;
      });
      if (claims.env !== undefined && claims.env !== environment) {
        throw new ProblemError('environment-mismatch', {
          detail: `The ticket is signed for "${claims.env}", but this companion runs in "${environment}". Configure the same environment in the shop's backend.`,
        });
      }
      if (claims.origin !== undefined) refuseOtherOrigin(claims.origin, origin);
      return { order: claims.order, ticketId: claims.jti };
    };
  }
  if (resolveOrder && !hasSecrets) {
    return async function orderOfReference(reference, { request }) {
      const order = checkFields(orderSchema, await resolveOrder(reference.trim(), request));
      if (order.success) return { order: order.data, ticketId: undefined };
      throw new ProblemError('order-ticket-invalid', {
        detail: 'There is no order for this reference, or the order is not complete:',
        errors: order.errors,
      });
    };
  }
  throw new TypeError('Give either `tickets.secrets` or `resolveOrder` as the source of orders.');
}

/** Returns a verifier whose secrets are those of now: their files may change. */
function followSecrets({ secrets, ...terms }: Settings['tickets']): TicketVerifier {
  const textsOf = () => secrets.flatMap((secret) => secret.values());
  let texts = textsOf();
  let verify = createTicketVerifier({ ...terms, secrets: texts });
  return async function verifyOrderTicket(ticket, now) {
    const current = textsOf();
    if (current.some((text, index) => text !== texts[index])) {
      texts = current;
      verify = createTicketVerifier({ ...terms, secrets: texts });
    }
    return verify(ticket, now);
  };
}

/**
 * @throws {ProblemError} if a ticket is pinned to an origin other than the page's, or to an invalid
 * origin
 */
function refuseOtherOrigin(pinned: string, origin: string): void {
  const canonical = canonicalOrigin(pinned);
  if (canonical === origin) return;
  throw new ProblemError('order-ticket-invalid', {
    detail:
      canonical === undefined
        ? 'The "origin" of the ticket is not a valid origin. Sign one such as https://shop.example, without a path.'
        : 'The ticket is pinned to an origin other than the origin of the page.',
  });
}

function ticketProblem(error: TicketError): ProblemError {
  return new ProblemError(
    error.code === 'expired' ? 'order-ticket-expired' : 'order-ticket-invalid',
    { detail: error.message, errors: error.errors },
  );
}
