import { z } from 'zod';
import { MAX_MINOR_UNITS } from './money.ts';
import { currencySchema, minorUnitsSchema } from './money-schema.ts';

/** Field limits are the service's (reference: Checkout Management, Charge API). */
const text = (max: number) => z.string().trim().min(1).max(max);

export const addressSchema = z.strictObject({
  line1: text(256),
  line2: text(256).optional(),
  city: text(128),
  zipCode: text(32),
  state: text(64),
  /** ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/, 'must be a code of two letters, such as US'),
});

/** Who buys. Everything optional: the hosted page asks for what a lender still needs. */
export const consumerSchema = z.strictObject({
  firstName: text(128).optional(),
  lastName: text(128).optional(),
  /** Of any script (RFC 6531): what cannot be used the hosted page asks for. */
  email: z.email({ pattern: z.regexes.unicodeEmail }).max(256).optional(),
  /** Digits only. */
  mobilePhoneNumber: z
    .string()
    .regex(/^\d{5,15}$/, 'must be 5 to 15 digits')
    .optional(),
  merchantConsumerId: text(256).optional(),
  shippingAddress: addressSchema.optional(),
  billingAddress: addressSchema.optional(),
});

export const orderItemSchema = z.strictObject({
  name: text(256),
  sku: text(128),
  /** Price of one, in minor units of the order's currency. */
  price: minorUnitsSchema,
  quantity: z.int().min(1).max(100_000),
  productCategory: text(128).optional(),
  leasable: z.boolean().optional(),
});

export const discountSchema = z.strictObject({
  name: text(256),
  /** What is taken off, in minor units, as a positive number. */
  amount: minorUnitsSchema,
});

/** An order as the merchant's backend states it. All amounts are minor units of `currency`. */
export const orderSchema = z.strictObject({
  /** As it is: another one would name no order of the shop. */
  merchantOrderId: z
    .string()
    .min(1)
    .max(256)
    .refine((id) => id.trim() === id, 'must not begin or end with white space'),
  currency: currencySchema,
  items: z.array(orderItemSchema).min(1).max(200),
  discounts: z.array(discountSchema).max(50).optional(),
  taxAmount: minorUnitsSchema,
  shippingAmount: minorUnitsSchema,
  totalAmount: minorUnitsSchema.min(1),
  consumer: consumerSchema.optional(),
});
export type Order = z.infer<typeof orderSchema>;

/**
 * What the parts of an order add up to, in minor units: items − discounts + tax + shipping.
 * The companion refuses an order whose `totalAmount` is anything else.
 */
export function orderTotal(
  order: Omit<Order, 'totalAmount' | 'consumer' | 'merchantOrderId'>,
): number {
  const items = order.items.reduce((sum, item) => sum + item.price * item.quantity, 0);
  const discounts = (order.discounts ?? []).reduce((sum, discount) => sum + discount.amount, 0);
  const total = items - discounts + order.taxAmount + order.shippingAmount;
  // A sum beyond the exact range cannot equal any total the schema lets through.
  return Math.abs(total) > MAX_MINOR_UNITS ? Number.POSITIVE_INFINITY : total;
}

/**
 * The claims of an order ticket: a compact JWS (HS256) that the merchant's backend signs and the
 * browser carries. Registered claims as in RFC 7519; times are seconds since 1970.
 */
export const orderTicketClaimsSchema = z.object({
  /** The companion this ticket is for. */
  aud: z.string(),
  exp: z.int(),
  iat: z.int(),
  /** Id of this ticket. */
  jti: z.string().min(8).max(128),
  /** The page's origin this ticket may be used from, where the backend pins it. */
  origin: z.string().optional(),
  order: orderSchema,
});
export type OrderTicketClaims = z.infer<typeof orderTicketClaimsSchema>;
