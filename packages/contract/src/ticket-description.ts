import { z } from 'zod';
import { addressSchema, consumerFieldSchemas } from './consumer.ts';
import { orderSchema, orderTicketClaimsSchema } from './order.ts';

/**
 * The order as JSON Schema can state it, for readers. {@link orderSchema} checks orders: it leaves out
 * values of the consumer that are unusable, which JSON Schema cannot say, so it says what is usable.
 */
export const describedOrderSchema = z.strictObject({
  ...orderSchema.shape,
  consumer: z
    .strictObject({
      ...z.object(consumerFieldSchemas).partial().shape,
      shippingAddress: addressSchema.optional(),
      billingAddress: addressSchema.optional(),
    })
    .optional(),
});

/** The claims of an order ticket as JSON Schema can state them: other claims are ignored. */
export const describedTicketClaimsSchema = z.looseObject({
  ...orderTicketClaimsSchema.shape,
  order: describedOrderSchema,
});
