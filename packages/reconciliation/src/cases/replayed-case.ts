import { setImmediate } from 'node:timers/promises';
import { caseEventDetailSchema, caseEventKinds } from '@financing-checkout/contract';
import { fold } from '@financing-checkout/reconciliation-rules';
import { z } from 'zod';
import type { CaseEventFact, CaseFact, CaseReader } from '../facts/case-facts.ts';
import { canonicalJson } from '../platform/digest.ts';

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
 * @param opened number of cases opened until then
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
      if (values === undefined || canonicalJson(values.row) !== canonicalJson(row)) {
        return { id, seq: values?.seq ?? 0, reason: 'contradicts the stored case' };
      }
    }
    after = last.id;
    await setImmediate();
  }
}

/** Finds the first case that the trail opens and that is missing. Cases are never removed. */
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

interface ReplayedCase {
  /** Sequence number of the last event of the case, and of the event that opened it. */
  seq: number;
  openedAt: number;
  row: CaseFact;
}

/** The kind of each case's first event. */
export const OPENED = 'opened';

const kinds = z.enum(caseEventKinds);

/** Computes a case from its events, in their order; undefined without events. */
export function replayCase(events: readonly CaseEventFact[]): CaseFact | undefined {
  let one: CaseFact | undefined;
  for (const { detail, kind, number, ...event } of events) {
    const stated = caseEventDetailSchema.parse(JSON.parse(detail));
    one = { ...fold(one, { ...event, kind: kinds.parse(kind), detail: stated }), number };
  }
  return one;
}

/** Computes the values of cases from the trail alone. */
async function replayCases(
  store: CaseReader,
  caseIds: readonly string[],
): Promise<Map<string, ReplayedCase>> {
  const events = await eventsByCase(store, caseIds);
  const replayed = [...events].flatMap(([id, own]) => {
    const row = replayCase(own);
    const [first, last] = [own[0]?.seq ?? 0, own.at(-1)?.seq ?? 0];
    return row === undefined ? [] : [[id, { seq: last, openedAt: first, row }] as const];
  });
  return new Map(replayed);
}

/** Returns the events of cases, in trail order. */
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
