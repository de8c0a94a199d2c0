import { z } from 'zod';
import { moneySchema } from '../storefront/money-schema.ts';
import { orderSchema } from '../storefront/order.ts';
import { checkoutStatusSchema, environmentSchema } from '../storefront/outcome.ts';
import { linkStates, webAddress } from '../storefront/storefront.ts';

/** How the service can deliver a link. If `deliver` is absent, the service does not send the link. */
export const linkDeliveries = ['email', 'sms'] as const;
export type LinkDelivery = (typeof linkDeliveries)[number];

/** Languages of the pages behind a link (published contract, section 6). */
export const linkLanguages = ['en', 'fr'] as const;

/** Maximum length of `merchantOrderId` in an order with a link (published contract, section 6). */
export const MAX_LINK_ORDER_ID_LENGTH = 100;

/** Body of `POST /links` of the back office. */
export const linkRequestSchema = z.strictObject({
  /** With `deliver`, `consumer` must have both names, and the email address or the phone number. */
  order: orderSchema,
  deliver: z.enum(linkDeliveries, { error: 'must be "email" or "sms"' }).optional(),
  language: z.enum(linkLanguages, { error: 'must be "en" or "fr"' }).optional(),
});
export type LinkRequest = z.infer<typeof linkRequestSchema>;

/**
 * A link and its checkout for staff, without the applicant. The page at the URL shows the
 * consumer's name, email address and phone number, so `url` and `qrCode` are returned only to a
 * token with the scope `links`, and only until the checkout is confirmed or the link has ended.
 */
export const linkRecordSchema = z.object({
  checkoutId: z.string(),
  environment: environmentSchema,
  merchantOrderId: z.string(),
  /** Total of the order. */
  amount: moneySchema,
  status: checkoutStatusSchema,
  url: webAddress.optional(),
  /** PNG in Base64. */
  qrCode: z.base64().optional(),
  /**
   * The service's response, and with it the URL, was lost: the service may have sent the link.
   * Absent otherwise.
   */
  addressLost: z.literal(true).optional(),
  state: z.enum(linkStates),
  /** How the service sent the link. Absent if it was not sent. */
  delivery: z.enum(linkDeliveries).optional(),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /**
   * Applications on this link that were confirmed but not charged, because the order already had a
   * charge or was being charged. A person must cancel them at the service. Absent if there are
   * none.
   */
  secondConfirmations: z
    .array(z.object({ applicationId: z.string(), seenAt: z.iso.datetime() }))
    .optional(),
});
export type LinkRecord = z.infer<typeof linkRecordSchema>;

/** Newest first. */
export const linksSchema = z.object({ links: z.array(linkRecordSchema) });
