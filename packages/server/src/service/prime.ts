import type { Order } from '@financing-checkout/contract';
import { z } from 'zod';
import { wireAmount } from './amount.ts';
import { keptText } from './kept-text.ts';

/** The operations that open a session: the specification's, and the published one. */
export const checkoutOperations = ['prime', 'session'] as const;
export type CheckoutOperation = (typeof checkoutOperations)[number];

/** Where each operation is. Both take the same body and give the same answer. */
export const checkoutPaths: Record<CheckoutOperation, string> = {
  prime: '/v1/checkout/prime',
  session: '/v3/session',
};

type Amount = (minorUnits: number) => number;
type Consumer = NonNullable<Order['consumer']>;

/**
 * Returns the body of the request that opens a session (reference: Checkout Management, session).
 * `POST /v1/checkout/prime` is in no published definition and is given the session's body. The
 * objects of the service refuse unknown fields, so each field is named here.
 */
export function primeBody(order: Order, operation: CheckoutOperation): unknown {
  const { currency, consumer, merchant } = order;
  const amount = (value: number) => wireAmount(value, currency);
  return {
    ...(consumer !== undefined &&
      isSendable(consumer, operation) && { consumerDetails: consumerDetails(consumer, amount) }),
    cartDetails: cartDetails(order, amount),
    ...(merchant !== undefined && { merchantDetails: merchant }),
    checkoutDetails: {
      currency,
      flowType: 'Checkout',
      channel: order.channel ?? 'E_COMMERCE',
      source: 'Api',
      promoCode: order.promoCode,
      merchantPromoCode: order.merchantPromoCode,
      requestedLoanAmount: optional(order.requestedLoanAmount, amount),
      tags: order.tags,
      correlationId: order.correlationId,
    },
  };
}

/** Fields that the session's schema requires when a consumer is sent. */
const requiredOfConsumer = [
  'firstName',
  'lastName',
  'email',
  'shippingAddress',
  'billingAddress',
  'netMonthlyIncome',
  'dateOfBirth',
] as const satisfies readonly (keyof Consumer)[];

/**
 * Tells whether an operation may take a consumer. The session's schema refuses an incomplete one;
 * what prime refuses is published nowhere.
 */
function isSendable(consumer: Consumer, operation: CheckoutOperation): boolean {
  return operation === 'session'
    ? requiredOfConsumer.every((field) => consumer[field] !== undefined)
    : Object.keys(consumer).length > 0;
}

function consumerDetails(consumer: Consumer, amount: Amount): unknown {
  const { netMonthlyIncome, dateOfBirth, ...rest } = consumer;
  return {
    ...rest,
    netMonthlyIncome: optional(netMonthlyIncome, amount),
    // The service wants a date-time.
    dateOfBirth: optional(dateOfBirth, (day) => `${day}T00:00:00Z`),
  };
}

function cartDetails(order: Order, amount: Amount): unknown {
  const reduced = (discounts: Order['discounts']) =>
    discounts?.map((discount) => ({ name: discount.name, amount: amount(discount.amount) }));
  return {
    merchantOrderId: order.merchantOrderId,
    items: order.items.map((item) => ({
      ...item,
      price: amount(item.price),
      warranty: item.warranty && { ...item.warranty, price: amount(item.warranty.price) },
      taxAmount: optional(item.taxAmount, amount),
      discounts: reduced(item.discounts),
    })),
    discounts: reduced(order.discounts),
    taxAmount: amount(order.taxAmount),
    shippingAmount: amount(order.shippingAmount),
    shippingTaxAmount: optional(order.shippingTaxAmount, amount),
    totalAmount: amount(order.totalAmount),
  };
}

function optional<Value, Result>(
  value: Value | undefined,
  map: (value: Value) => Result,
): Result | undefined {
  return value === undefined ? undefined : map(value);
}

/** Names of a consumer's fields, which the service may state without `consumerDetails` before. */
const consumerField =
  /^(?:\$\.)?(?:consumerDetails(?:$|[.[])|(?:firstName|lastName|email|mobilePhoneNumber|merchantConsumerId|netMonthlyIncome|dateOfBirth)$|(?:shipping|billing)Address(?:$|\.))/i;

/** Returns the fields of a refusal that are the consumer's, in either published spelling. */
export function refusedConsumerFields(fields: readonly string[]): string[] {
  return fields.filter((field) => consumerField.test(field));
}

/** Reads what is needed of the answer of either operation (reference: Checkout Management, session). */
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
