import type { Transaction, TransactionType } from '../charges/charge.ts';
import type { LenderStatement, StatementChange } from '../fundings/statement.ts';
import { discountOf } from '../lender/discount.ts';
import { postingsOf, type FundingFault, type Posting } from '../lender/fault.ts';
import { lenderReferenceOf } from '../lender/reference.ts';
import type { Scene, StagedOrder } from './order.ts';
import type { Random } from './random.ts';

const DAY = 86_400_000;

/** What lenders have posted for an order by the end of the history, and what they will change. */
export interface SeededFunding {
  /** As it stands at the end, with the changes made until then. */
  statement: LenderStatement;
  /** A change that is yet to come. */
  later?: { at: number; change: StatementChange };
}

/** The transaction that the mismatch of an order happens to. */
export function affected({ kind, transactions }: StagedOrder): Transaction | undefined {
  const type: TransactionType =
    kind === 'refund-not-taken' || kind === 'discount-kept' || kind === 'refund-not-in-ledger'
      ? 'Refund'
      : kind === 'chargeback' || kind === 'double-debit'
        ? 'Chargeback'
        : 'Settle';
  return transactions.find((transaction) => transaction.type === type);
}

/** Whether a transaction has been due for funding by the end of the history. */
export function isDue({ fundAt }: Transaction, { until }: Scene): boolean {
  return fundAt !== null && fundAt <= until;
}

/** All that lenders have posted for an order by the end of the history. */
export function postOrder(order: StagedOrder, scene: Scene, random: Random): SeededFunding[] {
  const { kind, charge, lender, transactions } = order;
  const mistaken = affected(order);
  const fault = faultOf(order, mistaken, random);
  const postings: Posting[] = [];
  for (const transaction of transactions) {
    if (!isDue(transaction, scene)) continue;
    const statement = statementFor(order, transaction);
    postings.push(...postingsOf(statement, transaction === mistaken ? fault : undefined));
  }
  if (kind === 'orphan' || kind === 'dispute') {
    const amount = random.between(1000, charge.total);
    // Some days after the order, on a day that lenders post.
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

function faultOf(
  { kind, charge, lender }: StagedOrder,
  mistaken: Transaction | undefined,
  random: Random,
): FundingFault | undefined {
  if (!mistaken) return undefined;
  switch (kind) {
    case 'wrong-amount': {
      const most = Math.min(5000, mistaken.amount - 1, charge.total);
      const by = random.between(1, Math.max(1, most));
      return { kind, by: random.fraction() < 0.5 && most > 0 ? -by : by };
    }
    case 'wrong-type':
    case 'never-funded':
    case 'refund-not-taken':
    case 'discount-kept':
      return { kind };
    case 'split':
      return { kind, parts: random.between(2, 4) };
    case 'duplicate':
      return { kind, copies: 1 };
    case 'missing':
      return { kind: 'unknown-transaction', names: 'nothing' };
    case 'original-missing':
      return { kind: 'unknown-transaction', names: 'order' };
    case 'wrong-discount': {
      const basisPoints = lender.discountBasisPoints + random.between(25, 150);
      return { kind, basisPoints };
    }
    case 'net-mismatch':
      return { kind, by: -random.between(2, 500) };
    case 'late-change':
      return { kind, afterDays: random.between(5, 40), redateDays: random.between(0, 2) };
    case 'late-match':
      return { kind, afterDays: random.between(1, 20) };
    case 'orphan':
    case 'dispute':
    case 'chargeback':
    case 'chargeback-reversed':
    case 'double-debit':
    case 'not-in-ledger':
    case 'refund-not-in-ledger':
    case 'not-submitted':
    case 'paid-together':
    case 'two-currencies':
    case undefined:
      return undefined;
  }
}

function statementFor({ charge, lender }: StagedOrder, transaction: Transaction): LenderStatement {
  const fundedAt = transaction.fundAt ?? transaction.createdAt;
  return {
    environment: charge.environment,
    fundedAt,
    updatedAt: fundedAt,
    lenderName: lender.name,
    lenderReferenceId: lenderReferenceOf(transaction.id),
    transactionType: transaction.type,
    amount: transaction.amount,
    discount: transaction.discount,
    net: null,
    currency: charge.currency,
    transactionId: transaction.id,
    merchantOrderId: charge.merchantOrderId,
  };
}
