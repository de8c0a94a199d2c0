import { z } from 'zod';
import { moneySchema } from './money-schema.ts';
import { orderSchema } from './order.ts';
import { checkoutStatusSchema, environmentSchema } from './outcome.ts';
import { linkStates, webAddress } from './storefront.ts';

/** How the service may send a link. Without one of these it sends nothing. */
export const linkDeliveries = ['email', 'sms'] as const;
export type LinkDelivery = (typeof linkDeliveries)[number];

/** Languages of the pages behind a link (published contract, section 6). */
export const linkLanguages = ['en', 'fr'] as const;

/** Maximum characters of `merchantOrderId` in an order with a link (published contract, section 6). */
export const MAX_LINK_ORDER_ID_LENGTH = 100;

/** Body of `POST /links` of the back office. */
export const linkRequestSchema = z.strictObject({
  /** With `deliver`, `consumer` has both names, and the e-mail address or the phone number. */
  order: orderSchema,
  deliver: z.enum(linkDeliveries, { error: 'must be "email" or "sms"' }).optional(),
  language: z.enum(linkLanguages, { error: 'must be "en" or "fr"' }).optional(),
});
export type LinkRequest = z.infer<typeof linkRequestSchema>;

/**
 * A link and its checkout as staff see them: no applicant. The page behind the address shows the
 * consumer's name, e-mail address and phone number, so `url` and `qrCode` are stated only to a token
 * of the scope `links`, and only until the checkout is confirmed or the link has ended.
 */
export const linkRecordSchema = z.object({
  checkoutId: z.string(),
  environment: environmentSchema,
  merchantOrderId: z.string(),
  /** Total of the order. */
  amount: moneySchema,
  /** Status of the checkout. */
  status: checkoutStatusSchema,
  url: webAddress.optional(),
  /** PNG in Base64. */
  qrCode: z.base64().optional(),
  /**
   * The answer of the service was lost, and with it the address: the service may have sent the link.
   * Absent otherwise.
   */
  addressLost: z.literal(true).optional(),
  state: z.enum(linkStates),
  /** How the service sent the link; absent where it sent nothing. */
  delivery: z.enum(linkDeliveries).optional(),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /**
   * Applications on this link that were confirmed and not charged, because the order had its charge or
   * was being charged. A person cancels them at the service. Absent where there is none.
   */
  secondConfirmations: z
    .array(z.object({ applicationId: z.string(), seenAt: z.iso.datetime() }))
    .optional(),
});
export type LinkRecord = z.infer<typeof linkRecordSchema>;

/** Newest first. */
export const linksSchema = z.object({ links: z.array(linkRecordSchema) });
