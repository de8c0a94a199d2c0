import type { Environment, Order } from '@financing-checkout/contract';
import { environmentSchema, orderSchema, orderTotal } from '@financing-checkout/contract';
import { SignJWT } from 'jose/jwt/sign';
import { DEFAULT_TICKET_AUDIENCE, ticketSecretBytes } from './secret.ts';

export interface SignOrderTicketOptions {
  /** The secret shared with the companion (`ORDER_TICKET_SECRET`), 32 bytes or more. */
  secret: string;
  /**
   * The environment the order is to be paid in. State it: the companion of another environment then
   * refuses the ticket, so that a live order cannot be approved with the test lenders of a sandbox.
   */
  environment?: Environment;
  /** @default 'financing-companion' */
  audience?: string;
  /**
   * How long the ticket can be used to begin a checkout.
   * @default 1800 (half an hour)
   */
  lifetimeSeconds?: number;
  /** Pins the ticket to pages of this origin, such as `https://shop.example`. */
  origin?: string;
  /** Id of this ticket. @default a random one */
  id?: string;
  /** When it is issued. @default now */
  issuedAt?: Date;
}

/**
 * Signs an order into a ticket: a compact JWS, HS256, with the claims of `orderTicketClaimsSchema`.
 * Amounts are integer minor units, and the parts must add up to `totalAmount`.
 *
 * @example
 * ```ts
 * const ticket = await signOrderTicket(
 *   {
 *     merchantOrderId: '1001',
 *     currency: 'USD',
 *     items: [{ name: 'Oak chair', sku: 'CH-1', price: 12_900, quantity: 2 }],
 *     taxAmount: 2_064,
 *     shippingAmount: 0,
 *     totalAmount: 27_864,
 *   },
 *   { secret: process.env.ORDER_TICKET_SECRET, environment: 'production' },
 * );
 * ```
 * @throws {z.ZodError} when the order is not one or the environment is unknown; {@link RangeError}
 * when the parts of the order do not add up or the secret is too short.
 */
export async function signOrderTicket(
  order: Order,
  options: SignOrderTicketOptions,
): Promise<string> {
  const key = ticketSecretBytes(options.secret);
  const stated = orderSchema.parse(order);
  const total = orderTotal(stated);
  if (total !== stated.totalAmount) {
    throw new RangeError(
      `The order's parts add up to ${total} minor units, its totalAmount says ${stated.totalAmount}.`,
    );
  }
  const issuedAt = Math.floor((options.issuedAt?.getTime() ?? Date.now()) / 1000);
  return new SignJWT({
    order: stated,
    ...(options.environment === undefined
      ? {}
      : { env: environmentSchema.parse(options.environment) }),
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setAudience(options.audience ?? DEFAULT_TICKET_AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + (options.lifetimeSeconds ?? 1800))
    .setJti(options.id ?? crypto.randomUUID())
    .sign(key);
}
