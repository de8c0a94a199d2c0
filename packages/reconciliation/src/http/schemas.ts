import { setUpStates } from '@financing-checkout/contract/reconciliation';
import { z } from 'zod';

export type {
  Coverage as CoverageRecord,
  FundingDay as FundingDayRecord,
  FundingSync as SyncRecord,
} from '@financing-checkout/contract/reconciliation';

export const statusSchema = z.object({
  version: z.string(),
  environment: z.string(),
  /**
   * The record store: its ID, and its path or its URL without user and password. Commands compare
   * both with their own.
   */
  store: z.object({ id: z.string(), name: z.string() }),
  role: z.enum(['leader', 'standby']),
  /** URL of the writing process; absent if it has none or if no process writes. */
  leader: z.string().optional(),
  analytics: z.object({
    state: z.enum(['opening', 'rebuilding', 'ready', 'failed', 'closed']),
    reason: z.string().optional(),
    since: z.iso.datetime(),
  }),
  /** Last time that orders were judged. */
  asOf: z.iso.datetime().optional(),
  /** Absent until the companion's ledger has been read. */
  ledger: z.enum(setUpStates).optional(),
  /** Number of the last fact, and of the last fact included in responses. */
  facts: z.object({ last: z.int(), answered: z.int() }),
  /** Number of orders that the last daily check found changed without a reason, which is an alarm. */
  unexplained: z.int().min(0),
  /** Imports and checks of files that are running in this process. */
  imports: z.array(
    z.object({
      file: z.string().optional(),
      by: z.string(),
      /** Whether the file is only checked. */
      dryRun: z.boolean(),
      /** `receiving` until the whole file has arrived. */
      state: z.enum(['receiving', 'processing']),
      receivedBytes: z.int().min(0),
      totalBytes: z.int().min(1).optional(),
      startedAt: z.iso.datetime(),
    }),
  ),
});
export type StatusRecord = z.infer<typeof statusSchema>;
