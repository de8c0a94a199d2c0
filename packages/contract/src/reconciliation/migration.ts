import { z } from 'zod';
import { currency, currencyAssumed, minorUnits, sumOfMany } from './fields.ts';

/** One funding as returned by the three operations. */
const migratedFundingSchema = z.object({
  transactionId: z.string().optional(),
  transactionType: z.string(),
  amount: minorUnits,
  currency,
  currencyAssumed,
  fundedAt: z.string(),
  /** Status in the report and in the records operations. Absent where the funding is missing. */
  report: z.string().optional(),
  recordsV1: z.string().optional(),
  recordsV2: z.string().optional(),
  /** Fields that occur in both with different values. */
  differs: z.array(z.string()),
});

/** Counts by operation. */
const ofOperations = z.object({ report: z.int(), recordsV1: z.int(), recordsV2: z.int() });

/**
 * A line of `GET /reconciliation/migration`: an order that differs between the report and the
 * records operations, a record that cannot be compared, or the summary at the end. A response
 * without a summary is truncated.
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
    /** The day of the record, in the reconciliation time zone. */
    day: z.iso.date(),
    merchantOrderId: z.string().optional(),
    /** The field and the error, without the value itself. */
    reason: z.string(),
  }),
  z.object({
    kind: z.literal('summary'),
    /** Days in the time zone, both inclusive. */
    from: z.iso.date(),
    to: z.iso.date(),
    zone: z.string(),
    /** Number of fundings returned by each operation. */
    read: ofOperations,
    /** Number of records that cannot be stored. No other count includes them. */
    unreadable: ofOperations,
    /** The report's status for each status of the records operations. */
    becomes: z.array(
      z.object({
        version: z.union([z.literal(1), z.literal(2)]),
        /** Absent if missing in the records. */
        records: z.string().optional(),
        /** Absent if missing in the report. */
        report: z.string().optional(),
        count: z.int(),
        /** Number of fundings in `count` with an assumed currency. No amount includes them. */
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
