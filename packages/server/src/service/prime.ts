import type { Order } from '@financing-checkout/contract/storefront';
import { z } from 'zod';
import type { Settings } from '../config/variables.ts';
import { idSchema, majorUnits, storableText } from './fields.ts';

/** The operations that open a session: the one in the specification and the published one. */
export type CheckoutOperation = Settings['checkoutOperation'];

/** The path of each operation. Both take the same body and return the same response. */
export const checkoutPaths: Record<CheckoutOperation, string> = {
  prime: '/v1/checkout/prime',
  session: '/v3/session',
};

type Amount = (minorUnits: number) => number;
type Consumer = NonNullable<Order['consumer']>;

/**
 * Returns the body of the request that opens a session (reference: Checkout Management, session).
 * No published definition contains `POST /v1/checkout/prime`, so it gets the session's body. The
 * service's objects refuse unknown fields, so each field is listed here.
 */
export function primeBody(order: Order, operation: CheckoutOperation): unknown {
  const { currency, consumer, merchant } = order;
  const amount = (value: number) => majorUnits(value, currency);
  return {
    consumerDetails:
      consumer && isSendable(consumer, operation) ? consumerDetails(consumer, amount) : undefined,
    cartDetails: cartDetails(order, amount),
    merchantDetails: merchant,
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

/** Fields that the session's schema requires of a consumer. */
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
 * Returns whether an operation accepts a consumer. The session's schema refuses an incomplete one;
 * the rules of prime are not published.
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
    // The service expects a date-time.
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

/** Names of a consumer's fields; the service may omit the prefix `consumerDetails`. */
const consumerField =
  /^(?:\$\.)?(?:consumerDetails(?:$|[.[])|(?:firstName|lastName|email|mobilePhoneNumber|merchantConsumerId|netMonthlyIncome|dateOfBirth)$|(?:shipping|billing)Address(?:$|\.))/i;

/** Returns the refused fields that belong to the consumer. Accepts either published spelling. */
export function refusedConsumerFields(fields: readonly string[]): string[] {
  return fields.filter((field) => consumerField.test(field));
}

/**
 * The parts of either operation's response that the companion uses (reference: Checkout Management,
 * session).
 */
export const primedSchema = z.looseObject({
  /** The session token. */
  id: storableText(2048).min(1),
  applicationId: idSchema.nullish(),
  /** A timestamp without an offset is UTC, not local time. */
  expirationDate: z
    .string()
    .transform((text) => (/T[\d:.]+$/.test(text) ? `${text}Z` : text))
    .refine((text) => !Number.isNaN(Date.parse(text)))
    .nullish(),
});
export type Primed = z.infer<typeof primedSchema>;
