import { z } from 'zod';
import { moneySchema } from './money-schema.ts';
import { MAX_ORDER_TICKET_LENGTH } from './order.ts';
import { checkoutStatusSchema, environmentSchema } from './outcome.ts';
import { shownMessageSchema } from './programmes.ts';

/** Version of the storefront API, sent as the `Financing-Checkout-Version` header. */
export const PROTOCOL_VERSION = '1';

/** The ways to show the hosted checkout. The companion lists the supported ones. */
export const presentations = ['embedded', 'popup', 'redirect', 'sdk'] as const;
export const presentationNameSchema = z.enum(presentations);
export type PresentationName = z.infer<typeof presentationNameSchema>;

/**
 * A URL that a page may open. Other schemes can be script (`javascript:`). The URL must be in the
 * browsers' normalized form: software that parses a backslash or a lone surrogate differently would
 * reach another host.
 */
export const webAddress = z.url({ protocol: /^https?$/, normalize: true });

/** BCP 47 language tag. */
export const localeSchema = z
  .string()
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as en-US')
  .max(35);

/** Body of `POST /checkout/prime`. Contains no amount: the order is in the ticket. */
export const primeRequestSchema = z.strictObject({
  /** The order ticket (compact JWS), or a reference for `resolveOrder`. */
  order: z.string().min(1).max(MAX_ORDER_TICKET_LENGTH),
  /** Environment of the page. Checked first: a companion in another environment refuses the request. */
  environment: environmentSchema,
  /** Return URL of a redirect presentation. Must be on the page's origin. */
  returnUrl: webAddress.max(2048).optional(),
  /** BCP 47 language tag for the hosted page. */
  locale: localeSchema.optional(),
  /** The financing message that the shopper saw last. Stored with the order as evidence. */
  shown: shownMessageSchema.optional(),
  /** `link`: the shopper continues on another device, at a URL that the service creates. */
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

/**
 * The states of a link: `opened` once a person has sent an application (published contract, section
 * 6), because a bot that previews the address accesses it, too.
 */
export const linkStates = ['waiting', 'opened', 'expired'] as const;

/** Data for showing the hosted checkout. Its URLs come from here, never from the widget. */
export const presentationSchema = z.object({
  /** The hosted page, for `embedded`, `popup` and `redirect`. */
  hosted: z.object({ url: webAddress, modes: z.array(presentationNameSchema) }).optional(),
  /** The service's own browser SDK. */
  sdk: z
    .object({
      src: webAddress,
      integrity: z.string().optional(),
      /** Name of the only global variable that the script sets. */
      global: z.string(),
    })
    .optional(),
  /** Identifies the checkout in the hosted page and frame messages. With `link`, the link's ID. */
  sessionToken: z.string(),
  /** The URL for another device, for a checkout that was primed with `via: 'link'`. */
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

/**
 * How the money of an approved checkout was returned:
 *
 * - `voided`: the financing was canceled, or its lender took the money back.
 * - `refunded`: everything that was settled is refunded.
 * - `reduced`: a part is refunded, and the rest still pays the order.
 */
export const reversalKinds = ['voided', 'refunded', 'reduced'] as const;
export type ReversalKind = (typeof reversalKinds)[number];

/** How the money of an approved checkout was returned. Only with `reduced` is it still paid. */
export const reversalSchema = z.object({
  kind: z.enum(reversalKinds),
  /** The total refunded amount, if known. */
  amount: moneySchema.optional(),
});
export type Reversal = z.infer<typeof reversalSchema>;

/** A checkout for the browser: the response to prime, get, confirmation and cancellation. */
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
