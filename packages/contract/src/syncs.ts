import { z } from 'zod';
import { dayStates, syncStates } from './words.ts';

const day = z.iso.date();
const count = z.int().min(0);
/** Eleven years: more is a slip in a year, and would ask the service for days without end. */
const MAX_SYNC_DAYS = 4_000;
const DAY_MS = 86_400_000;

/** Days of the declared zone, both included. Without them, what is due by its age is read. */
export const syncRequestSchema = z
  .strictObject({ from: day.optional(), to: day.optional() })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), {
    error: 'give both from and to, or none of them',
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    error: 'must not be after "to"',
    path: ['from'],
  })
  .refine(
    ({ from = '', to = '' }) => !(Date.parse(to) - Date.parse(from) >= MAX_SYNC_DAYS * DAY_MS),
    { error: `give at most ${MAX_SYNC_DAYS} days`, path: ['from'] },
  );

/** A run of the sync of fundings. */
export const syncSchema = z.object({
  id: z.string(),
  state: z.enum(syncStates),
  /** Why it is not complete, or what is to be known of it all the same; in our words. */
  reason: z.string().optional(),
  from: day,
  to: day,
  /** IANA name: its days are days of this zone. */
  zone: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  /** How often it was taken up again after it had been cut off. */
  resumed: count,
  days: z.object({ planned: count, done: count, unproven: count }),
  /** Of the days read. */
  records: count,
  /** Fundings that were new, or not as before; and those that are no longer there. */
  changed: count,
  gone: count,
  /** Records that could not be held. */
  quarantined: count,
});
export type FundingSync = z.infer<typeof syncSchema>;
export const syncsSchema = z.object({ syncs: z.array(syncSchema), next: z.string().optional() });

/** The proof of a day. */
export const fundingDaySchema = z.object({
  day,
  state: z.enum(dayStates),
  reason: z.string().optional(),
  zone: z.string(),
  /** The run that last looked at it, and when it was last proven. */
  syncId: z.string(),
  syncedAt: z.iso.datetime().optional(),
  passes: count,
  pages: count,
  /** Records that two pages had in common, and agreed on. */
  overlaps: count,
  records: count,
  quarantined: count,
  /** Records in no sum, because their currency is assumed: nothing that was read says it. */
  assumedCurrency: count,
  /** By currency, in minor units as decimal text; "" is a currency that is not known. */
  sums: z.record(
    z.string(),
    z.object({
      count,
      transaction: z.string(),
      discount: z.string(),
      net: z.string(),
    }),
  ),
  /** Of the ids and contents of all its fundings. */
  hash: z.string(),
});
export type FundingDay = z.infer<typeof fundingDaySchema>;
export const fundingDaysSchema = z.object({ days: z.array(fundingDaySchema) });

/** A record that cannot be held as the service sent it. */
export const quarantinedSchema = z.object({
  id: z.string(),
  day,
  merchantOrderId: z.string().optional(),
  /** Which field, and what is wrong with it. */
  reason: z.string(),
  seenAt: z.iso.datetime(),
});

/** How much of the fundings is proven. */
export const coverageSchema = z.object({
  zone: z.string(),
  /** Undefined: nothing has been read yet. */
  from: day.optional(),
  to: day.optional(),
  days: count,
  unproven: z.array(z.object({ day, state: z.string(), reason: z.string().optional() })),
  /** Of all days of the range that are not proven: `unproven` lists the newest hundred. */
  unprovenDays: count,
  records: count,
  quarantined: z.array(quarantinedSchema),
  last: syncSchema.optional(),
});
export type Coverage = z.infer<typeof coverageSchema>;
