import type { Examination } from './examination.ts';
import type { Findings } from './findings.ts';
import { type FundingKind, signOf } from '../order/kind.ts';
import type { Posting } from '../order/posting.ts';

/**
 * Reports open chargebacks, reversals beyond the charged-back amount, and orders that are both
 * refunded and charged back.
 */
export function judgeDebits({ postings, tolerance, sums }: Examination, findings: Findings): void {
  // A settle posted as a refund, or the reverse, is only a wrong type. A mistyped chargeback also
  // counts as an open chargeback.
  const counted = postings.filter(
    ({ isDuplicate, isMistyped, kind }) =>
      !isDuplicate && signOf(kind) !== 0 && !(isMistyped && kind !== 'chargeback'),
  );
  const { settle } = sums.funded;
  let [refund, open, debits] = [0, 0, 0];
  let openCount = 0;
  // The start of each uninterrupted excess.
  let openSince: number | undefined;
  let overSince: number | undefined;
  let doubleSince: number | undefined;
  for (const { kind, amount, funding } of counted) {
    if (kind === 'settle') continue;
    debits += 1;
    if (kind === 'refund') {
      refund += amount;
    } else {
      open += kind === 'chargeback' ? amount : -amount;
      openCount += 1;
    }
    const { fundedAt } = funding;
    openSince = open > tolerance ? (openSince ?? fundedAt) : undefined;
    overSince = open < -tolerance ? (overSince ?? fundedAt) : undefined;
    const isDouble = refund > 0 && open > 0 && refund + open > settle + tolerance;
    doubleSince = isDouble ? (doubleSince ?? fundedAt) : undefined;
  }
  if (openSince !== undefined) findings.add('CHARGEBACK_OPEN', open, openCount, openSince);
  if (overSince !== undefined) findings.add('OVER_REVERSED', -open, openCount, overSince);
  if (doubleSince !== undefined) {
    findings.add('DOUBLE_DEBIT', refund + open - settle, debits, doubleSince);
    return;
  }
  // The order as a whole may cover both debits although the named settle does not.
  for (const one of bySettle(counted)) {
    const paid = sumOf(one, 'settle');
    const [given, taken] = [
      sumOf(one, 'refund'),
      sumOf(one, 'chargeback') - sumOf(one, 'reversal'),
    ];
    const excess = given + taken - paid;
    if (given <= 0 || taken <= 0 || paid <= 0 || excess <= tolerance) continue;
    const both = one.filter(({ kind }) => kind !== 'settle');
    findings.add('DOUBLE_DEBIT', excess, both.length, lastPosted(both));
  }
}

/** Groups fundings by a shared id (the service's or the merchant's), regardless of type. */
function bySettle(postings: readonly Posting[]): Posting[][] {
  const named = postings.filter((posting) => idOf(posting) !== undefined);
  return [...Map.groupBy(named, idOf).values()];
}

function idOf({ transactionId, merchantTransactionId }: Posting): string | undefined {
  return transactionId ?? merchantTransactionId;
}

function sumOf(postings: readonly Posting[], of: FundingKind): number {
  return postings.reduce((sum, { kind, amount }) => (kind === of ? sum + amount : sum), 0);
}

function lastPosted(postings: readonly Posting[]): number {
  return postings.reduce((last, { funding }) => Math.max(last, funding.fundedAt), 0);
}
