import type { Order } from '@financing-checkout/contract/storefront';
import {
  checkFields,
  environmentSchema,
  MAX_ORDER_TICKET_LENGTH,
  orderSchema,
  orderTicketClaimsSchema,
  orderTotal,
} from '@financing-checkout/contract/storefront';
import { SignJWT } from 'jose/jwt/sign';
import { z } from 'zod';
import {
  DEFAULT_TICKET_MAX_LIFETIME_SECONDS,
  DEFAULT_TICKET_AUDIENCE,
  MIN_TICKET_SECRET_BYTES,
  ticketSecretBytes,
} from './secret.ts';
import { OrderSigningError } from './signing-error.ts';

export interface SignOrderTicketOptions {
  /** The secret shared with the companion (`ORDER_TICKET_SECRET`), 32 bytes or more. */
  secret: string;
  /**
   * The environment in which the order is paid: `uat`, `sandbox` or `production`; any other value
   * is rejected. A companion of another environment refuses the ticket, so that a live order cannot
   * be approved by a sandbox's test lenders.
   */
  environment: string;
  /** @default 'financing-companion' */
  audience?: string;
  /**
   * How long the ticket can be used to start a checkout, in seconds, from 1 to
   * `maxLifetimeSeconds`.
   * @default 1800 (half an hour)
   */
  lifetimeSeconds?: number;
  /**
   * The maximum lifetime that the companion accepts (`ORDER_TICKET_MAX_LIFETIME_SECONDS`).
   * @default 86_400
   */
  maxLifetimeSeconds?: number;
  /** Pins the ticket to pages of this origin, such as `https://shop.example`. */
  origin?: string;
  /** Id of this ticket, 8 to 128 characters. @default a random one */
  id?: string;
  /** The time at which the ticket is issued. @default now */
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
 *   { secret: process.env.ORDER_TICKET_SECRET ?? '', environment: 'production' },
 * );
 * ```
 * @throws {OrderSigningError} for an order or options that the companion would refuse; its `errors`
 * list each invalid field with the reason
 */
export async function signOrderTicket(
  order: Order,
  options: SignOrderTicketOptions,
): Promise<string> {
  const { secret, environment, audience, lifetimeSeconds, origin, id, issuedAt } =
    checkedOptions(options);
  const stated = checkedOrder(order);
  const seconds = Math.floor((issuedAt?.getTime() ?? Date.now()) / 1000);
  const ticket = await new SignJWT({
    order: stated,
    env: environment,
    origin,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lifetimeSeconds)
    .setJti(id ?? crypto.randomUUID())
    .sign(ticketSecretBytes(secret));
  if (ticket.length > MAX_ORDER_TICKET_LENGTH) {
    const message = `results in a ticket of ${ticket.length} characters, but a companion accepts ${MAX_ORDER_TICKET_LENGTH}: shorten its texts, or omit the discounts of its lines`;
    throw new OrderSigningError('ticket-too-long', [{ path: 'order', message }]);
  }
  return ticket;
}

const optionsSchema = z
  .object({
    secret: z
      .string()
      .refine(
        (secret) => new TextEncoder().encode(secret).length >= MIN_TICKET_SECRET_BYTES,
        `must have ${MIN_TICKET_SECRET_BYTES} bytes or more (RFC 7518 3.2)`,
      ),
    environment: environmentSchema,
    audience: z.string().min(1).default(DEFAULT_TICKET_AUDIENCE),
    lifetimeSeconds: z.number().min(1).default(1800),
    maxLifetimeSeconds: z.number().min(1).default(DEFAULT_TICKET_MAX_LIFETIME_SECONDS),
    // Normalized to the form that browsers send, because the companion compares the origin with the
    // page's Origin header.
    origin: z
      .string()
      .refine(isOriginAlone, 'must be an origin without a path, such as https://shop.example')
      .transform((origin) => new URL(origin).origin)
      .optional(),
    id: orderTicketClaimsSchema.shape.jti.optional(),
    issuedAt: z.date({ error: 'must be a valid date' }).optional(),
  })
  .refine((options) => options.lifetimeSeconds <= options.maxLifetimeSeconds, {
    path: ['lifetimeSeconds'],
    message:
      'must be at most maxLifetimeSeconds (86400 by default), which must match ORDER_TICKET_MAX_LIFETIME_SECONDS of the companion',
  });

function isOriginAlone(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, href } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && href === `${origin}/`;
}

function checkedOptions(options: SignOrderTicketOptions): z.output<typeof optionsSchema> {
  const checked = checkFields(z.object({ options: optionsSchema }), { options });
  if (checked.success) return checked.data.options;
  throw new OrderSigningError('options-invalid', checked.errors);
}

function checkedOrder(order: Order): Order {
  const checked = checkFields(z.object({ order: orderSchema }), { order });
  if (!checked.success) throw new OrderSigningError('order-invalid', checked.errors);
  const { order: stated } = checked.data;
  const total = orderTotal(stated);
  if (total === stated.totalAmount) return stated;
  const sum = Number.isFinite(total) ? `${total} minor units` : 'too large to state';
  const message = `must be the sum of the order's parts, which is ${sum}`;
  throw new OrderSigningError('order-totals-mismatch', [{ path: 'order.totalAmount', message }]);
}
