import type { Transaction, TransactionType } from '../charges/charge.ts';
import { statementOf, type LenderStatement, type StatementChange } from '../fundings/statement.ts';
import { discountOf } from '../lenders/terms.ts';
import { postingsOf, type FundingFault, type Posting } from '../fundings/fault.ts';
import type { MismatchKind } from './mismatch.ts';
import type { Scene, StagedOrder } from './order.ts';
import type { Random } from './random.ts';

const DAY = 86_400_000;

/** A funding of an order at the end of the history, and its later change. */
export interface SeededFunding {
  /** The statement at the end of the history, with the changes up to then. */
  statement: LenderStatement;
  /** A change after the end of the history. */
  later?: { at: number; change: StatementChange };
}

/** Returns the transaction of an order that has the mismatch, if any. */
export function affected({ kind, transactions }: StagedOrder): Transaction | undefined {
  const type: TransactionType =
    kind === 'refund-not-taken' || kind === 'discount-kept' || kind === 'refund-not-in-ledger'
      ? 'Refund'
      : kind === 'chargeback' || kind === 'double-debit'
        ? 'Chargeback'
        : 'Settle';
  return transactions.find((transaction) => transaction.type === type);
}

/** Whether a transaction is due for funding by the end of the history. */
export function isDue({ fundAt }: Transaction, { until }: Scene): boolean {
  return fundAt !== null && fundAt <= until;
}

/** Returns the fundings of an order by the end of the history. */
export function postOrder(order: StagedOrder, scene: Scene, random: Random): SeededFunding[] {
  const { kind, charge, lender, transactions } = order;
  const mistaken = affected(order);
  const makeFault = kind && faultMakers[kind];
  const fault = mistaken && makeFault?.(order, mistaken, random);
  const postings: Posting[] = [];
  for (const transaction of transactions) {
    const { fundAt } = transaction;
    if (fundAt === null || !isDue(transaction, scene)) continue;
    const { currency, merchantOrderId } = charge;
    const lenderName = lender.name;
    const statement = statementOf({
      ...transaction,
      fundAt,
      currency,
      merchantOrderId,
      lenderName,
    });
    postings.push(...postingsOf(statement, transaction === mistaken ? fault : undefined));
  }
  if (kind === 'orphan' || kind === 'dispute') {
    const amount = random.between(1000, charge.total);
    // A few days after the order, at midnight, which is when lenders post.
    const days = Math.floor((scene.until - charge.createdAt) / DAY);
    const at = (Math.floor(charge.createdAt / DAY) + random.between(1, days)) * DAY;
    postings.push({
      statement: {
        environment: scene.environment,
        fundedAt: at,
        updatedAt: at,
        lenderName: lender.name,
        lenderReferenceId: random.hex(16).toUpperCase(),
        transactionType: kind === 'dispute' ? 'Refund' : 'Settle',
        amount,
        discount: discountOf(amount, lender.discountBasisPoints),
        net: null,
        currency: charge.currency,
        transactionId: null,
        merchantOrderId: kind === 'dispute' ? charge.merchantOrderId : null,
      },
    });
  }
  return postings.map(({ statement, later }) => {
    if (!later) return { statement };
    if (later.at > scene.until) return { statement, later };
    return { statement: { ...statement, ...later.change, updatedAt: later.at } };
  });
}

type FaultMaker = (order: StagedOrder, mistaken: Transaction, random: Random) => FundingFault;

/** The lender fault behind each mismatch that has one. */
const faultMakers: Readonly<Partial<Record<MismatchKind, FaultMaker>>> = {
  'wrong-amount': ({ charge }, mistaken, random) => {
    const most = Math.min(5000, mistaken.amount - 1, charge.total);
    const by = random.between(1, Math.max(1, most));
    return { kind: 'wrong-amount', by: random.fraction() < 0.5 && most > 0 ? -by : by };
  },
  'wrong-type': () => ({ kind: 'wrong-type' }),
  'never-funded': () => ({ kind: 'never-funded' }),
  'refund-not-taken': () => ({ kind: 'refund-not-taken' }),
  'discount-kept': () => ({ kind: 'discount-kept' }),
  split: (_order, _mistaken, random) => ({ kind: 'split', parts: random.between(2, 4) }),
  duplicate: () => ({ kind: 'duplicate', copies: 1 }),
  missing: () => ({ kind: 'unknown-transaction', names: 'nothing' }),
  'original-missing': () => ({ kind: 'unknown-transaction', names: 'order' }),
  'wrong-discount': ({ lender }, _mistaken, random) => {
    const basisPoints = lender.discountBasisPoints + random.between(25, 150);
    return { kind: 'wrong-discount', basisPoints };
  },
  'net-mismatch': (_order, _mistaken, random) => {
    return { kind: 'net-mismatch', by: -random.between(2, 500) };
  },
  'late-change': (_order, _mistaken, random) => {
    const afterDays = random.between(5, 40);
    return { kind: 'late-change', afterDays, redateDays: random.between(0, 2) };
  },
  'late-match': (_order, _mistaken, random) => {
    return { kind: 'late-match', afterDays: random.between(1, 20) };
  },
};
