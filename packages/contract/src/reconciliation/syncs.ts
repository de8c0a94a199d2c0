import { z } from 'zod';
import { dayStates, syncStates } from './words.ts';

const day = z.iso.date();
const count = z.int().min(0);
/** Eleven years: a longer range is probably a typo, and would cause endless requests. */
const MAX_SYNC_DAYS = 4_000;
const DAY_MS = 86_400_000;

/** Days in the declared time zone, both inclusive. By default, the days that are due are read. */
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

/** A run of the funding sync. */
export const syncSchema = z.object({
  id: z.string(),
  state: z.enum(syncStates),
  /** Why the sync is incomplete, or another note. Never contains text from the service. */
  reason: z.string().optional(),
  from: day,
  to: day,
  /** IANA name of the time zone of the synced days. */
  zone: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  /** Number of times that the sync was resumed after an interruption. */
  resumed: count,
  days: z.object({ planned: count, done: count, unproven: count }),
  /** Number of records of the days that were read. */
  records: count,
  /** Number of new or changed fundings, and of removed ones. */
  changed: count,
  gone: count,
  /** Number of records that could not be stored. */
  quarantined: count,
  /**
   * After the run: days of closed periods that differ from their seal. The seal stays as it is, and
   * the differences become adjustments in the open period.
   */
  closed: z.array(z.object({ period: z.string(), days: z.array(day) })).optional(),
});
export type FundingSync = z.infer<typeof syncSchema>;
export const syncsSchema = z.object({ syncs: z.array(syncSchema), next: z.string().optional() });

const daySumSchema = z.object({
  count,
  transaction: z.string(),
  discount: z.string(),
  net: z.string(),
});

/** The proof of one day. */
export const fundingDaySchema = z.object({
  day,
  state: z.enum(dayStates),
  reason: z.string().optional(),
  zone: z.string(),
  /** The last run that read the day, and the time of the last proof. */
  syncId: z.string(),
  syncedAt: z.iso.datetime().optional(),
  passes: count,
  pages: count,
  /** Number of records that were identical on two pages. */
  overlaps: count,
  records: count,
  quarantined: count,
  /** Number of records that no sum includes, because no source states their currency. */
  assumedCurrency: count,
  /** Sums by currency, in minor units as decimal strings; "" is an unknown currency. */
  sums: z.record(z.string(), daySumSchema),
  /** Digest of the IDs and contents of all fundings of the day. */
  hash: z.string(),
});
export type FundingDay = z.infer<typeof fundingDaySchema>;
export const fundingDaysSchema = z.object({ days: z.array(fundingDaySchema) });

/** The sums of each day, by currency. */
export const daySumsSchema = z.object({
  sums: z.array(daySumSchema.extend({ day, currency: z.string() })),
});

/** A record from the service that cannot be stored. */
export const quarantinedSchema = z.object({
  id: z.string(),
  day,
  merchantOrderId: z.string().optional(),
  /** The field and the error. */
  reason: z.string(),
  seenAt: z.iso.datetime(),
});

export const quarantineSchema = z.object({ quarantined: z.array(quarantinedSchema) });

/** Failed days, followed by unread ones; each group newest first. */
export const unprovenDaysSchema = z.object({
  unproven: z.array(z.object({ day, state: z.string(), reason: z.string().optional() })),
});

/** The proven range of fundings. */
export const coverageSchema = z.object({
  zone: z.string(),
  /** Undefined before the first read. */
  from: day.optional(),
  to: day.optional(),
  days: count,
  ...unprovenDaysSchema.shape,
  /** Number of unproven days in the range; `unproven` lists the newest hundred. */
  unprovenDays: count,
  records: count,
  ...quarantineSchema.shape,
  last: syncSchema.optional(),
});
export type Coverage = z.infer<typeof coverageSchema>;
