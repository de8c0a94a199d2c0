import { z } from 'zod';
import { checkBody, invalidFields, type FieldError } from '../api/errors.ts';
import { currencyDigits, toMinorUnits } from '../money/money.ts';

/**
 * What a merchant primes a checkout with. Amounts are decimal numbers in the major unit.
 * Source: docs.chargeafter.com, Checkout Management, body of the session request.
 */
const text = (max: number) => z.string().min(1, 'must not be empty').max(max);
const amount = z.number().min(0, 'must not be negative');
/** Of any script (RFC 6531). */
export const emailAddress = z
  .email({ pattern: z.regexes.unicodeEmail, error: 'must be an e-mail address' })
  .max(256);

const address = z.object({
  line1: text(256),
  line2: z.string().max(256).nullish(),
  city: text(128),
  zipCode: text(32),
  state: text(64),
  country: text(64),
});

const consumer = z.object({
  firstName: z.string().max(128).nullish(),
  lastName: z.string().max(128).nullish(),
  email: emailAddress.nullish(),
  mobilePhoneNumber: z
    .string()
    .regex(/^\d{5,15}$/, 'must be 5 to 15 digits')
    .nullish(),
  merchantConsumerId: z.string().max(256).nullish(),
  shippingAddress: address.nullish(),
  billingAddress: address.nullish(),
});

const discount = z.object({ name: text(256), amount });

const item = z.object({
  name: text(256),
  price: amount,
  sku: text(256),
  quantity: z.int().min(1).max(1_000_000),
  leasable: z.boolean().nullish(),
  productCategory: z.string().max(256).nullish(),
  warranty: z.object({ name: text(256), price: amount, sku: text(256) }).nullish(),
  taxAmount: amount.nullish(),
  discounts: z.array(discount).max(50).nullish(),
});

const sessionBody = z.object({
  consumerDetails: consumer.nullish(),
  cartDetails: z.object({
    merchantOrderId: text(256),
    items: z.array(item).min(1).max(500),
    discounts: z.array(discount).max(100).nullish(),
    taxAmount: amount,
    shippingAmount: amount,
    totalAmount: amount.positive('must be more than zero'),
  }),
  merchantDetails: z
    .object({
      storeId: z.string().max(256).nullish(),
      posId: z.string().max(256).nullish(),
      posType: z.string().max(256).nullish(),
    })
    .nullish(),
  checkoutDetails: z
    .object({
      currency: z
        .string()
        .refine((code) => currencyDigits(code) !== undefined, 'must be an ISO 4217 code')
        .default('USD'),
      flowType: z.enum(['Checkout', 'Apply']).nullish(),
      channel: z.enum(['E_COMMERCE', 'IN_STORE', 'CALL_CENTER', 'IN_HOME']).nullish(),
      source: z.string().max(256).nullish(),
      promoCode: z.string().max(256).nullish(),
      requestedLoanAmount: amount.nullish(),
      tags: z.record(z.string().max(256), z.string().max(1024)).nullish(),
      correlationId: z.string().max(256).nullish(),
    })
    .default({ currency: 'USD' }),
});
type SessionBody = z.output<typeof sessionBody>;

/** A line of the order as the hosted page shows it; amounts in minor units. */
export interface OrderLine {
  name: string;
  quantity: number;
  amount: number;
}

/** An order and its shopper as primed. Amounts are minor units of `currency`. */
export interface Session {
  merchantOrderId: string;
  currency: string;
  lines: OrderLine[];
  discount: number;
  tax: number;
  shipping: number;
  total: number;
  promoCode?: string;
  storeId?: string;
  channel?: string;
  correlationId?: string;
  consumer: { firstName: string; lastName: string; email: string; phone: string };
}

/**
 * Reads the body of a prime.
 * @throws {ServiceError} 422 with a field error for each constraint that is broken.
 */
export function readSession(body: unknown): Session {
  const parsed = checkBody(sessionBody, body);
  const { cartDetails: cart, checkoutDetails: checkout, consumerDetails } = parsed;
  const errors: FieldError[] = [];
  const minor = minorUnitsOf(parsed, errors);
  const session: Session = {
    merchantOrderId: cart.merchantOrderId,
    currency: checkout.currency,
    lines: cart.items.flatMap((line, index) =>
      orderLines(line, `cartDetails.items.${index}`, minor),
    ),
    discount: sumOf(cart.discounts, 'cartDetails.discounts', minor),
    tax: minor('cartDetails.taxAmount', cart.taxAmount),
    shipping: minor('cartDetails.shippingAmount', cart.shippingAmount),
    total: minor('cartDetails.totalAmount', cart.totalAmount),
    consumer: {
      firstName: consumerDetails?.firstName ?? '',
      lastName: consumerDetails?.lastName ?? '',
      email: consumerDetails?.email ?? '',
      phone: consumerDetails?.mobilePhoneNumber ?? '',
    },
    ...(checkout.promoCode ? { promoCode: checkout.promoCode } : {}),
    ...(checkout.channel ? { channel: checkout.channel } : {}),
    ...(checkout.correlationId ? { correlationId: checkout.correlationId } : {}),
    ...(parsed.merchantDetails?.storeId ? { storeId: parsed.merchantDetails.storeId } : {}),
  };
  if (typeof checkout.requestedLoanAmount === 'number') {
    minor('checkoutDetails.requestedLoanAmount', checkout.requestedLoanAmount);
  }
  if (errors.length > 0) throw invalidFields(errors);
  return session;
}

type ReadAmount = (field: string, amount: number) => number;

function minorUnitsOf(body: SessionBody, errors: FieldError[]): ReadAmount {
  return (field, value) => {
    const result = toMinorUnits(value, body.checkoutDetails.currency);
    if (typeof result === 'number') return result;
    errors.push({ field, error: result });
    return 0;
  };
}

function orderLines(
  line: SessionBody['cartDetails']['items'][number],
  field: string,
  minor: ReadAmount,
): OrderLine[] {
  const { name, quantity, warranty } = line;
  const lines = [{ name, quantity, amount: minor(`${field}.price`, line.price) * quantity }];
  if (warranty) {
    const price = minor(`${field}.warranty.price`, warranty.price);
    lines.push({ name: warranty.name, quantity, amount: price * quantity });
  }
  // Not shown, but held to the currency like every other amount.
  if (typeof line.taxAmount === 'number') minor(`${field}.taxAmount`, line.taxAmount);
  sumOf(line.discounts, `${field}.discounts`, minor);
  return lines;
}

function sumOf(
  discounts: readonly { amount: number }[] | null | undefined,
  field: string,
  minor: ReadAmount,
): number {
  return (discounts ?? []).reduce(
    (sum, discount, index) => sum + minor(`${field}.${index}.amount`, discount.amount),
    0,
  );
}
