import { z } from 'zod';
import { currency, leftOut, ofPeriod, reliability, sumOfMany } from './fields.ts';

const day = z.iso.date();
const count = z.int().min(0);

/** Time from a settle to the funding that pays it, by currency and lender. */
export const lagsSchema = z.object({
  ...reliability,
  ...leftOut,
  ...ofPeriod,
  lenders: z.array(
    z.object({
      lender: z.string(),
      currency,
      /** Number of settles that the lender paid in full. */
      count,
      /** Median, and time within which 95 % were funded, in days with one decimal. */
      p50Days: z.number(),
      p95Days: z.number(),
    }),
  ),
});
export type Lags = z.infer<typeof lagsSchema>;

/**
 * The settled amounts that lenders have not funded yet, by due date of the postings. Amounts are
 * before the lenders' discount.
 */
export const forecastSchema = z.object({
  ...reliability,
  ...leftOut,
  /** Today and the next 13 days in the reconciliation zone. Days without amounts are omitted. */
  days: z.array(z.object({ day, currency, amount: sumOfMany, count })),
  /**
   * Money at stake of the open exceptions `MISSING_AT_LENDER`. Amounts that were due before today
   * without such an exception are expected today: an unproven day or a funding of unknown currency
   * may contain their payment.
   */
  late: z.array(z.object({ currency, amount: sumOfMany, count })),
  /**
   * The same amounts by lender. Without a day, they are late. Without a lender, no
   * funding of the orders has named one yet.
   */
  lenders: z.array(
    z.object({
      day: day.optional(),
      due: z.enum(['late', 'expected']),
      currency,
      lender: z.string().optional(),
      amount: sumOfMany,
      count,
    }),
  ),
});
export type Forecast = z.infer<typeof forecastSchema>;
