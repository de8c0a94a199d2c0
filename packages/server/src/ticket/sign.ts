import type { Order } from '@financing-checkout/contract';
import { orderSchema, orderTotal } from '@financing-checkout/contract';
import { SignJWT } from 'jose';

export const DEFAULT_TICKET_AUDIENCE = 'financing-companion';

/** HS256 wants a key at least as long as its hash (RFC 7518 3.2). */
export const MIN_TICKET_SECRET_BYTES = 32;

export interface SignOrderTicketOptions {
  /** The secret shared with the companion (`ORDER_TICKET_SECRET`), 32 bytes or more. */
  secret: string;
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

/** The bytes of a ticket secret. @throws {RangeError} when it is too short. */
export function ticketSecretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(secret);
  if (bytes.length < MIN_TICKET_SECRET_BYTES) {
    throw new RangeError(
      `The order ticket secret has ${bytes.length} bytes; HS256 wants ${MIN_TICKET_SECRET_BYTES} or more (RFC 7518 3.2).`,
    );
  }
  return bytes;
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
 *   { secret: process.env.ORDER_TICKET_SECRET },
 * );
 * ```
 * @throws {z.ZodError} when the order is not one; {@link RangeError} when its parts do not add up
 * or the secret is too short.
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
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setAudience(options.audience ?? DEFAULT_TICKET_AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + (options.lifetimeSeconds ?? 1800))
    .setJti(options.id ?? crypto.randomUUID())
    .sign(key);
}
