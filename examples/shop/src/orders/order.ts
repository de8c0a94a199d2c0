import type { CheckoutStatus, Order as TicketOrder } from '@financing-checkout/contract/storefront';
import type { CartLine } from '../cart/pricing.ts';
import { priceCart } from '../cart/pricing.ts';
import type { Customer } from '../checkout/details.ts';
import { CURRENCY } from '../money.ts';

/** An order's items, customer and sums, frozen when the shopper goes to payment. */
export interface OrderContents {
  currency: string;
  items: {
    slug: string;
    sku: string;
    name: string;
    category: string;
    price: number;
    quantity: number;
  }[];
  discounts: { name: string; amount: number }[];
  taxAmount: number;
  shippingAmount: number;
  totalAmount: number;
  customer: Customer;
}

/** A financing of an order, as in the companion's latest record. */
export interface Financing {
  checkoutId: string;
  revision: number;
  status: CheckoutStatus;
  /** With `unavailable`: true if there is certainly no charge. */
  retrySafe: boolean;
  chargeId: string | undefined;
  updatedAt: string;
}

export interface Order {
  /** Unguessable id in the order's URLs. */
  id: string;
  /** Short number for people, such as "NB-2026-10042"; the `merchantOrderId` of the financing. */
  number: string;
  visitor: string;
  createdAt: string;
  contents: OrderContents;
  cancelledAt: string | undefined;
  transferChosenAt: string | undefined;
  /** Last time that the companion was asked about the order. */
  askedAt: string | undefined;
  financings: Financing[];
  /** Records from the companion that the shop did not accept. */
  refusals: { checkoutId: string; reason: string; at: string }[];
}

export type OrderStatus =
  | 'pending-payment'
  | 'in-review'
  | 'awaiting-transfer'
  | 'paid'
  | 'cancelled';

/**
 * Returns an order's status. It is derived and never stored, so that messages in any order lead to
 * the same status. Only a record from the companion makes an order `paid`.
 */
export function orderStatus(order: Order): OrderStatus {
  const has = (...statuses: CheckoutStatus[]) =>
    order.financings.some(({ status }) => statuses.includes(status));
  if (has('approved')) return 'paid';
  // The lender may still approve, so the shop must not offer another way to pay.
  const unknown = order.financings.some((it) => it.status === 'unavailable' && !it.retrySafe);
  if (unknown || has('pending', 'confirming')) return 'in-review';
  if (order.cancelledAt) return 'cancelled';
  if (order.transferChosenAt) return 'awaiting-transfer';
  return 'pending-payment';
}

/** Returns whether the shopper can still choose how to pay. */
export function isPayable(order: Order): boolean {
  const status = orderStatus(order);
  return status === 'pending-payment' || status === 'awaiting-transfer';
}

/** Returns messages about everything that the shop's staff must check. */
export function attention(order: Order): string[] {
  const approved = order.financings.filter(({ status }) => status === 'approved').length;
  return [
    ...(approved > 1 ? [`Financed ${approved} times: refund all but one.`] : []),
    ...(approved > 0 && order.cancelledAt
      ? ['Financed after it was cancelled: ship or refund.']
      : []),
    // The shopper may have paid by transfer, because a window with the lender's page may still be open.
    ...(approved > 0 && order.transferChosenAt
      ? ['Financed after a transfer was chosen: send the money back if it comes.']
      : []),
    ...order.refusals.map(({ reason }) => reason),
  ];
}

/** Freezes a cart, so that later catalog changes do not affect the order's names, prices or tax. */
export function freeze(lines: readonly CartLine[], customer: Customer): OrderContents {
  const quote = priceCart(lines, customer.state);
  return {
    currency: CURRENCY,
    items: lines.map(({ product, quantity }) => ({
      slug: product.slug,
      sku: product.sku,
      name: product.name,
      category: product.category,
      price: product.price,
      quantity,
    })),
    discounts: quote.discounts,
    taxAmount: quote.tax ?? 0,
    shippingAmount: quote.shipping,
    totalAmount: quote.total,
    customer,
  };
}

/** Returns the order for the ticket. */
export function toTicketOrder(order: Order): TicketOrder {
  const { contents } = order;
  const { customer } = contents;
  const address = {
    line1: customer.line1,
    ...(customer.line2 && { line2: customer.line2 }),
    city: customer.city,
    zipCode: customer.zipCode,
    state: customer.state,
    country: 'US',
  };
  return {
    merchantOrderId: order.number,
    currency: contents.currency,
    items: contents.items.map(({ name, sku, price, quantity, category }) => ({
      name,
      sku,
      price,
      quantity,
      productCategory: category,
    })),
    ...(contents.discounts.length > 0 && { discounts: contents.discounts }),
    taxAmount: contents.taxAmount,
    shippingAmount: contents.shippingAmount,
    totalAmount: contents.totalAmount,
    consumer: {
      firstName: customer.firstName,
      lastName: customer.lastName,
      email: customer.email,
      ...(customer.phone && { mobilePhoneNumber: customer.phone }),
      shippingAddress: address,
      billingAddress: address,
    },
  };
}
