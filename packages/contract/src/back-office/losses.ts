import { z } from 'zod';

/**
 * A record that the service has and the companion's store has lost, because a standby was promoted or a
 * backup was restored.
 */
export const lostRecordSchema = z.object({
  kind: z.enum(['charge', 'settle', 'refund', 'void']),
  merchantOrderId: z.string(),
  chargeId: z.string(),
  /** ISO 8601, UTC. */
  foundAt: z.iso.datetime(),
});

/** The newest lost records, at most 1,000. */
export const lostRecordsSchema = z.object({ records: z.array(lostRecordSchema) });
export type LostRecords = z.infer<typeof lostRecordsSchema>;
