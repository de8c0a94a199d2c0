import {
  type CaseAction,
  caseVerbNames,
  caseVerbs,
  type CaseVerb,
} from '@financing-checkout/contract/reconciliation';
import { fieldOfVerb } from '@financing-checkout/contract/plain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import {
  applyEvents,
  type Case,
  type CaseEvent,
  fold,
  permittedActions,
  snoozeEnd,
} from './fold.ts';
import { followOrder, type JudgedOrder, withFollowing } from './follow.ts';

const START = Date.UTC(2026, 10, 1);
const HOUR_MS = 3_600_000;

const exceptionOf = (order: number, version: number, amount = 500) => ({
  orderKey: `order:${order}`,
  currency: 'USD',
  code: 'AMOUNT_MISMATCH' as const,
  amount,
  count: 1 + (version % 2),
  since: START - version,
  contentHash: `v${version}`,
});

/** What happens: an order is judged, or a person acts on a case. */
type Step =
  | { order: number; version: number | undefined; isComplete: boolean }
  | { order: number; verb: CaseVerb; into: number };

const orders = fc.integer({ min: 0, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    order: orders,
    version: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    isComplete: fc.boolean(),
  }),
  fc.record({ order: orders, verb: fc.constantFrom(...caseVerbNames), into: orders }),
);
const steps = fc.array(step, { maxLength: 40 });

const idOf = (order: number) => `case_${order}`;

function actionOf(verb: CaseVerb, into: number, now: number): CaseAction {
  const texts: Readonly<Record<string, string | null>> = {
    assignee: into === 0 ? null : `person ${into}`,
    until: new Date(now + into * HOUR_MS).toISOString(),
    into: idOf(into),
    note: 'asked',
    reason: `because ${into}`,
  };
  const field = fieldOfVerb(verb);
  const written = field === undefined ? {} : { [field]: texts[field] };
  return { kind: caseVerbs[verb].kind, ...written } as CaseAction;
}

/** Lets everything happen, an hour apart, and returns the events with the cases after each step. */
function live(all: readonly Step[]) {
  const cases = new Map<string, Case>();
  const events: CaseEvent[] = [];
  const states: { length: number; cases: Map<string, Case> }[] = [];
  for (const [index, one] of all.entries()) {
    const now = START + index * HOUR_MS;
    const made = eventsOf(cases, one, now);
    applyEvents(cases, made);
    events.push(...made);
    states.push({ length: events.length, cases: new Map(cases) });
  }
  return { cases, events, states };
}

function eventsOf(cases: ReadonlyMap<string, Case>, one: Step, now: number): CaseEvent[] {
  const caseId = idOf(one.order);
  if ('verb' in one) {
    const operation = actionOf(one.verb, one.into, now);
    const key = String(now);
    const mentions = one.verb === 'note' ? [`person ${one.into}`] : [];
    const decided = decide(
      cases,
      { caseId, operation, by: 'finance, for Ines', key, mentions },
      now,
    );
    return 'events' in decided ? decided.events : [];
  }
  const { isComplete, order, version } = one;
  const exceptions = version === undefined ? [] : [exceptionOf(order, version)];
  const judged: JudgedOrder = { orderKey: `order:${order}`, exceptions, isWhole: true };
  const known = cases.get(caseId);
  const following = { now, isComplete, newId: () => caseId };
  return withFollowing(cases, followOrder(judged, known === undefined ? [] : [known], following));
}

const folded = (events: readonly CaseEvent[]) => {
  const cases = new Map<string, Case>();
  applyEvents(cases, events);
  return cases;
};

