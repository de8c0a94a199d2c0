import { z } from 'zod';
import { minorUnitsSchema, moneySchema } from '../storefront/money-schema.ts';
import { orderedItemSchema } from '../storefront/order.ts';
import { checkoutStatusSchema, environmentSchema } from '../storefront/outcome.ts';
import { keptMessageSchema } from '../storefront/programmes.ts';
import { amountDifferenceSchema } from './amount-difference.ts';
import { chargeStateSchema } from './charge-state.ts';

/**
 * The companion's message to the merchant's backend when a checkout's status changes, and the
 * record that `GET /checkouts` of the back-office API returns. Delivered as a Standard Webhooks
 * message (`webhook-id`, `webhook-timestamp`, `webhook-signature`), at least once and in any order:
 * `data.revision` only grows, so a smaller one marks an older message of the same checkout. It does
 * not order messages of different checkouts.
 */
export const checkoutRecordSchema = z.object({
  checkoutId: z.string(),
  revision: z.int().min(1),
  environment: environmentSchema,
  merchantOrderId: z.string(),
  status: checkoutStatusSchema,
  /** Only with `unavailable`: true once it is certain that no charge exists. */
  retrySafe: z.boolean().optional(),
  amount: moneySchema,
  /** Total of the charge, and the reason, only if it differs from `amount`. */
  charged: amountDifferenceSchema.optional(),
  /** ID of the charge at the service, once it exists. */
  chargeId: z.string().optional(),
  /** State of the charge: see `chargeStates`. */
  chargeState: chargeStateSchema.optional(),
  /** ISO 8601, UTC. */
  updatedAt: z.iso.datetime(),
  /** The financing message that the shopper saw last. Only in back-office responses. */
  shown: keptMessageSchema.optional(),
});
export type CheckoutRecord = z.infer<typeof checkoutRecordSchema>;

/** A checkout in back-office responses. */
export const officeCheckoutSchema = checkoutRecordSchema.extend({
  /** When the shopper started the checkout. ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  /** Items of the order, if the companion has stored them. */
  items: z.array(orderedItemSchema).optional(),
  /** Tax of the order without tax on shipping, in minor units. Only together with `items`. */
  taxAmount: minorUnitsSchema.optional(),
});
export type OfficeCheckout = z.infer<typeof officeCheckoutSchema>;

export const webhookSchema = z.object({
  type: z.literal('checkout.updated'),
  timestamp: z.iso.datetime(),
  data: checkoutRecordSchema,
});
export type Webhook = z.infer<typeof webhookSchema>;
