import { z } from 'zod';
import type { TransactionType } from '../charges/charge.ts';
import type { LenderStatement, StatementChange } from '../fundings/statement.ts';
import { discountOf } from './discount.ts';

const DAY = 86_400_000;

/** What moves money, and so what a lender can state. */
export const fundedTypes = ['Settle', 'Refund', 'Chargeback', 'Reversal'] as const;

/** Minor units; far below what the amounts they are added to may be. */
const difference = z
  .int()
  .min(-1_000_000_000)
  .max(1_000_000_000)
  .refine((by) => by !== 0, { error: 'must not be 0' });
const days = z.int().min(0).max(400);

/**
 * A mistake of the business kind that a lender makes with one funding. Each is found in a
 * reconciliation as what the comment says; amounts are minor units of the charge's currency.
 */
export const fundingFault = z.discriminatedUnion('kind', [
  /** AMOUNT_MISMATCH: states `by` more than it was asked for. */
  z.strictObject({ kind: z.literal('wrong-amount'), by: difference.default(100) }),
  /** TYPE_MISMATCH: a settle stated as a refund, a refund as a settle, unless told otherwise. */
  z.strictObject({ kind: z.literal('wrong-type'), as: z.enum(fundedTypes).optional() }),
  /** Pays in parts: each is AMOUNT_MISMATCH for the service, their sum is right. */
  z.strictObject({ kind: z.literal('split'), parts: z.int().min(2).max(20).default(2) }),
  /** Pays again, under references of its own. */
  z.strictObject({ kind: z.literal('duplicate'), copies: z.int().min(1).max(20).default(1) }),
  /** MISSING; with `names: order` the order is known, the transaction is not. */
  z.strictObject({
    kind: z.literal('unknown-transaction'),
    names: z.enum(['nothing', 'order']).default('nothing'),
  }),
  /** Nothing is ever posted. */
  z.strictObject({ kind: z.literal('never-funded') }),
  /** As never-funded, but waits for a refund. */
  z.strictObject({ kind: z.literal('refund-not-taken') }),
  /** Waits for a refund, and gives no discount back with it. */
  z.strictObject({ kind: z.literal('discount-kept') }),
  /** Keeps another discount than agreed, in basis points of the amount. */
  z.strictObject({ kind: z.literal('wrong-discount'), basisPoints: z.int().min(0).max(10_000) }),
  /** netAmount is not transactionAmount less discountAmount, by `by`. */
  z.strictObject({ kind: z.literal('net-mismatch'), by: difference.default(-100) }),
  /** The record changes `afterDays` later: updatedAt moves, and fundedAt by `redateDays`. */
  z.strictObject({
    kind: z.literal('late-change'),
    afterDays: days.default(10),
    redateDays: z.int().min(-400).max(400).default(0),
    lenderName: z.string().min(1).max(128).optional(),
  }),
  /** MISSING at first, `afterDays` later RECONCILED: the same record. */
  z.strictObject({ kind: z.literal('late-match'), afterDays: days.default(3) }),
]);
export type FundingFault = z.output<typeof fundingFault>;
export const fundingFaultKinds = fundingFault.options.map(({ shape }) => shape.kind.value);

/** Whether a fault can happen to a transaction of this type at all. */
export function suits(fault: FundingFault, type: TransactionType): boolean {
  const refundsOnly = fault.kind === 'refund-not-taken' || fault.kind === 'discount-kept';
  return !refundsOnly || type === 'Refund';
}

/** A statement to post, and how it changes later. `at` is milliseconds since 1970. */
export interface Posting {
  statement: LenderStatement;
  later?: { at: number; change: StatementChange };
}

/** What a lender posts for a transaction that is due, given what it should and its fault, if any. */
export function postingsOf(due: LenderStatement, fault?: FundingFault): Posting[] {
  if (!fault) return [{ statement: due }];
  switch (fault.kind) {
    case 'never-funded':
    case 'refund-not-taken':
      return [];
    case 'wrong-amount':
      // A lender does not state less than one unit.
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

/** Equal parts, the last one with what is left: amounts and discounts sum to the whole. */
function parts(due: LenderStatement, wanted: number): LenderStatement[] {
  // Two cents cannot be paid in three parts.
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
