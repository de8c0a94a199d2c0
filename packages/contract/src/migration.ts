import { z } from 'zod';
import { currency, currencyAssumed, minorUnits, sumOfMany } from './order-status.ts';

/** One funding in the three operations. */
const migratedFundingSchema = z.object({
  transactionId: z.string().optional(),
  transactionType: z.string(),
  amount: minorUnits,
  currency,
  currencyAssumed,
  fundedAt: z.string(),
  /** Status in the report and in the records operations; absent where the funding is missing. */
  report: z.string().optional(),
  recordsV1: z.string().optional(),
  recordsV2: z.string().optional(),
  /** Fields that occur in both with different values. */
  differs: z.array(z.string()),
});

/** Counts by operation. */
const ofOperations = z.object({ report: z.int(), recordsV1: z.int(), recordsV2: z.int() });

/**
 * A line of `GET /reconciliation/migration`: an order that differs between the report and the records
 * operations, a record that cannot be compared, or at the end the summary. An answer without summary
 * is truncated.
 */
export const migrationLineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('order'),
    merchantOrderId: z.string().optional(),
    fundings: z.array(migratedFundingSchema),
  }),
  z.object({
    kind: z.literal('unreadable'),
    operation: ofOperations.keyof(),
    /** The day that contains it, in the zone of reconciliation. */
    day: z.iso.date(),
    merchantOrderId: z.string().optional(),
    /** The field and the error, without the value. */
    reason: z.string(),
  }),
  z.object({
    kind: z.literal('summary'),
    /** Days of the zone, both included. */
    from: z.iso.date(),
    to: z.iso.date(),
    zone: z.string(),
    /** Fundings read by each operation. */
    read: ofOperations,
    /** Records that cannot be stored; no other count includes them. */
    unreadable: ofOperations,
    /** The report's status for each status of the records operations. */
    becomes: z.array(
      z.object({
        version: z.union([z.literal(1), z.literal(2)]),
        /** Absent when missing in the records. */
        records: z.string().optional(),
        /** Absent when missing in the report. */
        report: z.string().optional(),
        count: z.int(),
        /** Fundings in `count` with an assumed currency; no amount includes them. */
        assumedCurrency: z.int().min(0),
        /** Sums of absolute amounts by currency. */
        amounts: z.record(z.string(), sumOfMany),
      }),
    ),
    /** Number of differences by field. */
    differs: z.record(z.string(), z.int()),
    orders: z.int(),
  }),
]);
export type MigrationLine = z.infer<typeof migrationLineSchema>;
