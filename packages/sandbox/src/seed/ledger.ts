import type { Transaction } from '../charges/charge.ts';
import type { LenderStatement } from '../fundings/statement.ts';
import { mismatches, type MismatchKind } from './mismatch.ts';
import type { Scene, StagedOrder } from './order.ts';
import { affected, isDue, type SeededFunding } from './postings.ts';

/** One line of the merchant's ledger. `amount` is in minor units, `date` is ISO 8601. */
export interface LedgerLine {
  merchantOrderId: string;
  type: 'settle' | 'refund';
  amount: number;
  currency: string;
  date: string;
  /** Null for a line that is unknown to the service. */
  transactionId: string | null;
  merchantTransactionId: string;
  chargeId: string;
}

/** Returns the merchant's ledger lines of one order. */
export function ledgerOf({ kind, charge, transactions }: StagedOrder): LedgerLine[] {
  const { merchantOrderId, currency, id: chargeId } = charge;
  if (kind === 'not-in-ledger') return [];
  if (kind === 'not-submitted') {
    const date = new Date(charge.createdAt).toISOString();
    const merchantTransactionId = `${merchantOrderId}-UNSENT`;
    const settle = { type: 'settle', amount: charge.total, transactionId: null } as const;
    return [{ merchantOrderId, ...settle, currency, date, merchantTransactionId, chargeId }];
  }
  const lines: LedgerLine[] = [];
  for (const { type, id, amount, merchantTransactionId, createdAt } of transactions) {
    if ((type !== 'Settle' && type !== 'Refund') || merchantTransactionId === null) continue;
    if (type === 'Refund' && kind === 'refund-not-in-ledger') continue;
    lines.push({
      merchantOrderId,
      type: type === 'Settle' ? 'settle' : 'refund',
      amount,
      currency,
      date: new Date(createdAt).toISOString(),
      transactionId: id,
      merchantTransactionId,
      chargeId,
    });
  }
  if (kind === 'paid-together') return lines.flatMap(shipments);
  if (kind === 'two-currencies') return lines.flatMap((line) => [line, inOtherCurrency(line)]);
  return lines;
}

/** Splits a settle in two, like an ERP that numbers its shipments and stores no service ids. */
function shipments(line: LedgerLine): LedgerLine[] {
  const first = Math.floor(line.amount / 3);
  return [first, line.amount - first].map((amount, index) => ({
    ...line,
    amount,
    transactionId: null,
    merchantTransactionId: `${line.merchantOrderId}-SHIPMENT-${index + 1}`,
  }));
}

function inOtherCurrency(line: LedgerLine): LedgerLine {
  return {
    ...line,
    currency: otherThan(line.currency),
    transactionId: null,
    merchantTransactionId: `${line.merchantOrderId}-ABROAD`,
  };
}

function otherThan(currency: string): string {
  return currency === 'EUR' ? 'USD' : 'EUR';
}

/** An expected reconciliation finding. `amount` is the difference, in minor units. */
interface Finding {
  code: string;
  amount: number;
  /** First day of the exception, ISO 8601: when the funding was due, or was posted. */
  since: string;
}

/**
 * The ground truth for one order at the end of the history; amounts are in minor units. A line
 * without an order describes a funding that belongs to no order.
 */
export interface Truth {
  merchantOrderId: string | null;
  currency: string;
  kind: MismatchKind | 'none';
  /** Totals from the merchant's ledger, and from the fundings that name the order. */
  expected: { settle: number; refund: number };
  funded: { settle: number; refund: number; chargeback: number; reversal: number };
  /** Amount that is settled at the service but not yet due for funding. */
  inTransit: number;
  exceptions: Finding[];
  /** Only for fundings without an order. */
  lenderReferenceId?: string;
}

