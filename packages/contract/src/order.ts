import { z } from 'zod';
import { consumerSchema } from './consumer.ts';
import { MAX_MINOR_UNITS } from './money.ts';
import { currencySchema, minorUnitsSchema } from './money-schema.ts';
import { environmentSchema } from './outcome.ts';
import { text, unlessBlank } from './text.ts';

/** Where the shopper buys. Reference: Checkout Management, session. */
export const channels = ['E_COMMERCE', 'IN_STORE', 'CALL_CENTER', 'IN_HOME'] as const;

/** Kinds of a point of sale. Reference: Checkout Management, session. */
export const posTypes = [
  'Kiosk',
  'Retail',
  'GenericMerchantDevice',
  'GenericConsumerDevice',
  'SelfServiceTerminal',
] as const;

export const discountSchema = z.strictObject({
  name: text(256),
  /** What is taken off, in minor units, as a positive number. */
  amount: minorUnitsSchema,
});

export const warrantySchema = z.strictObject({
  name: unlessBlank(text(256)),
  sku: unlessBlank(text(128)),
  /** Counted once for the line, whatever its quantity. */
  price: minorUnitsSchema,
});

export const orderItemSchema = z.strictObject({
  name: text(256),
  sku: text(128),
  /** Price of one, in minor units of the order's currency. */
  price: minorUnitsSchema,
  quantity: z.int().min(1).max(100_000),
  productCategory: unlessBlank(text(128)),
  leasable: unlessBlank(z.boolean()),
  warranty: warrantySchema.optional(),
  /** Informs the lender: the order's `taxAmount` has it, so it does not change the total. */
  taxAmount: minorUnitsSchema.optional(),
  /**
   * Inform the lender. They do not change the total: the published total rule names the order's
   * discounts only, so a line's discount that lowers the total stands there, too.
   */
  discounts: z.array(discountSchema).max(50).optional(),
});

export const merchantSchema = z.strictObject({
  storeId: unlessBlank(text(128)),
  posId: unlessBlank(text(128)),
  posType: unlessBlank(z.enum(posTypes)),
});

/** The most tags that an order may have. */
const MAX_TAGS = 50;

/** An order as the merchant's backend states it. All amounts are minor units of `currency`. */
export const orderSchema = z.strictObject({
  /** As it is: another one would name no order of the shop. */
  merchantOrderId: z
    .string()
    .min(1)
    .max(256)
    .refine((id) => id.trim() === id, 'must not begin or end with white space')
    // The last part of an address, under which the order is looked up later, cannot be one of these.
    .refine((id) => id !== '.' && id !== '..', 'must not be "." or ".."')
    // No database keeps them as they are.
    .refine(
      (id) => !id.includes('\u0000') && !/\p{Surrogate}/u.test(id),
      'must not have U+0000 or a surrogate without its pair',
    ),
  currency: currencySchema,
  items: z.array(orderItemSchema).min(1).max(200),
  discounts: z.array(discountSchema).max(50).optional(),
  taxAmount: minorUnitsSchema,
  shippingAmount: minorUnitsSchema,
  shippingTaxAmount: minorUnitsSchema.optional(),
  totalAmount: minorUnitsSchema.min(1),
  /** The store and the till that the sale is booked on; without it the merchant's default. */
  merchant: merchantSchema.optional(),
  /** The service's default, and ours, is `E_COMMERCE`. */
  channel: unlessBlank(z.enum(channels)),
  promoCode: unlessBlank(text(128)),
  merchantPromoCode: unlessBlank(text(128)),
  tags: z
    .record(text(64), text(256))
    .refine((tags) => Object.keys(tags).length <= MAX_TAGS, `must have at most ${MAX_TAGS} entries`)
    .optional(),
  /** Comes back in the service's notifications. The companion gives one where the shop does not. */
  correlationId: unlessBlank(text(256)),
  requestedLoanAmount: minorUnitsSchema.min(1).optional(),
  consumer: z.preprocess((value) => value ?? undefined, consumerSchema.optional()).optional(),
});
export type Order = z.infer<typeof orderSchema>;

/**
 * The longest order ticket, in characters. 200 lines whose fields are all as long as they may be fit,
 * with one discount for each, in any script, also where each character is escaped in the JSON
 * (`\u0436`, the default of PHP): 2,164,700 characters. The 50 discounts that each of 200 lines may
 * have at 256 characters do not fit.
 */
export const MAX_ORDER_TICKET_LENGTH = 2_500_000;

/** The parts of an order that its total is made of. */
export type OrderAmounts = Pick<
  Order,
  'items' | 'discounts' | 'taxAmount' | 'shippingAmount' | 'shippingTaxAmount'
>;

/**
 * Returns what the parts of an order add up to, in minor units: items + warranties (once a line)
 * − discounts + tax + shipping + tax on shipping (published contract, total rule). A line's own tax
 * and discounts do not count. The companion refuses an order whose `totalAmount` is anything else.
 */
export function orderTotal(order: OrderAmounts): number {
  const items = order.items.reduce(
    (sum, { price, quantity, warranty }) => sum + price * quantity + (warranty?.price ?? 0),
    0,
  );
  const discounts = (order.discounts ?? []).reduce((sum, discount) => sum + discount.amount, 0);
  const total =
    items - discounts + order.taxAmount + order.shippingAmount + (order.shippingTaxAmount ?? 0);
  // A sum beyond the exact range cannot equal any total the schema lets through.
  return Math.abs(total) > MAX_MINOR_UNITS ? Number.POSITIVE_INFINITY : total;
}

/** Seconds since 1970, with or without a fraction (RFC 7519 section 2, NumericDate). */
const numericDateSchema = z.number();

/**
 * The claims of an order ticket: a compact JWS (HS256) that the merchant's backend signs and the
 * browser carries. Registered claims as in RFC 7519; other claims are ignored.
 */
export const orderTicketClaimsSchema = z.object({
  /** The companion this ticket is for, as a text or in a list of texts (RFC 7519 4.1.3). */
  aud: z.union([z.string(), z.array(z.string())], { error: 'must be a text or a list of texts' }),
  exp: numericDateSchema,
  iat: numericDateSchema,
  /** Id of this ticket. */
  jti: z.string().min(8).max(128),
  /**
   * The environment the order is to be paid in. The companion of another environment refuses the
   * ticket; without this claim, the companions of all environments that share the secret accept it.
   */
  env: environmentSchema.optional(),
  /** The page's origin this ticket may be used from, where the backend pins it. */
  origin: z.string().optional(),
  order: orderSchema,
});
export type OrderTicketClaims = z.infer<typeof orderTicketClaimsSchema>;
