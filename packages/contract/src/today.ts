import { z } from 'zod';
import { currency, minorUnits, orderKey, time } from './order-status.ts';
import { reliability } from './reconciliation.ts';

const day = z.iso.date();

/** The kinds of work that need a person. */
export const todayKinds = [
  'exception',
  'late-funding',
  'hold',
  'unclear-operation',
  'dead-webhook',
  'dead-alert',
  'unproven-day',
  'quarantine',
] as const;
export type TodayKind = (typeof todayKinds)[number];

/** Servers whose part is missing in an answer because they did not answer. */
export const unavailableParts = ['companion'] as const;

/**
 * One piece of work.
 *
 * - `exception`: an open case. `late-funding`: an open case for money that no lender posted in time.
 * - `hold`: an authorization that is not settled completely, and ends soon or has ended.
 * - `unclear-operation`, `dead-webhook`: of the companion. `dead-alert`: of reconciliation.
 * - `unproven-day`: a day whose report is not proven. `quarantine`: a record that could not be stored.
 */
export const todayItemSchema = z.object({
  kind: z.enum(todayKinds),
  /** ID of the case, charge, operation, message or record; the day itself. */
  id: z.string(),
  /** Exception of a case, kind of an operation, or state of a day. */
  code: z.string().optional(),
  orderKey: orderKey.optional(),
  merchantOrderId: z.string().optional(),
  /** Amount of a case or operation; for a hold, the part that is not settled. */
  amount: minorUnits.optional(),
  currency: currency.optional(),
  /** True when the currency of the amount is the default one because no source states it. */
  currencyAssumed: z.boolean().optional(),
  /** Absent where no funding names it. */
  lender: z.string().optional(),
  since: time,
  /** End of a hold. */
  endsAt: time.optional(),
  assignee: z.string().optional(),
  /** The day of a record, or the unproven day. */
  day: day.optional(),
  /** Reason of an unclear operation, a dead message, an unproven day or a quarantined record. */
  reason: z.string().optional(),
});
export type TodayItem = z.infer<typeof todayItemSchema>;

/** The work that needs a person today. */
export const todaySchema = z.object({
  ...reliability,
  /** Number of items by kind, whether listed or not. Absent for a server that did not answer. */
  counts: z.partialRecord(z.enum(todayKinds), z.int().min(0)),
  /**
   * At most 200: the largest amount first, and of equal amounts (or none) the oldest first. Each
   * kind has up to 25 places that others cannot take.
   */
  items: z.array(todayItemSchema),
  unavailable: z.array(z.enum(unavailableParts)),
});
export type Today = z.infer<typeof todaySchema>;

/** The IDs that a search finds. */
export const searchKinds = ['order', 'charge', 'transaction', 'application'] as const;
export type SearchKind = (typeof searchKinds)[number];

/** Orders whose ID, or the ID of one of their lines, equals a text or begins with it. */
export const searchSchema = z.object({
  /** At most 20, exact matches first. An application must match exactly. */
  matches: z.array(
    z.object({
      kind: z.enum(searchKinds),
      /** The matching ID. */
      value: z.string(),
      orderKey,
      merchantOrderId: z.string().optional(),
    }),
  ),
  /** With `companion`, applications are missing. */
  unavailable: z.array(z.enum(unavailableParts)),
});
export type SearchResult = z.infer<typeof searchSchema>;
