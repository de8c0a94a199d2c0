import { exact } from '../order/exact-sum.ts';
import type { Findings } from './findings.ts';
import type { OrderLines } from '../order/lines.ts';
import { largerWay, takenBack } from './postings.ts';
import { firstPosted, postingsOf } from '../order/posting.ts';

/**
 * Reports fundings whose currency is unknown because the order has several currencies. No sum
 * includes them, and this exception covers all their errors.
 */
export function judgeUnknownCurrency({ fundings }: OrderLines, findings: Findings): void {
  const moving = postingsOf(fundings).filter(({ kind }) => kind !== 'none');
  const isTakenBack = takenBack(moving);
  const open = moving.filter((posting) => !isTakenBack(posting));
  if (open.length === 0) return;
  findings.add('CURRENCY_UNKNOWN', exact(largerWay(open)), open.length, firstPosted(open));
}
