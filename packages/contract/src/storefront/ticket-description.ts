import { z } from 'zod';
import { addressSchema, consumerFieldSchemas } from './consumer.ts';
import { orderSchema, orderTicketClaimsSchema } from './order.ts';

/**
 * The order as JSON Schema, for documentation. {@link orderSchema} checks orders and drops unusable
 * values of the consumer, which JSON Schema cannot express; this schema lists the usable values.
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

/** The claims of an order ticket as JSON Schema. Other claims are ignored. */
export const describedTicketClaimsSchema = z.looseObject({
  ...orderTicketClaimsSchema.shape,
  order: describedOrderSchema,
});
