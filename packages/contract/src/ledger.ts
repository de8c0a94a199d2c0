import { z } from 'zod';
import { amountDifferenceSchema } from './amount-difference.ts';
import { moneySchema } from './money-schema.ts';

/** The transactions a companion makes (reference: Charge API, transaction type). */
export const ledgerTypes = ['Authorize', 'Settle', 'Refund', 'Void'] as const;
export type LedgerType = (typeof ledgerTypes)[number];

/**
 * - `accepted`: the service made the transaction.
 * - `unknown`: it may have; a later entry with the same merchantTransactionId and type says.
 * - `absent`: one that was unknown was never made.
 */
export const ledgerStates = ['accepted', 'unknown', 'absent'] as const;
export type LedgerState = (typeof ledgerStates)[number];

/**
 * One entry of the companion's ledger. Entries are added and never changed: of several entries
 * with one merchantTransactionId and type the last one holds.
 */
export const ledgerEntrySchema = z.object({
  /** Counts up by one in the order of writing, without a gap. */
  id: z.int().min(1),
  merchantOrderId: z.string(),
  chargeId: z.string().optional(),
  type: z.enum(ledgerTypes),
  /** Positive, whatever the type. Absent when the service's amount cannot be held exactly. */
  amount: moneySchema.optional(),
  merchantTransactionId: z.string(),
  /** The service's id of the transaction, where it was told. */
  transactionId: z.string().optional(),
  /**
   * The lender's reference of the transaction, where the service stated it. The funding that pays the
   * transaction carries the same one.
   */
  lenderReferenceId: z.string().optional(),
  /** Total of the order, and the reason, only where the charge's total is another one. */
  ordered: amountDifferenceSchema.optional(),
  state: z.enum(ledgerStates),
  /** When it was asked of the service. ISO 8601, UTC. */
  occurredAt: z.iso.datetime(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** A page of `GET /ledger`; `next` is the cursor of what follows, absent at the end. */
export const ledgerSchema = z.object({
  entries: z.array(ledgerEntrySchema),
  next: z.int().optional(),
});