/** Returns the ground truth for an order, and for its fundings that name no order. */
export function truthOf(
  order: StagedOrder,
  ledger: readonly LedgerLine[],
  fundings: readonly SeededFunding[],
  scene: Scene,
): Truth[] {
  const { kind, charge, transactions } = order;
  const named = fundings.filter(({ statement }) => statement.merchantOrderId !== null);
  const unnamed = fundings.filter(({ statement }) => statement.merchantOrderId === null);
  const { currency } = charge;
  const findings = findingsOf(order, fundings);
  const hasOtherCurrency = kind === 'two-currencies';
  const isSeparate = (code: string) =>
    hasOtherCurrency || (code === 'MISSING_IN_SERVICE' && unnamed.length > 0);
  const own = ledger.filter((line) => line.currency === currency);
  const ofOrder: Truth = {
    merchantOrderId: charge.merchantOrderId,
    currency,
    kind: kind ?? 'none',
    expected: { settle: sum(own, 'settle'), refund: sum(own, 'refund') },
    funded: fundedBy(named.map(({ statement }) => statement)),
    inTransit: transactions
      .filter((transaction) => transaction.type === 'Settle' && !isDue(transaction, scene))
      .reduce((total, { amount }) => total + amount, 0),
    exceptions: findings.filter(({ code }) => !isSeparate(code)),
  };
  const separate = unnamed.map(({ statement }): Truth => ({
    merchantOrderId: null,
    currency,
    kind: kind ?? 'none',
    expected: { settle: 0, refund: 0 },
    funded: fundedBy([statement]),
    inTransit: 0,
    exceptions: findings.filter(({ code }) => isSeparate(code)),
    lenderReferenceId: statement.lenderReferenceId,
  }));
  return [
    ofOrder,
    ...(hasOtherCurrency ? [otherCurrencyTruth(ofOrder, ledger, findings)] : []),
    ...separate,
  ];
}

/** Returns the ground truth for the settle in another currency. */
function otherCurrencyTruth(
  ofOrder: Truth,
  ledger: readonly LedgerLine[],
  exceptions: Finding[],
): Truth {
  const currency = otherThan(ofOrder.currency);
  const lines = ledger.filter((line) => line.currency === currency);
  return {
    ...ofOrder,
    currency,
    expected: { settle: sum(lines, 'settle'), refund: 0 },
    funded: fundedBy([]),
    inTransit: 0,
    exceptions,
  };
}

function findingsOf(order: StagedOrder, fundings: readonly SeededFunding[]): Finding[] {
  const { kind, charge } = order;
  if (kind === undefined) return [];
  // After the late match there is no finding; until then, each side lacks the other's record.
  const waits = kind === 'late-match' && fundings.some(({ later }) => later);
  if (kind === 'late-match' && !waits) return [];
  const codes: readonly string[] = waits ? mismatches.missing.finds : mismatches[kind].finds;
  const mistaken = affected(order);
  const stated = fundings.map(({ statement }) => statement);
  const amount = sizeOf(kind, mistaken, stated, charge.total);
  // The discount on a few cents rounds to zero, so there is no mismatch.
  if (amount === 0) return [];
  const since = new Date(sinceOf(kind, mistaken, stated) ?? charge.createdAt).toISOString();
  return codes.map((code) => ({ code, amount, since }));
}

/** Returns the size of a difference: in the discount for MDR findings, in the net for net ones. */
function sizeOf(
  kind: MismatchKind,
  mistaken: Transaction | undefined,
  stated: readonly LenderStatement[],
  total: number,
): number {
  const own = stated.find(({ transactionId }) => transactionId === mistaken?.id);
  if (kind === 'orphan' || kind === 'dispute') return stated.at(-1)?.amount ?? 0;
  if (!mistaken) return total;
  if (kind === 'discount-kept') return mistaken.discount;
  if (own && kind === 'wrong-amount') return own.amount - mistaken.amount;
  if (own && kind === 'wrong-discount') return own.discount - mistaken.discount;
  if (own && kind === 'net-mismatch') return (own.net ?? 0) - (own.amount - own.discount);
  return mistaken.amount;
}

function sinceOf(
  kind: MismatchKind,
  mistaken: Transaction | undefined,
  stated: readonly LenderStatement[],
): number | undefined {
  if (kind === 'orphan' || kind === 'dispute') return stated.at(-1)?.fundedAt;
  return mistaken?.fundAt ?? undefined;
}

function sum(ledger: readonly LedgerLine[], type: LedgerLine['type']): number {
  return ledger.reduce((total, line) => (line.type === type ? total + line.amount : total), 0);
}

function fundedBy(statements: readonly LenderStatement[]): Truth['funded'] {
  const funded = { settle: 0, refund: 0, chargeback: 0, reversal: 0 };
  for (const { transactionType, amount } of statements) {
    if (transactionType === 'Settle') funded.settle += amount;
    if (transactionType === 'Refund') funded.refund += amount;
    if (transactionType === 'Chargeback') funded.chargeback += amount;
    if (transactionType === 'Reversal') funded.reversal += amount;
  }
  return funded;
}