describe('cases of their events', () => {
  test('property: replaying a prefix gives the cases of that time', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { events, states } = live(all);
        for (const { cases, length } of states) {
          expect(folded(events.slice(0, length))).toEqual(cases);
        }
      }),
    );
  });

  test('property: events of several cases may arrive in any order that keeps the order of each case', () => {
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.nat()), (all, chosen) => {
        const { cases, events } = live(all);
        const queues = [...Map.groupBy(events, ({ caseId }) => caseId).values()];
        const mixed: CaseEvent[] = [];
        for (const choice of chosen) {
          const left = queues.filter(({ length }) => length > 0);
          const next = left[choice % Math.max(1, left.length)]?.shift();
          if (next === undefined) break;
          mixed.push(next);
        }
        expect(new Map([...folded(mixed)].toSorted())).toEqual(new Map([...cases].toSorted()));
      }),
    );
  });

  test('property: decides for exactly the permitted actions, and no open case is left with a main case that is not', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(...caseVerbNames), orders, (all, verb, into) => {
        const { cases } = live(all);
        const now = START + all.length * HOUR_MS;
        for (const one of cases.values()) {
          const operation = actionOf(verb, into, now);
          const isMain = [...cases.values()].some(
            ({ mergedInto, state }) => mergedInto === one.id && state !== 'closed',
          );
          const decided = decide(cases, { caseId: one.id, operation, by: 'Ines', key: 'k' }, now);
          const isPermitted = permittedActions(one, now, isMain).includes(verb);
          // The case into which another one is merged has conditions of its own.
          if (verb === 'merge' && isPermitted) continue;
          expect('events' in decided).toBe(isPermitted);
          const main = cases.get(one.mergedInto ?? '');
          if (one.state === 'open' && main !== undefined) expect(main.state).toBe('open');
        }
      }),
    );
  });

  test('property: permits after an action what the table of verbs permits then', () => {
    const after: Partial<Record<CaseVerb, { can?: CaseVerb; cannot: CaseVerb }>> = {
      resolve: { can: 'reopen', cannot: 'resolve' },
      ignore: { can: 'reopen', cannot: 'ignore' },
      reopen: { can: 'resolve', cannot: 'reopen' },
      merge: { can: 'split', cannot: 'merge' },
      split: { cannot: 'split' },
      wake: { cannot: 'wake' },
    };
    fc.assert(
      fc.property(steps, fc.constantFrom(...caseVerbNames), orders, (all, verb, into) => {
        const { cases } = live(all);
        const now = START + all.length * HOUR_MS;
        for (const { id } of [...cases.values()]) {
          const operation = actionOf(verb, into, now);
          const decided = decide(cases, { caseId: id, operation, by: 'Ines', key: 'k' }, now);
          const then = new Map(cases);
          if (!('events' in decided)) continue;
          applyEvents(then, decided.events);
          const one = then.get(id);
          const can = one === undefined ? [] : permittedActions(one, now);
          const expected = after[verb];
          if (expected?.can !== undefined) expect(can).toContain(expected.can);
          if (expected !== undefined) expect(can).not.toContain(expected.cannot);
        }
      }),
    );
  });
});

const opened: CaseEvent = {
  caseId: 'case_0',
  at: START,
  kind: 'opened',
  actor: 'reconciliation',
  detail: exceptionOf(0, 1),
};
const by = (kind: CaseEvent['kind'], detail: CaseEvent['detail'] = {}, actor = 'Ines') => ({
  caseId: 'case_0',
  at: START + HOUR_MS,
  kind,
  actor,
  detail,
});

test('keeps the due date and the alert of a case whose decision is undone, and not of an exception that is back', () => {
  const decided = [opened, by('alerted'), by('ignored', { reason: 'small' })].reduce(
    fold,
    undefined,
  );
  const undone = decided && fold(decided, by('reopened', { reason: 'it is not' }));
  expect(undone).toMatchObject({ state: 'open', openSince: START, alertedAt: START + HOUR_MS });
  expect(undone?.reason).toBeUndefined();
  const back = decided && fold(decided, by('reopened', exceptionOf(0, 2, 700)));
  expect(back).toMatchObject({ openSince: START + HOUR_MS, amount: 700, since: START - 2 });
  expect(back?.alertedAt).toBeUndefined();
});

test('mentions a person until they act on the case, also for the owner of a token', () => {
  const noted = [opened, by('noted', { note: '@Ada @Tom', mentions: ['Ada', 'Tom'] })].reduce(
    fold,
    undefined,
  );
  expect(noted?.mentions).toEqual(['Ada', 'Tom']);
  const read = noted && fold(noted, by('assigned', { assignee: 'Ada' }, 'finance, for Ada'));
  expect(read?.mentions).toEqual(['Tom']);
  const again = read && fold(read, by('noted', { note: '@Tom', mentions: ['Tom'] }, 'Tom'));
  expect(again?.mentions).toEqual(['Tom']);
});

test('snoozes a case until its content changes', () => {
  const until = new Date(START + 9 * HOUR_MS).toISOString();
  const snoozed = [opened, by('snoozed', { until })].reduce(fold, undefined);
  expect(snoozed && snoozeEnd(snoozed, START)).toBe(START + 9 * HOUR_MS);
  const changed = snoozed && fold(snoozed, by('changed', exceptionOf(0, 2)));
  expect(changed && snoozeEnd(changed, START)).toBeUndefined();
});

test.each([
  ['a case that is opened twice', [opened, opened]],
  ['a case that begins with another event', [by('noted', { note: 'asked' })]],
  [
    'an exception without an amount',
    [{ ...opened, detail: { ...opened.detail, amount: undefined } }],
  ],
  ['a snooze without an end', [opened, by('snoozed')]],
  ['a merge into no case', [opened, by('merged')]],
])('refuses %s', (_name, events) => {
  expect(() => folded(events)).toThrow(TypeError);
});
