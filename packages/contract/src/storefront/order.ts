import { z } from 'zod';
import { MAX_MINOR_UNITS } from '../money/money.ts';
import { consumerSchema } from './consumer.ts';
import { currencySchema, minorUnitsSchema } from './money-schema.ts';
import { optionalList, unlessBlank, unlessEmpty, ifObject } from './optional.ts';
import { environments } from './outcome.ts';
import { text } from './text.ts';

/** The sales channels. Reference: Checkout Management, session. */
export const channels = ['E_COMMERCE', 'IN_STORE', 'CALL_CENTER', 'IN_HOME'] as const;

/** The point-of-sale types. Reference: Checkout Management, session. */
export const posTypes = [
  'Kiosk',
  'Retail',
  'GenericMerchantDevice',
  'GenericConsumerDevice',
  'SelfServiceTerminal',
] as const;

export const discountSchema = z.strictObject({
  name: text(256),
  /** Amount of the discount in minor units, as a positive number. */
  amount: minorUnitsSchema,
});

export const warrantySchema = z.strictObject({
  name: unlessBlank(text(256)),
  sku: unlessBlank(text(128)),
  /** Counts once per line, regardless of the quantity. */
  price: minorUnitsSchema,
});

export const orderItemSchema = z.strictObject({
  name: text(256),
  sku: text(128),
  /** Price of one item, in minor units of the order's currency. */
  price: minorUnitsSchema,
  quantity: z.int().min(1).max(100_000),
  productCategory: unlessBlank(text(128)),
  leasable: unlessBlank(z.boolean()),
  warranty: unlessEmpty(warrantySchema),
  /** For the lender's information. `taxAmount` of the order includes it, so it does not change the total. */
  taxAmount: minorUnitsSchema.optional(),
  /**
   * For the lender's information. They do not change the total: the published total rule includes
   * only the order's discounts, so a line discount that lowers the total must also be listed there.
   */
  discounts: optionalList(z.array(discountSchema).max(50)),
});

/**
 * The part of an item that the companion stores with a checkout, whatever limits new orders have.
 * Contains no personal data.
 */
export const orderedItemSchema = z.strictObject({
  name: z.string(),
  sku: z.string(),
  price: minorUnitsSchema,
  quantity: z.int().min(1),
  taxAmount: minorUnitsSchema.optional(),
});
export type OrderedItem = z.infer<typeof orderedItemSchema>;

export const merchantSchema = z.strictObject({
  storeId: unlessBlank(text(128)),
  posId: unlessBlank(text(128)),
  posType: unlessBlank(z.enum(posTypes)),
});

const MAX_TAGS = 50;

/** An order of the merchant's backend. All amounts are minor units of `currency`. */
export const orderSchema = z.strictObject({
  /** Kept unchanged: a trimmed ID would not match the shop's order. */
  merchantOrderId: z
    .string()
    .min(1)
    .max(256)
    .refine((id) => id.trim() === id, 'must not begin or end with white space')
    // The ID is later the last segment of a URL path, which cannot be a dot segment.
    .refine((id) => id !== '.' && id !== '..', 'must not be "." or ".."')
    // Databases cannot store these characters unchanged.
    .refine(
      (id) => !id.includes('\u0000') && !/\p{Surrogate}/u.test(id),
      'must not have U+0000 or a surrogate without its pair',
    ),
  currency: currencySchema,
  items: z.array(orderItemSchema).min(1).max(200),
  discounts: optionalList(z.array(discountSchema).max(50)),
  taxAmount: minorUnitsSchema,
  shippingAmount: minorUnitsSchema,
  shippingTaxAmount: minorUnitsSchema.optional(),
  totalAmount: minorUnitsSchema.min(1),
  /** The store and register of the sale. By default, the merchant's default. */
  merchant: unlessEmpty(merchantSchema),
  /** The default is `E_COMMERCE`, as in the service. */
  channel: unlessBlank(z.enum(channels)),
  promoCode: unlessBlank(text(128)),
  merchantPromoCode: unlessBlank(text(128)),
  tags: unlessEmpty(
    z
      .record(text(64), text(256))
      .refine(
        (tags) => Object.keys(tags).length <= MAX_TAGS,
        `must have at most ${MAX_TAGS} entries`,
      ),
  ),
  /** Repeated in the service's notifications. The companion sets one if the shop does not. */
  correlationId: unlessBlank(text(256)),
  requestedLoanAmount: minorUnitsSchema.min(1).optional(),
  consumer: ifObject(consumerSchema),
});
export type Order = z.infer<typeof orderSchema>;

/**
 * Maximum length of an order ticket, in characters. 200 lines with fields of maximum length and one
 * discount each fit, in any script, even if the JSON escapes each character (`\u0436`, the default
 * of PHP): 2,164,700 characters. 200 lines with 50 discounts of 256 characters each do not fit.
 */
export const MAX_ORDER_TICKET_LENGTH = 2_500_000;

/** The parts of an order that determine its total. */
export type OrderAmounts = Pick<
  Order,
  'items' | 'discounts' | 'taxAmount' | 'shippingAmount' | 'shippingTaxAmount'
>;

/**
 * Returns the total of an order in minor units: items + warranties (once per line)
 * − discounts + tax + shipping + tax on shipping (published contract, total rule). A line's own tax
 * and discounts do not count. The companion refuses an order with a different `totalAmount`.
 */
export function orderTotal(order: OrderAmounts): number {
  const items = order.items.reduce(
    (sum, { price, quantity, warranty }) => sum + price * quantity + (warranty?.price ?? 0),
    0,
  );
  const discounts = (order.discounts ?? []).reduce((sum, discount) => sum + discount.amount, 0);
  const total =
    items - discounts + order.taxAmount + order.shippingAmount + (order.shippingTaxAmount ?? 0);
  // A sum beyond the exact range cannot equal any total that the schema accepts.
  return Math.abs(total) > MAX_MINOR_UNITS ? Number.POSITIVE_INFINITY : total;
}

/** Seconds since 1970, with or without a fraction (RFC 7519 section 2, NumericDate). */
const numericDateSchema = z.number();

/**
 * The claims of an order ticket: a compact JWS (HS256) that the merchant's backend signs and the
 * browser carries. Registered claims as in RFC 7519; other claims are ignored.
 */
export const orderTicketClaimsSchema = z.object({
  /** The companion that this ticket is for, as a string or an array (RFC 7519 4.1.3). */
  aud: z.union([z.string(), z.array(z.string())], { error: 'must be a text or a list of texts' }),
  exp: numericDateSchema,
  iat: numericDateSchema,
  /** ID of this ticket. */
  jti: z.string().min(8).max(128),
  /**
   * The environment of the payment. A companion in another environment refuses the ticket, so that
   * no live order is approved by the test lenders of a sandbox that has the same secret.
   */
  env: z.enum(environments, {
    error: ({ input }) =>
      input === undefined ? 'is missing: state the environment of the order' : undefined,
  }),
  /** The only page origin that may use this ticket, if the backend restricts the origin. */
  origin: z.string().optional(),
  order: orderSchema,
});
export type OrderTicketClaims = z.infer<typeof orderTicketClaimsSchema>;
