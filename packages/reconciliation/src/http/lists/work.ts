import { z } from 'zod';
import { deliveryStates, trailKinds } from '@financing-checkout/contract';
import { caseEventRecord } from '../../cases/record.ts';
import type { CaseFact } from '../../facts/case-facts.ts';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { ProblemError } from '../../platform/problem.ts';
import { workOfToday } from '../../queries/today.ts';
import { actionRecord, trailPage, type TrailPosition } from '../people-trail.ts';
import { alertRecord } from '../routes/process.ts';
import { todaySources } from '../routes/today.ts';
import { detailText, type ListSources, orderOf, PAGE, pagesOf, yesNo } from './list.ts';

const amount = z.int().optional().catch(undefined);
const currency = z.string().optional().catch(undefined);
const trailKind = z.enum(trailKinds).optional();
const state = z.enum(deliveryStates).optional();

/** The lists of work, and of what people have done. */
export const workLists: ListSources<'today' | 'case-trail' | 'trail' | 'actions' | 'alerts'> = {
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

  async *trail({ engine, signal, zone }, { actor, from, kind: wanted, to }) {
    const kind = trailKind.parse(wanted);
    let after: TrailPosition | undefined;
    do {
      const part = { actor, from, kind, to, zone, after, limit: PAGE };
      const page = await trailPage(engine, signal, part);
      yield page.entries.map((entry) => {
        const { amount: moved, currency: of, ...others } = entry.detail;
        return {
          ...orderOf(entry),
          chain: entry.chain,
          numbers: entry.numbers.join(' '),
          at: entry.at,
          actor: entry.actor,
          kind: entry.kind,
          subject: entry.subject,
          code: entry.code,
          currency: entry.currency ?? currency.parse(of),
          amount: amount.parse(moved),
          detail: detailText(others),
          outcome: entry.outcome,
          ended_at: entry.endedAt,
          hash: entry.hash,
        };
      });
      after = page.next;
    } while (after !== undefined);
  },

  async *actions({ engine: { facts } }) {
    const pages = pagesOf<Awaited<ReturnType<typeof facts.actions>>[number]>((last, limit) =>
      facts.actions(last?.begun.seq ?? Number.MAX_SAFE_INTEGER, limit),
    );
    for await (const page of pages) {
      yield page.map((row) => {
        const { actor, at, detail, endedAt, hash, kind, outcome, seq, subject } = actionRecord(row);
        const { amount: moved, currency: of, ...others } = detail;
        return {
          seq,
          at,
          actor,
          kind,
          subject,
          currency: currency.parse(of),
          amount: amount.parse(moved),
          detail: detailText(others),
          outcome,
          ended_at: endedAt,
          hash,
        };
      });
    }
  },

  async *alerts({ engine: { facts } }, filter) {
    const wanted = state.parse(filter.state);
    const pages = pagesOf<Awaited<ReturnType<typeof facts.alerts>>[number]>((last, limit) =>
      facts.alerts({ limit, ...(wanted && { state: wanted }), ...(last && { after: last.id }) }),
    );
    for await (const page of pages) {
      yield page.map(alertRecord).map((one) => ({
        created_at: one.createdAt,
        message: one.id,
        case: one.caseId,
        state: one.state,
        tries: one.tries,
        reason: one.reason,
        next_try_at: one.nextTryAt,
        delivered_at: one.deliveredAt,
      }));
    }
  },
};
