import { z } from 'zod';
import type { TransactionType } from '../charges/charge.ts';
import type { LenderStatement, StatementChange } from './statement.ts';
import { discountOf } from '../lenders/terms.ts';

const DAY = 86_400_000;

/** The types of transactions that move money, which a lender can report. */
export const fundedTypes = ['Settle', 'Refund', 'Chargeback', 'Reversal'] as const;

/** In minor units; far below the maximum of the amounts that it is added to. */
const difference = z
  .int()
  .min(-1_000_000_000)
  .max(1_000_000_000)
  .refine((by) => by !== 0, { error: 'must not be 0' });
const days = z.int().min(0).max(400);

/**
 * A lender's business mistake in one funding. Each comment names the resulting reconciliation
 * finding; amounts are in minor units of the charge's currency.
 */
export const fundingFault = z.discriminatedUnion('kind', [
  /** AMOUNT_MISMATCH: states `by` more than the transaction's amount. */
  z.strictObject({ kind: z.literal('wrong-amount'), by: difference.default(100) }),
  /** TYPE_MISMATCH: states a settle as a refund, a refund as a settle, or `as`. */
  z.strictObject({ kind: z.literal('wrong-type'), as: z.enum(fundedTypes).optional() }),
  /** Pays in parts: each is AMOUNT_MISMATCH for the service, but their sum is correct. */
  z.strictObject({ kind: z.literal('split'), parts: z.int().min(2).max(20).default(2) }),
  /** Pays again, under new references. */
  z.strictObject({ kind: z.literal('duplicate'), copies: z.int().min(1).max(20).default(1) }),
  /** MISSING; with `names: order` the order is known, but the transaction is not. */
  z.strictObject({
    kind: z.literal('unknown-transaction'),
    names: z.enum(['nothing', 'order']).default('nothing'),
  }),
  /** Never posts the funding. */
  z.strictObject({ kind: z.literal('never-funded') }),
  /** Like never-funded, for the next refund. */
  z.strictObject({ kind: z.literal('refund-not-taken') }),
  /** Returns no discount with the next refund. */
  z.strictObject({ kind: z.literal('discount-kept') }),
  /** Keeps a different discount than agreed, in basis points of the amount. */
  z.strictObject({ kind: z.literal('wrong-discount'), basisPoints: z.int().min(0).max(10_000) }),
  /** States a netAmount that differs by `by` from transactionAmount minus discountAmount. */
  z.strictObject({ kind: z.literal('net-mismatch'), by: difference.default(-100) }),
  /**
   * Changes the record `afterDays` later: updates updatedAt, and moves fundedAt by `redateDays`.
   */
  z.strictObject({
    kind: z.literal('late-change'),
    afterDays: days.default(10),
    redateDays: z.int().min(-400).max(400).default(0),
    lenderName: z.string().min(1).max(128).optional(),
  }),
  /** MISSING at first; the same record is RECONCILED `afterDays` later. */
  z.strictObject({ kind: z.literal('late-match'), afterDays: days.default(3) }),
]);
export type FundingFault = z.output<typeof fundingFault>;

/** Whether a fault applies to a transaction of this type. */
export function suits(fault: FundingFault, type: TransactionType): boolean {
  const refundsOnly = fault.kind === 'refund-not-taken' || fault.kind === 'discount-kept';
  return !refundsOnly || type === 'Refund';
}

/** A statement to post and its later change. `at` is in milliseconds since 1970. */
export interface Posting {
  statement: LenderStatement;
  later?: { at: number; change: StatementChange };
}

/** Returns the postings of a due statement, with a fault if there is one. */
export function postingsOf(due: LenderStatement, fault?: FundingFault): Posting[] {
  if (!fault) return [{ statement: due }];
  switch (fault.kind) {
    case 'never-funded':
    case 'refund-not-taken':
      return [];
    case 'wrong-amount':
      // A lender does not report less than one minor unit.
      return [{ statement: { ...due, amount: Math.max(1, due.amount + fault.by) } }];
    case 'wrong-type':
      return [{ statement: { ...due, transactionType: fault.as ?? opposite(due) } }];
    case 'split':
      return parts(due, fault.parts).map((statement) => ({ statement }));
    case 'duplicate':
      return Array.from({ length: fault.copies + 1 }, (_, copy) => ({
        statement: { ...due, lenderReferenceId: numbered(due, copy) },
      }));
    case 'unknown-transaction': {
      const merchantOrderId = fault.names === 'order' ? due.merchantOrderId : null;
      return [{ statement: { ...due, transactionId: null, merchantOrderId } }];
    }
    case 'discount-kept':
      return [{ statement: { ...due, discount: 0 } }];
    case 'wrong-discount':
      return [{ statement: { ...due, discount: discountOf(due.amount, fault.basisPoints) } }];
    case 'net-mismatch':
      return [{ statement: { ...due, net: due.amount - due.discount + fault.by } }];
    case 'late-change': {
      const { afterDays, redateDays, lenderName } = fault;
      const fundedAt = due.fundedAt + redateDays * DAY;
      const change = { fundedAt, ...(lenderName === undefined ? {} : { lenderName }) };
      return [{ statement: due, later: { at: due.fundedAt + afterDays * DAY, change } }];
    }
    case 'late-match': {
      const { transactionId, merchantOrderId } = due;
      const statement = { ...due, transactionId: null, merchantOrderId: null };
      const change = { transactionId, merchantOrderId };
      return [{ statement, later: { at: due.fundedAt + fault.afterDays * DAY, change } }];
    }
  }
}

function opposite({ transactionType }: LenderStatement): TransactionType {
  return transactionType === 'Settle' || transactionType === 'Chargeback' ? 'Refund' : 'Settle';
}

/** Splits a statement into equal parts; the last has the remainder of amount and discount. */
function parts(due: LenderStatement, wanted: number): LenderStatement[] {
  // Two cents cannot be split into three parts.
  const count = Math.min(wanted, due.amount);
  const amount = Math.floor(due.amount / count);
  const discount = Math.floor(due.discount / count);
  return Array.from({ length: count }, (_, index) => {
    const before = count - 1;
    const rest = index === before;
    return {
      ...due,
      lenderReferenceId: numbered(due, index),
      amount: rest ? due.amount - amount * before : amount,
      discount: rest ? due.discount - discount * before : discount,
    };
  });
}

function numbered({ lenderReferenceId }: LenderStatement, index: number): string {
  return index === 0 ? lenderReferenceId : `${lenderReferenceId}-${index + 1}`;
}
