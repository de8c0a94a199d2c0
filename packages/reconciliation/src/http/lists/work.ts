import { detailText } from '@financing-checkout/kit';
import { z } from 'zod';
import { caseEventRecord } from '../../cases/record.ts';
import type { CaseFact } from '../../facts/case-facts.ts';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { ProblemError } from '../../platform/problem.ts';
import { workOfToday } from '../../queries/today.ts';
import { todaySources } from '../routes/today.ts';
import { type ListSources, orderOf, pagesOf, yesNo } from './list.ts';

const amount = z.int().optional().catch(undefined);

/** The lists of work. */
export const workLists: ListSources<'today' | 'case-trail'> = {
  async *today({ engine, signal }, { kind }) {
    const { holds } = engine.config.policy;
    const { items } = await workOfToday(
      engine.data.context(signal),
      todaySources(engine, signal),
      holds,
      Number.MAX_SAFE_INTEGER,
    );
    yield items
      .filter((item) => kind === undefined || item.kind === kind)
      .map((item) => ({
        ...orderOf(item),
        currency: item.currency,
        kind: item.kind,
        id: item.id,
        code: item.code,
        count: item.count,
        amount: item.amount,
        lender: item.lender,
        since: item.since,
        ends_at: item.endsAt,
        assignee: item.assignee,
        day: item.day,
        reason: item.reason,
        currency_assumed: yesNo(item.currencyAssumed),
      }));
  },

  async *'case-trail'({ engine: { facts } }, { caseId }) {
    const cases = new Map<string, CaseFact | undefined>();
    if (caseId !== undefined) {
      cases.set(caseId, await facts.findCase(caseId));
      if (cases.get(caseId) === undefined) throw new ProblemError('case-not-found');
    }
    const of = caseId === undefined ? {} : { caseIds: [caseId] };
    const pages = pagesOf<Awaited<ReturnType<typeof facts.caseEvents>>[number]>((last, limit) =>
      facts.caseEvents({ ...of, after: last?.seq ?? 0, limit }),
    );
    for await (const page of pages) {
      for (const { caseId: id } of page) {
        if (!cases.has(id)) cases.set(id, await facts.findCase(id));
      }
      yield page.map((event) => {
        const one = cases.get(event.caseId);
        const { actor, at, detail, hash, kind, seq } = caseEventRecord(event);
        const { amount: now, amountBefore, ...others } = detail;
        const orderKey = one?.orderKey;
        return {
          ...orderOf({ orderKey, merchantOrderId: orderKey && merchantOrderIdOf(orderKey) }),
          currency: one?.currency,
          seq,
          case: event.caseId,
          at,
          actor,
          kind,
          amount: amount.parse(now),
          amount_before: amount.parse(amountBefore),
          detail: detailText(others),
          hash,
        };
      });
    }
  },
};
