import { z } from 'zod';
import { moneySchema } from '../storefront/money-schema.ts';
import { amountDifferenceSchema } from './amount-difference.ts';

/** The transaction types in the companion's ledger (reference: Charge API, transaction type). */
export const ledgerTypes = ['Authorize', 'Settle', 'Refund', 'Void'] as const;
export type LedgerType = (typeof ledgerTypes)[number];

/**
 * - `accepted`: the service made the transaction.
 * - `unknown`: it may have made it; a later entry with the same merchantTransactionId and type has
 *   the result.
 * - `absent`: the previously unknown transaction was never made.
 */
export const ledgerStates = ['accepted', 'unknown', 'absent'] as const;
export type LedgerState = (typeof ledgerStates)[number];

/**
 * An entry in the companion's ledger. The ledger is append-only: of several entries with the same
 * merchantTransactionId and type, the last one counts.
 */
export const ledgerEntrySchema = z.object({
  /** Sequence number in write order, without gaps. */
  id: z.int().min(1),
  merchantOrderId: z.string(),
  chargeId: z.string().optional(),
  type: z.enum(ledgerTypes),
  /** Positive for every type. Absent when the service's amount cannot be represented exactly. */
  amount: moneySchema.optional(),
  merchantTransactionId: z.string(),
  /** The service's ID of the transaction, if known. */
  transactionId: z.string().optional(),
  /**
   * The lender's reference of the transaction, if the service stated it. The transaction's funding
   * repeats it.
   */
  lenderReferenceId: z.string().optional(),
  /** Total of the order, and the reason, only if the charge's total differs. */
  ordered: amountDifferenceSchema.optional(),
  state: z.enum(ledgerStates),
  /** Time of the request to the service. ISO 8601, UTC. */
  occurredAt: z.iso.datetime(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** A page of `GET /ledger`; `next` is the cursor of the next page, absent at the end. */
export const ledgerSchema = z.object({
  entries: z.array(ledgerEntrySchema),
  next: z.int().optional(),
});
