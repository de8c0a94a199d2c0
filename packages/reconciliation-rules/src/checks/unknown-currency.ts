import { exact } from '../order/exact-sum.ts';
import type { Findings } from './findings.ts';
import type { OrderLines } from '../order/lines.ts';
import { largerWay, takenBack } from './postings.ts';
import { firstPosted, postingsOf } from '../order/posting.ts';

/**
 * Reports fundings of an order in several currencies whose own currency is unknown. They count in
 * no sum, and this exception covers everything wrong with them.
 */
export function judgeUnknownCurrency({ fundings }: OrderLines, findings: Findings): void {
  const moving = postingsOf(fundings).filter(({ kind }) => kind !== 'none');
  const isTakenBack = takenBack(moving);
  const open = moving.filter((posting) => !isTakenBack(posting));
  if (open.length === 0) return;
  findings.add('CURRENCY_UNKNOWN', exact(largerWay(open)), open.length, firstPosted(open));
}
