import { checkFields, type Order, orderSchema } from '@financing-checkout/contract/storefront';
import type { Clock } from '@financing-checkout/kit';
import { createTicketVerifier, TicketError, type TicketVerifier } from '@financing-checkout/ticket';
import type { CompanionSettings, Settings } from '../config/variables.ts';
import { canonicalOrigin } from '../config/base-url.ts';
import { ProblemError } from '../platform/problem.ts';

/** An order, and the ticket that contained it. */
export interface StatedOrder {
  order: Order;
  /** The ticket's `jti`; undefined for an order reference. */
  ticketId: string | undefined;
}

/** Returns the order of the ticket or reference that the browser sent. */
export type OrderSource = (
  reference: string,
  page: { origin: string; request: Request },
) => Promise<StatedOrder>;

/**
 * Returns the source of orders. What a shopper pays comes from the shop's backend: signed in a
 * ticket, or read by reference; the browser only carries it.
 * @throws {TypeError} if there is not exactly one source
 */
export function orderSource(
  { environment, tickets }: CompanionSettings,
  resolveOrder: ((reference: string, request: Request) => Promise<Order | undefined>) | undefined,
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
