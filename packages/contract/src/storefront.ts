import { z } from 'zod';
import { moneySchema } from './money-schema.ts';
import { MAX_ORDER_TICKET_LENGTH } from './order.ts';
import { checkoutStatusSchema, environmentSchema } from './outcome.ts';
import { shownMessageSchema } from './programmes.ts';
import { reversalKinds } from './reversal.ts';

/** Version of the storefront API, sent as the `Financing-Checkout-Version` header. */
export const PROTOCOL_VERSION = '1';

/** The ways to show the hosted checkout. The companion lists those it supports. */
export const presentations = ['embedded', 'popup', 'redirect', 'sdk'] as const;
export const presentationNameSchema = z.enum(presentations);
export type PresentationName = z.infer<typeof presentationNameSchema>;

/**
 * A web address that a page may open: another scheme can be script (`javascript:`). It must be in the
 * browsers' normal form: software that parses a backslash or a lone surrogate differently would reach
 * another host.
 */
export const webAddress = z.url({ protocol: /^https?$/, normalize: true });

/** BCP 47 language tag. */
export const localeSchema = z
  .string()
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as en-US')
  .max(35);

/** Body of `POST /checkout/prime`. It contains no amount: the ticket states the order. */
export const primeRequestSchema = z.strictObject({
  /** The order ticket (compact JWS), or a reference for `resolveOrder`. */
  order: z.string().min(1).max(MAX_ORDER_TICKET_LENGTH),
  /** The environment of the page; the companion of another one refuses the request first. */
  environment: environmentSchema,
  /** Return address of a redirect presentation. Must be on the page's origin. */
  returnUrl: webAddress.max(2048).optional(),
  /** BCP 47 language tag for the hosted page. */
  locale: localeSchema.optional(),
  /** The financing message that the shopper saw last; kept with the order as evidence. */
  shown: shownMessageSchema.optional(),
  /** `link`: the shopper continues on another device, by an address that the service makes. */
  via: z.literal('link').optional(),
});
export type PrimeRequest = z.infer<typeof primeRequestSchema>;

/** Body of `POST /checkout/{id}/confirmation`. */
export const confirmationRequestSchema = z.strictObject({
  /** The token that the page received from the hosted checkout on confirmation. */
  confirmationToken: z.string().min(1).max(2048),
  /**
   * The page's current order ticket. If its order differs from the primed one, nothing is charged:
   * `order-changed`.
   */
  order: z.string().min(1).max(MAX_ORDER_TICKET_LENGTH).optional(),
});
export type ConfirmationRequest = z.infer<typeof confirmationRequestSchema>;

/** The states of a link: `opened` once a device has shown it (published contract, section 6). */
export const linkStates = ['waiting', 'opened', 'expired'] as const;

/** The data to show the hosted checkout. Its addresses come from here, never from the widget. */
export const presentationSchema = z.object({
  /** The hosted page, for `embedded`, `popup` and `redirect`. */
  hosted: z.object({ url: webAddress, modes: z.array(presentationNameSchema) }).optional(),
  /** The service's own browser SDK. */
  sdk: z
    .object({
      src: webAddress,
      integrity: z.string().optional(),
      /** Name of the one global the script sets. */
      global: z.string(),
    })
    .optional(),
  /** Identifies this checkout in the hosted page and in frame messages. With `link`, the ID of the link. */
  sessionToken: z.string(),
  /** The address for another device, of a checkout that was primed with `via: 'link'`. */
  link: z
    .object({
      url: webAddress,
      /** PNG in Base64. */
      qrCode: z.base64().optional(),
      state: z.enum(linkStates),
      expiresAt: z.iso.datetime(),
    })
    .optional(),
});
export type Presentation = z.infer<typeof presentationSchema>;

/** How money of an approved checkout was returned. The order is still paid only with `reduced`. */
export const reversalSchema = z.object({
  kind: z.enum(reversalKinds),
  /** The total refunded, where it is known. */
  amount: moneySchema.optional(),
});
export type Reversal = z.infer<typeof reversalSchema>;

/** A checkout for the browser: the answer to prime, get, confirmation and cancellation. */
export const checkoutSchema = z.object({
  id: z.string(),
  environment: environmentSchema,
  status: checkoutStatusSchema,
  amount: moneySchema,
  merchantOrderId: z.string(),
  /** ISO 8601, UTC. */
  expiresAt: z.iso.datetime(),
  /** Only with `unavailable`: whether it is safe to start again. */
  retrySafe: z.boolean().optional(),
  /** Only with `approved`, when money was returned. */
  reversal: reversalSchema.optional(),
  /** Only while `open`. */
  presentation: presentationSchema.optional(),
});
export type Checkout = z.infer<typeof checkoutSchema>;
