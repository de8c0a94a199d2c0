import type { LinkDelivery } from '@financing-checkout/contract/back-office';
import type { Order } from '@financing-checkout/contract/storefront';
import { z } from 'zod';
import { majorUnits, optionalText, storableText } from './fields.ts';

/** How a link is created (published contract, section 6). */
export interface LinkOptions {
  /** How the service sends the link. If omitted, the service sends nothing. */
  delivery: LinkDelivery | undefined;
  language: 'en' | 'fr' | undefined;
  /** URL to which the device is redirected at the end. */
  returnUrl: string | undefined;
}

type Consumer = NonNullable<Order['consumer']>;
type Address = NonNullable<Consumer['billingAddress']>;

/**
 * The points of sale that links support; the service assumes `GenericConsumerDevice` for others.
 */
const posTypes = new Set<string | undefined>(['GenericMerchantDevice', 'GenericConsumerDevice']);

/**
 * Returns the body of `POST /v2/omni-link/consumer/checkout` (reference: OmniLink). The service's
 * objects refuse unknown fields, so each field is listed here.
 *
 * - The cart has no tax on shipping: `totalTaxAmount` includes that tax, so that the parts add up
 *   to the total.
 * - A warranty needs a name and a SKU: if the warranty were omitted, the parts would not add up to
 *   the total.
 * - An address has no country, and its state is an ISO 3166-2:US code, so only US addresses are
 *   sent.
 * - `checkoutOptions` is never sent: the companion creates the charge.
 * - There are no fields for promotion codes or for the tax and discounts of a line.
 */
export function linkBody(order: Order, options: LinkOptions): unknown {
  const { currency, consumer, merchant } = order;
  const amount = (value: number) => majorUnits(value, currency);
  const discounts = order.discounts?.filter((discount) => discount.amount > 0);
  return {
    applicationDetails: {
      channel: order.channel ?? 'E_COMMERCE',
      currency,
      tags: order.tags,
      requestedLoanAmount:
        order.requestedLoanAmount === undefined ? undefined : amount(order.requestedLoanAmount),
      correlationId: order.correlationId,
      language: options.language,
    },
    cart: {
      merchantOrderId: order.merchantOrderId,
      items: order.items.map(
        ({ name, sku, price, quantity, leasable, productCategory, ...item }) => ({
          name,
          sku,
          price: amount(price),
          quantity,
          leasable,
          productCategory,
          warranty: item.warranty && {
            name: item.warranty.name ?? 'Warranty',
            sku: item.warranty.sku ?? `${sku}-warranty`,
            price: amount(item.warranty.price),
          },
        }),
      ),
      discounts: discounts?.map((discount) => ({
        name: discount.name,
        amount: amount(discount.amount),
      })),
      totalTaxAmount: amount(order.taxAmount + (order.shippingTaxAmount ?? 0)),
      shippingAmount: amount(order.shippingAmount),
      totalAmount: amount(order.totalAmount),
    },
    consumer:
      consumer === undefined || Object.keys(consumer).length === 0
        ? undefined
        : linkConsumer(consumer),
    merchantDetails: merchant && {
      storeId: merchant.storeId,
      posId: merchant.posId,
      posType: posTypes.has(merchant.posType) ? merchant.posType : undefined,
    },
    linkOptions: {
      linkFormat: 'UrlAndQrCode',
      deliveryMethod: deliveryMethods[options.delivery ?? 'none'],
      onSuccessRedirectUrl: options.returnUrl,
      onFailureRedirectUrl: options.returnUrl,
    },
  };
}

const deliveryMethods = { none: 'None', email: 'Email', sms: 'Sms' } as const;

function linkConsumer(consumer: Consumer): unknown {
  return {
    merchantConsumerId: consumer.merchantConsumerId,
    firstName: consumer.firstName,
    lastName: consumer.lastName,
    email: consumer.email,
    mobilePhoneNumber: consumer.mobilePhoneNumber,
    billingAddress: linkAddress(consumer.billingAddress),
    shippingAddress: linkAddress(consumer.shippingAddress),
  };
}

function linkAddress(address: Address | undefined): unknown {
  if (address?.country !== 'US' || !/^(?:US-)?[A-Z]{2}$/.test(address.state)) return undefined;
  const { line1, line2, city, zipCode, state } = address;
  return { line1, line2, city, zipCode, state };
}

/** Maximum length of a QR code in Base64; the code of a URL has a few thousand characters. */
const MAX_QR_CODE = 200_000;

export const madeLinkSchema = z.looseObject({
  linkId: storableText(256).min(1),
  // The service may write a URL in any letter case; a page gets the form that browsers normalize it
  // to.
  url: storableText(2048).pipe(z.url({ protocol: /^https?$/, normalize: true })),
  qrCode: storableText(MAX_QR_CODE).pipe(z.base64().min(1)).nullish().catch(undefined),
});
export type MadeLink = z.infer<typeof madeLinkSchema>;

export interface LinkApplication {
  applicationId: string | undefined;
  /** "Started", "Confirmed", …; an open vocabulary. */
  status: string | undefined;
  /** Authorizes one charge. Present once the shopper has confirmed an offer. */
  confirmationToken: string | undefined;
  /** Milliseconds since 1970. */
  updatedAt: number | undefined;
}

/** The subset of a link's fields that the companion uses. */
export interface Link {
  /** "New", "Accessed", "Expired"; an open vocabulary. */
  status: string;
  applications: LinkApplication[];
}

const linkApplicationSchema = z
  .looseObject({
    applicationId: optionalText(256),
    applicationStatus: optionalText(64),
    updatedAt: optionalText(64),
    checkoutDetails: z
      .looseObject({ confirmationToken: optionalText(2048) })
      .nullish()
      .catch(undefined),
  })
  .transform(
    ({ applicationId, applicationStatus, updatedAt, checkoutDetails }): LinkApplication => {
      const time = Date.parse(updatedAt ?? '');
      return {
        applicationId,
        status: applicationStatus,
        confirmationToken: checkoutDetails?.confirmationToken,
        updatedAt: Number.isNaN(time) ? undefined : time,
      };
    },
  );

/** The response to `GET /v2/omni-link/consumer/{linkId}`. */
export const linkSchema = z
  .looseObject({
    // A response without this field comes from an intermediary.
    linkStatus: z.string().min(1).max(64),
    applications: z.array(linkApplicationSchema).nullish(),
  })
  .transform(({ linkStatus, applications }): Link => ({
    status: linkStatus,
    applications: applications ?? [],
  }));
