import type { Order } from '@financing-checkout/contract';
import { z } from 'zod';
import { wireAmount } from './amount.ts';
import { keptText } from './kept-text.ts';

/**
 * The body of `POST /v1/checkout/prime`. The specification leaves its shape open; this is the
 * nearest documented one, the session's (reference: Checkout Management), and the only place that
 * knows it.
 */
export function primeBody(order: Order): unknown {
  const { currency, consumer } = order;
  const amount = (value: number) => wireAmount(value, currency);
  return {
    ...(consumer === undefined ? {} : { consumerDetails: consumer }),
    cartDetails: {
      merchantOrderId: order.merchantOrderId,
      items: order.items.map((item) => ({ ...item, price: amount(item.price) })),
      ...(order.discounts === undefined
        ? {}
        : {
            discounts: order.discounts.map((discount) => ({
              name: discount.name,
              amount: amount(discount.amount),
            })),
          }),
      taxAmount: amount(order.taxAmount),
      shippingAmount: amount(order.shippingAmount),
      totalAmount: amount(order.totalAmount),
    },
    checkoutDetails: { currency, flowType: 'Checkout', channel: 'E_COMMERCE' },
  };
}

/** What is needed of prime's answer (reference: Checkout Management, session). */
export const primedSchema = z.looseObject({
  /** The session token. */
  id: keptText(2048).min(1),
  applicationId: keptText(256).min(1).nullish(),
  /** Without an offset it is UTC, and not in the zone that this machine happens to have. */
  expirationDate: z
    .string()
    .transform((text) => (/T[\d:.]+$/.test(text) ? `${text}Z` : text))
    .refine((text) => !Number.isNaN(Date.parse(text)))
    .nullish(),
});
export type Primed = z.infer<typeof primedSchema>;
