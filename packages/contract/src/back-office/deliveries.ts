import { z } from 'zod';

/** `waiting`: will be tried or retried. `dead`: the last attempt failed. */
export const deliveryStates = ['waiting', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One message for the shop's backend, as the back-office API lists it. */
export const deliverySchema = z.object({
  /** The message's `webhook-id`. */
  id: z.string(),
  /** ID of the checkout that the message is about. */
  checkoutId: z.string(),
  state: z.enum(deliveryStates),
  tries: z.int().min(0),
  /** Reason for the most recent failure. */
  reason: z.string().optional(),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  nextTryAt: z.iso.datetime().optional(),
  deliveredAt: z.iso.datetime().optional(),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** A page of `GET /webhooks`; `next` is the cursor of the next page, absent at the end. */
export const deliveriesSchema = z.object({
  deliveries: z.array(deliverySchema),
  next: z.string().optional(),
});
