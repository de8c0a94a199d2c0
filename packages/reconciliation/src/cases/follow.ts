import type { CaseRow, ExceptionRow } from '../facts/case-facts.ts';
import { type CaseChange, RECONCILIATION, timedId } from './case-change.ts';
import { type CaseContext, changeCases } from './change-cases.ts';
import type { ExceptionSource, JudgedOrder } from './exception-source.ts';
import { splitFromMain } from './merge.ts';
import type { NewCaseEvent } from './trail.ts';

/** Result of a pass, as numbers of cases. */
export interface CasePass {
  opened: number;
  changed: number;
  reopened: number;
  closed: number;
}

/** Orders per transaction: few enough that a person's change does not have to wait. */
const BATCH = 1_000;

/**
 * Updates cases from exceptions. A new exception opens a case, changed content reopens it, and a
 * case closes when its exception is gone. While data is incomplete, no case closes and no amount
 * changes, because missing data may only be late. While the analytics database is rebuilt, no case
 * changes. An order that is waiting to be judged is left for the next pass. Splits an open merged
 * case from a main case that is not open, because earlier versions ignore merges.
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
      const batch = orderKeys.slice(start, start + BATCH);
      const changes = await changeCases(ctx, async (cases) => {
        // Checked within the transaction: the orders may have been judged again since they were
        // found.
        const state = await source.state();
        if (state === 'rebuilding') return [];
        const orders = await source.judged(batch);
        const known = await cases.casesOfOrders(orders.map(({ orderKey }) => orderKey));
        const byOrder = Map.groupBy(known, ({ orderKey }) => orderKey);
        const now = ctx.clock.now();
        return orders.flatMap((order) =>
          followOrder(order, byOrder.get(order.orderKey) ?? [], now, state === 'complete'),
        );
      });
      for (const { event } of changes) {
        if (event.kind in pass) pass[event.kind as keyof CasePass] += 1;
      }
    }
  }
  await splitLeft(ctx);
  const count = pass.opened + pass.changed + pass.reopened + pass.closed;
  if (count > 0) ctx.logger.log('info', 'cases-followed', { count });
  return pass;
}

/** Splits open cases from main cases that are not open. */
async function splitLeft(ctx: CaseContext): Promise<void> {
  while (!ctx.signal?.aborted && (await ctx.facts.casesLeftMerged(1)).length > 0) {
    await changeCases(ctx, async (cases) => {
      const now = ctx.clock.now();
      return (await cases.casesLeftMerged(BATCH)).map((row) => splitFromMain(row, now));
    });
  }
}

function followOrder(
  order: JudgedOrder,
  cases: readonly CaseRow[],
  now: number,
  isComplete: boolean,
): CaseChange[] {
  const known = new Map(cases.map((row) => [keyOf(row), row]));
  const changes = order.exceptions.flatMap((exception) =>
    followException(exception, known.get(keyOf(exception)), now, isComplete),
  );
  if (!order.isWhole || !isComplete) return changes;
  const there = new Set(order.exceptions.map(keyOf));
  const gone = cases.filter((row) => row.state !== 'closed' && !there.has(keyOf(row)));
  return [
    ...changes,
    ...gone.map((row) => ({
      row: { ...row, state: 'closed' as const, updatedAt: now },
      event: eventOf(row.id, 'closed', { was: row.state, why: 'the exception is gone' }),
    })),
  ];
}

function followException(
  exception: ExceptionRow,
  known: CaseRow | undefined,
  now: number,
  isComplete: boolean,
): CaseChange[] {
  const { orderKey, currency, code, amount, count, contentHash } = exception;
  const detail = { amount, count, contentHash };
  if (known === undefined) {
    const id = timedId('case', now);
    const row: CaseRow = {
      ...exception,
      id,
      state: 'open',
      assignee: undefined,
      reason: undefined,
      openedAt: now,
      openSince: now,
      updatedAt: now,
      alertedAt: undefined,
      snoozedUntil: undefined,
      snoozedContent: undefined,
      mergedInto: undefined,
      mentions: [],
    };
    return [{ row, event: eventOf(id, 'opened', { orderKey, currency, code, ...detail }) }];
  }
  const changed = known.contentHash !== contentHash;
  const restated = isComplete && (known.amount !== amount || known.count !== count);
  if (!changed && known.state !== 'closed' && !(restated && known.state === 'open')) return [];
  const row = { ...known, ...exception, updatedAt: now };
  if (known.state === 'open') {
    return [
      { row, event: eventOf(known.id, 'changed', { ...detail, amountBefore: known.amount }) },
    ];
  }
  // The decision was about different content, and the alert was about an exception that has ended.
  const why = changed ? 'its content has changed' : 'the exception is back';
  return [
    {
      row: { ...row, state: 'open', reason: undefined, alertedAt: undefined, openSince: now },
      event: eventOf(known.id, 'reopened', { ...detail, was: known.state, why }),
    },
  ];
}

function eventOf(
  caseId: string,
  kind: NewCaseEvent['kind'],
  detail: NewCaseEvent['detail'],
): NewCaseEvent {
  return { caseId, kind, actor: RECONCILIATION, detail };
}

function keyOf({ currency, code }: Pick<ExceptionRow, 'currency' | 'code'>): string {
  return `${currency} ${code}`;
}
