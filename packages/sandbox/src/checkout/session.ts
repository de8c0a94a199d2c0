import { z } from 'zod';
import { checkBody, invalidFields, type FieldError } from '../platform/service-error.ts';
import { toMinorUnits } from '../platform/money.ts';
import { lenientSessionBody, sessionBody, type Cart, type SessionBody } from './body.ts';
import { linesOf, readLineDetails, sumsOf, totalOf, type ReadAmount } from './cart.ts';

/** An email address on the hosted page, in any script (RFC 6531). The API accepts any string. */
export const emailAddress = z
  .email({ pattern: z.regexes.unicodeEmail, error: 'must be an e-mail address' })
  .max(256);

/** The order and the shopper of a session. Amounts are in minor units of `currency`. */
export interface Session {
  /** The merchant's id of the order; empty if there is none. */
  merchantOrderId: string;
  flowType: 'Apply' | 'Checkout';
  currency: string;
  /** Null for an application without an order. */
  cart: Cart | null;
  /** Sales tax of the order, without the tax on its shipping. */
  tax: number;
  shippingTax: number;
  /** The amount to finance: the order's total, or the loan amount of an application without one. */
  total: number;
  channel?: string;
  storeId?: string;
  posId?: string;
  posType?: string;
  source?: string;
  intent?: string;
  promoCode?: string;
  merchantPromoCode?: string;
  requestedLoanAmount?: number;
  tags?: Record<string, string>;
  correlationId?: string;
  merchantConsumerId?: string;
  linkId?: string;
  /** The account on which the merchant confirms the order; absent for a shopper's checkout. */
  accountToken?: string;
  consumer: { firstName: string; lastName: string; email: string; phone: string };
}

/** Default loan amount of an application without an order, in the major unit. */
const DEFAULT_LOAN = 2000;

/**
 * Reads the body of a session request.
 * @param consumer whether a consumer needs its required fields, as documented for `POST
 * /v3/session`
 * @throws {ServiceError} 422 with a field error for each violated constraint
 */
export function readSession(
  body: unknown,
  consumer: 'required' | 'optional' = 'required',
): Session {
  const parsed: SessionBody = checkBody(
    consumer === 'required' ? sessionBody : lenientSessionBody,
    body,
  );
  const { checkoutDetails: checkout, consumerDetails } = parsed;
  const currency = checkout.currency ?? 'USD';
  const flowType = checkout.flowType ?? 'Checkout';
  const errors: FieldError[] = [];
  const minor = minorUnitsOf(currency, errors);
  const cart = parsed.cartDetails ?? null;
  if (cart === null && flowType === 'Checkout') {
    errors.push({ field: 'cartDetails', error: 'is required' });
  }
  const requested = checkout.requestedLoanAmount ?? undefined;
  const requestedLoanAmount =
    requested === undefined ? undefined : minor('checkoutDetails.requestedLoanAmount', requested);
  const order =
    cart === null
      ? loanOf(requestedLoanAmount ?? minor('', DEFAULT_LOAN), errors)
      : orderOf(cart, minor, errors);
  if (errors.length > 0) throw invalidFields(errors);
  return {
    merchantOrderId: cart?.merchantOrderId ?? '',
    flowType,
    currency,
    cart,
    ...order,
    consumer: {
      firstName: consumerDetails?.firstName ?? '',
      lastName: consumerDetails?.lastName ?? '',
      email: consumerDetails?.email ?? '',
      phone: consumerDetails?.mobilePhoneNumber ?? '',
    },
    ...given({ requestedLoanAmount, ...detailsOf(parsed) }),
  };
}

/** Returns the details that a session stores unchanged. */
function detailsOf({ checkoutDetails, merchantDetails, consumerDetails, linkId }: SessionBody) {
  const { channel, source, intent, promoCode, merchantPromoCode, tags, correlationId } =
    checkoutDetails;
  return {
    channel,
    storeId: merchantDetails?.storeId,
    posId: merchantDetails?.posId,
    posType: merchantDetails?.posType,
    source,
    intent,
    promoCode,
    merchantPromoCode,
    tags,
    correlationId,
    merchantConsumerId: consumerDetails?.merchantConsumerId,
    linkId,
  };
}

/** Returns the fields that have a value; an empty string counts as no value. */
function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const filled = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return Object.fromEntries(filled) as { [K in keyof T]?: NonNullable<T[K]> };
}

function orderOf(cart: Cart, minor: ReadAmount, errors: FieldError[]) {
  const total = minor('cartDetails.totalAmount', cart.totalAmount);
  const lines = linesOf(cart, minor);
  const sums = sumsOf(cart, minor);
  readLineDetails(cart, minor);
  const field = 'cartDetails.totalAmount';
  if (errors.length === 0 && total <= 0) errors.push({ field, error: 'must be more than zero' });
  // With an invalid amount, every total would be wrong.
  if (errors.length === 0 && totalOf(lines, sums) !== BigInt(total)) {
    errors.push({
      field,
      error: 'must be equal to the sum of all items, less the discounts, with tax and shipping',
    });
  }
  return { total, tax: sums.tax, shippingTax: sums.shippingTax };
}

function loanOf(amount: number, errors: FieldError[]) {
  if (amount <= 0 && errors.length === 0) {
    errors.push({ field: 'checkoutDetails.requestedLoanAmount', error: 'must be more than zero' });
  }
  return { total: amount, tax: 0, shippingTax: 0 };
}

function minorUnitsOf(currency: string, errors: FieldError[]): ReadAmount {
  return (field, value) => {
    const result = toMinorUnits(value, currency);
    if (typeof result === 'number') return result;
    errors.push({ field, error: result });
    return 0;
  };
}
