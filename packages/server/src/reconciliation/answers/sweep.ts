import {
  InexactOrderError,
  type OrderLines,
  type Policy,
} from '@financing-checkout/reconciliation-rules';
import { merchantOrderIdOf } from '../../order-key.ts';
import type { JudgingPolicy } from '../policy.ts';
import { linePages } from './lines.ts';
import type { AnswerStore, OrderQuery } from './store.ts';

/** What an answer over many orders is made with. */
export interface SweepContext {
  environment: string;
  store: AnswerStore;
  policy: JudgingPolicy;
  now: number;
  /** Whether all data is there: see `Policy`. */
  complete: boolean;
}

/**
 * Shows every order that matches to `visit`, with all its lines, a page in memory at a time. One whose
 * lines cannot be summed any more is in no sum, as it will have no status when it is computed again.
 * @returns how many fundings were left out, since nobody knows their currency: they are in no sum
 */
export async function sweepOrders(
  ctx: SweepContext,
  query: Pick<OrderQuery, 'currency' | 'lenders'>,
  visit: (order: OrderLines, policy: Policy) => void,
): Promise<number> {
  const policy: Policy = { ...ctx.policy, now: ctx.now, complete: ctx.complete };
  const notWhole: Policy = { ...policy, complete: false };
  let count = 0;
  for await (const page of linePages(ctx.store, { ...query, environment: ctx.environment })) {
    for (const { fundings } of page.withoutCurrency) count += fundings.length;
    for (const { orderKey, currency, ledger, fundings } of page.lines) {
      if (currency === '') continue;
      const order = { merchantOrderId: merchantOrderIdOf(orderKey), currency, ledger, fundings };
      try {
        visit(order, page.unplaced.has(orderKey) ? notWhole : policy);
      } catch (error) {
        if (!(error instanceof InexactOrderError)) throw error;
      }
    }
  }
  return count;
}
