import { z } from 'zod';
import { currencySchema, minorUnitsSchema, moneySchema } from './money-schema.ts';
import { environmentSchema } from './outcome.ts';
import { localeSchema, presentationSchema, webAddress } from './storefront.ts';

/**
 * The statuses of an application without a cart.
 *
 * - `open`: the shopper has not finished it.
 * - `prequalified`: a lender offers credit; `amount` is the highest amount that a lender stated.
 * - `pending`: a lender or the shopper still has to act.
 * - `declined`: no lender offers credit.
 * - `not-found`: the application ended before it reached a lender.
 * - `expired`: the application timed out.
 */
export const prequalificationStatuses = [
  'open',
  'prequalified',
  'pending',
  'declined',
  'not-found',
  'expired',
] as const;

/** Body of `POST /prequalifications`. */
export const prequalificationRequestSchema = z.strictObject({
  environment: environmentSchema,
  currency: currencySchema,
  /** The amount that the shopper has in mind, in minor units. */
  amount: minorUnitsSchema.min(1).optional(),
  returnUrl: webAddress.max(2048).optional(),
  locale: localeSchema.optional(),
});

export type PrequalificationRequest = z.infer<typeof prequalificationRequestSchema>;

/** An application without a cart, for the browser. It contains no personal data. */
export const prequalificationSchema = z.object({
  id: z.string(),
  environment: environmentSchema,
  status: z.enum(prequalificationStatuses),
  /** Only with `prequalified`, if the lender states an amount. */
  amount: moneySchema.optional(),
  /** ID of the application at the service, which a checkout of the same shop continues. */
  applicationId: z.string().optional(),
  /**
   * Time until which a checkout can continue the application: one hour after its start (published
   * contract, section 8).
   */
  expiresAt: z.iso.datetime(),
  /** Only while the shopper can continue: `open` and `pending`. */
  presentation: presentationSchema.optional(),
});
export type Prequalification = z.infer<typeof prequalificationSchema>;
