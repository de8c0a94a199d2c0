import { z } from 'zod';

/** The service's environments (specification 5.4), in this project's spelling. */
export const environments = ['uat', 'sandbox', 'production'] as const;
export const environmentSchema = z.enum(environments);
export type Environment = z.infer<typeof environmentSchema>;

/**
 * The possible outcomes of a checkout, for companion, widget and shop.
 *
 * - `approved`: the charge exists; the order can be shipped.
 * - `pending`: the lender, the merchant or the shopper still has to act. The checkout reaches
 *   another outcome later, without the shopper's browser.
 * - `declined`: no lender made an offer. Not an error.
 * - `cancelled`: the shopper left. Not an error.
 * - `expired`: the checkout timed out.
 * - `unavailable`: the service could not be reached, or its response is unknown; `retrySafe` states
 *   whether a retry is safe.
 * - `failed`: the checkout cannot be completed, and a retry will not help.
 */
export const outcomes = [
  'approved',
  'pending',
  'declined',
  'cancelled',
  'expired',
  'unavailable',
  'failed',
] as const;
export const outcomeSchema = z.enum(outcomes);
export type Outcome = z.infer<typeof outcomeSchema>;

/** Adds the statuses before an outcome: `open` for the shopper, `confirming` for the charge. */
export const checkoutStatuses = ['open', 'confirming', ...outcomes] as const;
export const checkoutStatusSchema = z.enum(checkoutStatuses);
export type CheckoutStatus = z.infer<typeof checkoutStatusSchema>;
