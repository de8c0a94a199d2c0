import { setImmediate } from 'node:timers/promises';
import type { CaseState } from '@financing-checkout/contract/reconciliation';
import { z } from 'zod';
import type { CaseEventFact, CaseReader } from '../facts/case-facts.ts';

const EVENTS = 500;
const CASES = 100;

interface AlteredCase {
  id: string;
  seq: number;
  reason: string;
}

/**
 * Finds the first case that is missing or whose values contradict its events, because the database
 * was edited directly. Ignores changes after event `end`.
 * @param opened number of cases opened up to that event
 */
export async function findAlteredCase(
  store: CaseReader,
  { end, opened }: { end: number; opened: number },
): Promise<AlteredCase | undefined> {
  let after = '';
  let found = 0;
  for (;;) {
    const cases = await store.findCases({ after, limit: CASES });
    const last = cases.at(-1);
    if (last === undefined) return found < opened ? findRemovedCase(store, end) : undefined;
    const replayed = await replayCases(
      store,
      cases.map(({ id }) => id),
    );
    for (const row of cases) {
      const { id } = row;
      const values = replayed.get(id);
      if (values !== undefined && values.openedAt <= end) found += 1;
      // A change during this check comes after the end of the verified trail.
      if (values !== undefined && values.seq > end) continue;
      if (values === undefined || compared.some((name) => values[name] !== row[name])) {
        return { id, seq: values?.seq ?? 0, reason: 'contradicts the stored case' };
      }
    }
    after = last.id;
    await setImmediate();
  }
}

/** Finds the first case in the trail that no longer exists. Cases are never removed. */
async function findRemovedCase(store: CaseReader, end: number): Promise<AlteredCase | undefined> {
  for (let after = 0; after < end;) {
    const page = await store.caseEvents({ after, limit: EVENTS });
    if (page.length === 0) return undefined;
    for (const { caseId: id, kind, seq } of page) {
      after = seq;
      if (kind !== OPENED || (await store.findCase(id)) !== undefined) continue;
      return { id, seq, reason: 'opened a case that is missing' };
    }
    await setImmediate();
  }
  return undefined;
}

/** The case columns that the trail determines. */
const compared = [
  ...(['orderKey', 'currency', 'code', 'state', 'amount', 'count', 'contentHash'] as const),
  ...(['assignee', 'reason', 'snoozedUntil', 'snoozedContent', 'mergedInto'] as const),
] as const;

interface ReplayedCase {
  /** Sequence number of the last event of the case. */
  seq: number;
  /** Sequence number of the event that opened the case. */
  openedAt: number;
  orderKey: string | undefined;
  currency: string | undefined;
  code: string | undefined;
  state: CaseState | undefined;
  contentHash: string | undefined;
  assignee: string | undefined;
  amount: number | undefined;
  count: number | undefined;
  /** Reason why the case was resolved or ignored; removed when the case reopens. */
  reason: string | undefined;
  snoozedUntil: number | undefined;
  snoozedContent: string | undefined;
  mergedInto: string | undefined;
}

/** Kind of every case's first event. */
export const OPENED = 'opened';

const states = new Map<string, CaseState>([
  [OPENED, 'open'],
  ['reopened', 'open'],
  ['resolved', 'resolved'],
  ['ignored', 'ignored'],
  ['closed', 'closed'],
]);
const stated = z.object({
  orderKey: z.string().optional(),
  currency: z.string().optional(),
  code: z.string().optional(),
  contentHash: z.string().optional(),
  assignee: z.string().nullable().optional(),
  amount: z.number().optional(),
  count: z.number().optional(),
  reason: z.string().optional(),
  until: z.string().optional(),
  into: z.string().optional(),
});

/** Computes the values of cases from the trail alone. */
async function replayCases(
  store: CaseReader,
  caseIds: readonly string[],
): Promise<Map<string, ReplayedCase>> {
  const events = await eventsByCase(store, caseIds);
  const replayed = [...events].flatMap(([id, own]) => {
    const values = replayCase(own);
    return values === undefined ? [] : [[id, values] as const];
  });
  return new Map(replayed);
}

export async function eventsByCase(
  store: CaseReader,
  caseIds: readonly string[],
): Promise<Map<string, CaseEventFact[]>> {
  const found = new Map<string, CaseEventFact[]>();
  for (let after = 0; ;) {
    const page = await store.caseEvents({ caseIds, after, limit: EVENTS });
    for (const event of page) {
      const own = found.get(event.caseId);
      if (own === undefined) found.set(event.caseId, [event]);
      else own.push(event);
      after = event.seq;
    }
    if (page.length < EVENTS) return found;
  }
}

/** Returns when the snooze of a case ends, after an event. */
function snoozeOf(
  kind: string,
  until: string | undefined,
  before: ReplayedCase | undefined,
): Pick<ReplayedCase, 'snoozedUntil' | 'snoozedContent'> {
  if (kind === 'snoozed' && until !== undefined) {
    return { snoozedUntil: Date.parse(until), snoozedContent: before?.contentHash };
  }
  if (kind === 'woken') return { snoozedUntil: undefined, snoozedContent: undefined };
  return { snoozedUntil: before?.snoozedUntil, snoozedContent: before?.snoozedContent };
}

/** Returns the main case of a case after an event. */
function mainOf(
  kind: string,
  into: string | undefined,
  before: ReplayedCase | undefined,
): string | undefined {
  if (kind === 'merged') return into;
  return kind === 'split' ? undefined : before?.mergedInto;
}

/** Computes the values of a case from its events; undefined without events. */
export function replayCase(events: readonly CaseEventFact[]): ReplayedCase | undefined {
  let before: ReplayedCase | undefined;
  for (const { kind, detail, seq } of events) {
    const { assignee, into, reason, until, ...values } = stated.parse(JSON.parse(detail));
    const state = states.get(kind) ?? before?.state;
    before = {
      seq,
      openedAt: before?.openedAt ?? seq,
      state,
      orderKey: values.orderKey ?? before?.orderKey,
      currency: values.currency ?? before?.currency,
      code: values.code ?? before?.code,
      amount: values.amount ?? before?.amount,
      count: values.count ?? before?.count,
      reason: state === 'open' ? undefined : (reason ?? before?.reason),
      contentHash: values.contentHash ?? before?.contentHash,
      ...snoozeOf(kind, until, before),
      mergedInto: mainOf(kind, into, before),
      assignee: kind === 'assigned' ? (assignee ?? undefined) : before?.assignee,
    };
  }
  return before;
}
