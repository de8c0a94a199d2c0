import type { Examination } from './examination.ts';
import type { Findings } from './findings.ts';
import { signOf } from './kind.ts';

/** Chargebacks that are open, reversals of more than was charged back, and debits of both kinds. */
export function judgeDebits({ postings, tolerance, sums }: Examination, findings: Findings): void {
  // What was posted under a wrong type is that mistake, and no chargeback.
  const counted = postings.filter(
    ({ isDuplicate, isMistaken, kind }) => !isDuplicate && !isMistaken && signOf(kind) !== 0,
  );
  const { settle } = sums.funded;
  let [refund, open, debits] = [0, 0, 0];
  let openCount = 0;
  // Since when each has held without a break.
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
  }
}
