import { z } from 'zod';
import { moneySchema } from './money-schema.ts';
import { MAX_ORDER_TICKET_LENGTH } from './order.ts';
import { checkoutStatusSchema, environmentSchema } from './outcome.ts';
import { reversalKinds } from './reversal.ts';

/** Version of the storefront API, sent as the `Financing-Checkout-Version` header. */
export const PROTOCOL_VERSION = '1';

/** How the hosted checkout can be shown. The companion says which of them it is set up for. */
export const presentations = ['embedded', 'popup', 'redirect', 'sdk'] as const;
export const presentationNameSchema = z.enum(presentations);
export type PresentationName = z.infer<typeof presentationNameSchema>;

/**
 * An address that a page may open: what is not of the web can be script (`javascript:`). As browsers
 * write it: whoever reads a backslash or half a character in another way would come to another host.
 */
const webAddress = z.url({ protocol: /^https?$/, normalize: true });

/** Body of `POST /checkout/prime`. It has no amount in it: the ticket states the order. */
export const primeRequestSchema = z.strictObject({
  /** The order ticket (compact JWS), or the reference that `resolveOrder` takes. */
  order: z.string().min(1).max(MAX_ORDER_TICKET_LENGTH),
  /** What the page believes it talks to; another one is refused before any work. */
  environment: environmentSchema,
  /** Where a redirect presentation comes back to. Must be on the origin of the page. */
  returnUrl: webAddress.max(2048).optional(),
  /** BCP 47 language tag for the hosted page. */
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as en-US')
    .max(35)
    .optional(),
});
export type PrimeRequest = z.infer<typeof primeRequestSchema>;

/** Body of `POST /checkout/{id}/confirmation`. */
export const confirmationRequestSchema = z.strictObject({
  /** What the hosted checkout handed to the page when the shopper confirmed an offer. */
  confirmationToken: z.string().min(1).max(2048),
  /**
   * The order ticket as the page has it now. When it states another order than the one that was
   * primed, nothing is charged: `order-changed`.
   */
  order: z.string().min(1).max(MAX_ORDER_TICKET_LENGTH).optional(),
});
export type ConfirmationRequest = z.infer<typeof confirmationRequestSchema>;

/** What the page needs to show the hosted checkout: addresses come from here, never from the widget. */
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
  /** Names this checkout to the hosted page and in frame messages. */
  sessionToken: z.string(),
});
export type Presentation = z.infer<typeof presentationSchema>;

/** How the money of an approved checkout went back since. Its order is paid only where it is `reduced`. */
export const reversalSchema = z.object({
  kind: z.enum(reversalKinds),
  /** The total that is refunded, where it is known. */
  amount: moneySchema.optional(),
});
export type Reversal = z.infer<typeof reversalSchema>;

/** A checkout as the browser sees it: answer of prime, get, confirmation and cancellation. */
export const checkoutSchema = z.object({
  id: z.string(),
  environment: environmentSchema,
  status: checkoutStatusSchema,
  amount: moneySchema,
  merchantOrderId: z.string(),
  /** ISO 8601, UTC. */
  expiresAt: z.iso.datetime(),
  /** Only with `unavailable`: whether starting again can do no harm. */
  retrySafe: z.boolean().optional(),
  /** Only with `approved`, where money of the charge went back. */
  reversal: reversalSchema.optional(),
  /** Only while `open`. */
  presentation: presentationSchema.optional(),
});
export type Checkout = z.infer<typeof checkoutSchema>;
