import {
  coverageSchema as sharedCoverageSchema,
  deliveriesSchema,
  fundingSliceSchema,
  syncSchema as sharedSyncSchema,
} from '@financing-checkout/contract';
import { z } from 'zod';

/** A run of the sync of fundings. */
export const syncSchema = sharedSyncSchema
  .omit({ slices: true })
  .extend({ days: sharedSyncSchema.shape.slices });
export type SyncRecord = z.infer<typeof syncSchema>;
export const syncsSchema = z.object({ syncs: z.array(syncSchema), next: z.string().optional() });

export const fundingDaySchema = fundingSliceSchema;
export type FundingDayRecord = z.infer<typeof fundingDaySchema>;
export const fundingDaysSchema = z.object({ days: z.array(fundingDaySchema) });

/** How much of the fundings is proven. */
export const coverageSchema = sharedCoverageSchema.extend({ last: syncSchema.optional() });
export type CoverageRecord = z.infer<typeof coverageSchema>;

export const alertsSchema = deliveriesSchema;

/** How the process stands. */
export const statusSchema = z.object({
  version: z.string(),
  environment: z.string(),
  role: z.enum(['leader', 'standby']),
  /** Address of the process that writes; absent: it has none, or no process writes. */
  leader: z.string().optional(),
  analytics: z.object({
    state: z.enum(['opening', 'rebuilding', 'ready', 'failed', 'closed']),
    reason: z.string().optional(),
    since: z.iso.datetime(),
  }),
  /** When orders were judged last. */
  asOf: z.iso.datetime().optional(),
  /** Number of the last fact, and of the last one that the answers are of. */
  facts: z.object({ last: z.int(), answered: z.int() }),
  /** Orders whose status the last daily check found to be another one without a reason: an alarm. */
  unexplained: z.int().min(0),
});
export type StatusRecord = z.infer<typeof statusSchema>;
