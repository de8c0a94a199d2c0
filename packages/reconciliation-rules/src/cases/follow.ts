import {
  type Case,
  type CaseEvent,
  type CaseException,
  type Cases,
  applyEvents,
  RECONCILIATION,
} from './fold.ts';

/** The exceptions of an order whose lines have all been checked. */
export interface JudgedOrder {
  orderKey: string;
  /** By currency. */
  exceptions: readonly CaseException[];
  /**
   * Whether the status covers all data. If false, quarantined records or lines without a status may
   * hide an exception.
   */
  isWhole: boolean;
  /** Whether the currency is a guess. @default false */
  currencyAssumed?: boolean;
}

interface Following {
  now: number;
  /**
   * Whether every day is proven. Missing data may only be late, so no case closes while a day is
   * unproven.
   */
  isComplete: boolean;
  /** Returns the id of a new case. */
  newId: () => string;
}

/** Returns the events that update an order's cases to match its exceptions. */
export function followOrder(
  { exceptions, isWhole }: JudgedOrder,
  cases: readonly Case[],
  following: Following,
): CaseEvent[] {
  const { isComplete, now } = following;
  const known = new Map(cases.map((one) => [keyOf(one), one]));
  const events = exceptions.flatMap(
    (exception) => followException(exception, known.get(keyOf(exception)), following) ?? [],
  );
  if (!isWhole || !isComplete) return events;
  const there = new Set(exceptions.map(keyOf));
  const gone = cases.filter((one) => one.state !== 'closed' && !there.has(keyOf(one)));
  const why = 'the exception is gone';
  return [
    ...events,
    ...gone.map(({ id, state }) => byProgram(id, now, 'closed', { was: state, why })),
  ];
}

function followException(
  { amount, code, contentHash, count, currency, orderKey, since }: CaseException,
  known: Case | undefined,
  { isComplete, newId, now }: Following,
): CaseEvent | undefined {
  const restated = { amount, count, since, contentHash };
  if (known === undefined) {
    return byProgram(newId(), now, 'opened', { orderKey, currency, code, ...restated });
  }
  const { id, state } = known;
  const isOther = known.contentHash !== contentHash;
  const isRestated = isComplete && (known.amount !== amount || known.count !== count);
  if (!isOther && state !== 'closed' && !(isRestated && state === 'open')) return undefined;
  if (state === 'open') {
    return byProgram(id, now, 'changed', { ...restated, amountBefore: known.amount });
  }
  // The decision was about different content, and the alert about an exception that has ended.
  const why = isOther ? 'its content has changed' : 'the exception is back';
  return byProgram(id, now, 'reopened', { ...restated, was: state, why });
}

/**
 * Returns the events and those that follow from them: merged cases are decided and reopened with
 * their main case, and separate from it when they are open and it is not.
 * @param cases the cases of the events, the cases merged into them, and their main cases
 */
export function withFollowing(cases: Cases, events: readonly CaseEvent[]): CaseEvent[] {
  const after = new Map(cases);
  const all: CaseEvent[] = [];
  const add = (event: CaseEvent) => {
    applyEvents(after, [event]);
    all.push(event);
  };
  events.forEach(add);
  const causes = events.filter(({ kind }) => follows.has(kind));
  for (const event of causes) {
    for (const one of after.values()) {
      const followed = one.mergedInto === event.caseId ? followMain(one, event) : undefined;
      if (followed !== undefined) add(followed);
    }
  }
  const at = events[0]?.at ?? 0;
  for (const { id, mergedInto = '', state } of after.values()) {
    const main = after.get(mergedInto);
    if (state !== 'open' || main === undefined) continue;
    if (main.state === 'open' && main.mergedInto === undefined) continue;
    add(byProgram(id, at, 'split', { from: mergedInto, why: 'its main case is not open' }));
  }
  return all;
}

const follows = new Set(['resolved', 'ignored', 'reopened']);

function followMain(
  { id, state }: Case,
  { actor, at, caseId: main, detail, kind }: CaseEvent,
): CaseEvent | undefined {
  if ((kind === 'resolved' || kind === 'ignored') && state === 'open') {
    return { caseId: id, at, kind, actor, detail: { ...detail, with: main } };
  }
  if (kind === 'reopened' && (state === 'resolved' || state === 'ignored')) {
    const { reason } = detail;
    const why = { was: state, why: 'its main case is open again', with: main };
    const own = reason === undefined ? why : { reason, with: main };
    return { caseId: id, at, kind, actor, detail: own };
  }
  return undefined;
}

function byProgram(
  caseId: string,
  at: number,
  kind: CaseEvent['kind'],
  detail: CaseEvent['detail'],
): CaseEvent {
  return { caseId, at, kind, actor: RECONCILIATION, detail };
}

function keyOf({ code, currency }: Pick<CaseException, 'code' | 'currency'>): string {
  return `${currency} ${code}`;
}
