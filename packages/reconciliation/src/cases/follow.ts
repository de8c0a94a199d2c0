import { setTimeout } from 'node:timers/promises';
import { followOrder, withFollowing } from '@financing-checkout/reconciliation-rules';
import { type CaseContext, timedId, withRelated } from './change-cases.ts';
import type { ExceptionSource } from './exception-source.ts';

/** Result of a pass, in numbers of cases. */
export interface CasePass {
  opened: number;
  changed: number;
  reopened: number;
  closed: number;
}

/**
 * Orders per transaction, which excludes all other writers of the trail: so few that a sign-in or a
 * refund in another process waits less than 200 ms.
 */
const BATCH = 100;
/**
 * Milliseconds between transactions. A process waiting for a SQLite file lock retries every
 * millisecond.
 */
const GAP_MS = 4;

/**
 * Updates cases from exceptions. A new exception opens a case, changed content reopens it, and a
 * case closes when its exception is gone. While data is incomplete, no case closes and no amount
 * changes, because missing data may only be late. While the analytics database is rebuilt, no case
 * changes. An order that is waiting to be judged is left for the next pass.
 * @throws {LeaseLostError}
 */
export async function followExceptions(
  ctx: CaseContext,
  source: Omit<ExceptionSource, 'stakes'>,
): Promise<CasePass> {
  const pass: CasePass = { opened: 0, changed: 0, reopened: 0, closed: 0 };
  if ((await source.state()) === 'rebuilding') return pass;
  for await (const orderKeys of source.changedOrders(ctx.signal)) {
    for (let start = 0; start < orderKeys.length; start += BATCH) {
      if (ctx.signal?.aborted) return pass;
      if (start > 0) await setTimeout(GAP_MS);
      const batch = orderKeys.slice(start, start + BATCH);
      const events = await ctx.facts.changeCases(ctx.fence, async (cases) => {
        // Checked within the transaction: the orders may have been judged again since they were
        // found.
        const state = await source.state();
        if (state === 'rebuilding') return [];
        const orders = await source.judged(batch);
        const known = await cases.casesOfOrders(orders.map(({ orderKey }) => orderKey));
        const byOrder = Map.groupBy(known, ({ orderKey }) => orderKey);
        const now = ctx.clock.now();
        const following = {
          now,
          isComplete: state === 'complete',
          newId: () => timedId('case', now),
        };
        const found = orders.flatMap((order) =>
          followOrder(order, byOrder.get(order.orderKey) ?? [], following),
        );
        const all = await withRelated(cases, known);
        await cases.record(withFollowing(all, found), all);
        return found;
      });
      for (const { kind } of events) {
        if (kind in pass) pass[kind as keyof CasePass] += 1;
      }
    }
  }
  const count = pass.opened + pass.changed + pass.reopened + pass.closed;
  if (count > 0) ctx.logger.log('info', 'cases-followed', { count });
  return pass;
}
