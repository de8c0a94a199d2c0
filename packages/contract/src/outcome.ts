import { z } from 'zod';

/** The service's environments (specification 5.4), as this project writes them. */
export const environments = ['uat', 'sandbox', 'production'] as const;
export const environmentSchema = z.enum(environments);
export type Environment = z.infer<typeof environmentSchema>;

/**
 * How a checkout can end, one vocabulary for companion, widget and shop.
 *
 * - `approved`: the charge exists; the order can be shipped.
 * - `pending`: the lender, the merchant or the shopper still has something to do; it ends later as
 *   another outcome, without the shopper's browser.
 * - `declined`: no lender made an offer. Not an error.
 * - `cancelled`: the shopper left. Not an error.
 * - `expired`: the time for this checkout ran out.
 * - `unavailable`: the service could not be reached, or its answer is unknown; `retrySafe` says
 *   whether trying again can do harm.
 * - `failed`: it cannot be finished and trying the same again will not help.
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

/** A checkout that has not ended: `open` for the shopper, `confirming` while a charge is made. */
export const checkoutStatuses = ['open', 'confirming', ...outcomes] as const;
export const checkoutStatusSchema = z.enum(checkoutStatuses);
export type CheckoutStatus = z.infer<typeof checkoutStatusSchema>;
