import type { ReconciliationSummary } from '@financing-checkout/contract';
import { compareTexts } from '../../compare-texts.ts';
import { turn } from './orders.ts';
import type { AnswerStore } from './store.ts';
import { added } from './sum.ts';

type Count = ReconciliationSummary['exceptions'][number];

const PAGE_SIZE = 1_000;

/**
 * Exceptions by kind and currency, those with the most open cases first. Counted page by page: a
 * sum over all of them in one statement would hold up a checkout.
 */
export async function countExceptions(
  store: Pick<AnswerStore, 'listExceptions'>,
  environment: string,
): Promise<Count[]> {
  const counts = new Map<string, Count>();
  let after: Parameters<AnswerStore['listExceptions']>[0]['after'];
  for (;;) {
    const page = await store.listExceptions({ environment, after, limit: PAGE_SIZE });
    for (const { code, currency, amount, case: own } of page) {
      const key = `${code} ${currency}`;
      const count = counts.get(key) ?? { code, currency, open: 0, count: 0, amount: 0 };
      count.count += 1;
      count.amount = added(count.amount, Math.abs(amount));
      // Without a case yet it is as open as with one.
      if (own === undefined || own.state === 'open') count.open += 1;
      counts.set(key, count);
    }
    after = page.at(-1);
    if (page.length < PAGE_SIZE) break;
    await turn();
  }
  return [...counts.values()].sort((a, b) => b.open - a.open || compareTexts(a.code, b.code));
}
