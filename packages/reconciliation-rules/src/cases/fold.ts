import type {
  CaseEventDetail,
  CaseEventKind,
  CaseVerb,
  FoldedCase,
} from '@financing-checkout/contract/reconciliation';
import { permittedVerbs } from '@financing-checkout/contract/plain';

export type Case = FoldedCase;

/** Cases by their ids. */
export type Cases = ReadonlyMap<string, Case>;

/** An exception of an order in one currency. It opens a case. */
export type CaseException = Pick<
  Case,
  'orderKey' | 'currency' | 'code' | 'amount' | 'count' | 'since' | 'contentHash'
>;

/** An event of a case. */
export interface CaseEvent {
  caseId: string;
  /** Milliseconds since 1970. */
  at: number;
  kind: CaseEventKind;
  /** Name of the access token, followed by the person if the request names one. */
  actor: string;
  detail: CaseEventDetail;
  /** Idempotency-Key of the request. */
  key?: string | undefined;
}

/** The actor of automatic changes. */
export const RECONCILIATION = 'reconciliation';

/**
 * Incremented when {@link fold} derives a different case from the same events, so that stored cases
 * are rebuilt.
 */
export const FOLD_VERSION = 1;

/**
 * Returns a case after an event. Only this function defines the effect of an event on a case.
 * @param before undefined: the event opens the case
 * @throws {TypeError} for an event that no decision produces
 */
export function fold(before: Case | undefined, event: CaseEvent): Case {
  const { actor, at, detail, kind } = event;
  if (before === undefined) return openCase(event);
  const mentions = new Set(before.mentions);
  mentions.delete(personOf(actor));
  for (const name of detail.mentions ?? []) mentions.add(name);
  const exception = exceptionOf({ ...before, ...detail });
  const isRestated = detail.contentHash !== undefined;
  const after: Case = {
    ...before,
    ...(isRestated && exception),
    updatedAt: at,
    mentions: [...mentions],
  };
  switch (kind) {
    case 'assigned':
      return { ...after, assignee: detail.assignee ?? undefined };
    case 'resolved':
    case 'ignored':
      return { ...after, state: kind, reason: detail.reason };
    case 'closed':
      return { ...after, state: 'closed' };
    case 'reopened': {
      const open: Case = { ...after, state: 'open', reason: undefined };
      // Undoing a decision keeps the due date and the alert. An exception that returned does not.
      return isRestated ? { ...open, openSince: at, alertedAt: undefined } : open;
    }
    case 'snoozed':
      return {
        ...after,
        snoozedUntil: Date.parse(required(detail.until)),
        snoozedContent: before.contentHash,
      };
    case 'woken':
      return { ...after, snoozedUntil: undefined, snoozedContent: undefined };
    case 'merged':
      return { ...after, mergedInto: required(detail.into) };
    case 'split':
      return { ...after, mergedInto: undefined };
    case 'alerted':
      return { ...after, alertedAt: at };
    case 'changed':
    case 'gained':
    case 'lost':
    case 'noted':
      return after;
    case 'opened':
      throw new TypeError('A case is opened once.');
  }
}

/** Applies events to cases in order. */
export function applyEvents(cases: Map<string, Case>, events: Iterable<CaseEvent>): void {
  for (const event of events) cases.set(event.caseId, fold(cases.get(event.caseId), event));
}

function openCase({ at, caseId: id, detail, kind }: CaseEvent): Case {
  if (kind !== 'opened') throw new TypeError('A case begins when it is opened.');
  const times = { openedAt: at, openSince: at, updatedAt: at };
  return { id, ...exceptionOf(detail), state: 'open', ...times, mentions: [] };
}

function exceptionOf(stated: Partial<CaseException>): CaseException {
  return {
    orderKey: required(stated.orderKey),
    currency: required(stated.currency),
    code: required(stated.code),
    amount: required(stated.amount),
    count: required(stated.count),
    since: required(stated.since),
    contentHash: required(stated.contentHash),
  };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('An event of a case lacks a value.');
  return value;
}

/** Returns the person on whose behalf the token was used, or the token's owner. */
function personOf(actor: string): string {
  return actor.split(', for ').at(-1) ?? actor;
}

/**
 * Returns the time until which a case is snoozed. Undefined unless the snooze still applies: the
 * case is open, not merged, unchanged since, and the date has not passed. A decision or a merge
 * does not end the snooze, so undoing it restores the case as it was.
 */
export function snoozeEnd(
  {
    contentHash,
    mergedInto,
    snoozedContent,
    snoozedUntil,
    state,
  }: Pick<Case, 'contentHash' | 'mergedInto' | 'snoozedContent' | 'snoozedUntil' | 'state'>,
  now: number,
): number | undefined {
  if (snoozedUntil === undefined || snoozedUntil <= now || mergedInto !== undefined) {
    return undefined;
  }
  return state === 'open' && snoozedContent === contentHash ? snoozedUntil : undefined;
}

/**
 * Returns the actions that a person can take on a case. @param isMain whether other cases are
 * merged into it
 */
export function permittedActions(one: Case, now: number, isMain = false): CaseVerb[] {
  const isSnoozed = snoozeEnd(one, now) !== undefined;
  return permittedVerbs({
    isMain,
    isSnoozed,
    isMerged: one.mergedInto !== undefined,
    state: one.state,
  });
}
