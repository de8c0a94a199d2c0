import { z } from 'zod';

/** The service's environments (specification 5.4), in this project's spelling. */
export const environments = ['uat', 'sandbox', 'production'] as const;
export const environmentSchema = z.enum(environments);
export type Environment = z.infer<typeof environmentSchema>;

/**
 * The possible ends of a checkout, for companion, widget and shop.
 *
 * - `approved`: the charge exists; the order can be shipped.
 * - `pending`: the lender, the merchant or the shopper still has to act; it ends later with another
 *   outcome, without the shopper's browser.
 * - `declined`: no lender made an offer. Not an error.
 * - `cancelled`: the shopper left. Not an error.
 * - `expired`: the time for this checkout ran out.
 * - `unavailable`: the service could not be reached, or its answer is unknown; `retrySafe` states
 *   whether trying again is safe.
 * - `failed`: it cannot be completed, and trying again will not help.
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

/** The statuses of a checkout before its end: `open` for the shopper, `confirming` during the charge. */
export const checkoutStatuses = ['open', 'confirming', ...outcomes] as const;
export const checkoutStatusSchema = z.enum(checkoutStatuses);
export type CheckoutStatus = z.infer<typeof checkoutStatusSchema>;
