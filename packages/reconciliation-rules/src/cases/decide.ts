import type { CaseAction } from '@financing-checkout/contract/reconciliation';
import type { ProblemCode } from '@financing-checkout/contract/storefront';
import { caseVerbs } from '@financing-checkout/contract/plain';
import { type Case, type CaseEvent, type Cases, permittedActions } from './fold.ts';
import { withFollowing } from './follow.ts';

/** A person's request to change a case. */
export interface CaseRequest {
  caseId: string;
  operation: CaseAction;
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
  /** Idempotency-Key: repeated requests with the same key take effect once. */
  key: string;
  /** People whom a note mentions. */
  mentions?: readonly string[] | undefined;
}

/** Why a request is refused. */
export interface CaseProblem {
  code: Extract<ProblemCode, 'case-not-found' | 'case-not-permitted' | 'invalid-request'>;
  detail?: string;
  parameters?: Record<string, string>;
  errors?: { path: string; message: string }[];
}

/** The events that carry out a request, or the reason for refusing it. */
export type CaseDecision = { events: CaseEvent[] } | { problem: CaseProblem };

/**
 * Decides on a request. A merged case is handled through its main case: it leaves the open queue,
 * and decisions on the main case, and its reopening, apply to both.
 * @param cases the case, its main case or the intended one, and the cases merged into it
 */
export function decide(
  cases: Cases,
  { by: actor, caseId, key, mentions = [], operation }: CaseRequest,
  now: number,
): CaseDecision {
  const one = cases.get(caseId);
  if (one === undefined) return { problem: { code: 'case-not-found' } };
  const { kind, ...detail } = operation;
  const verb = permittedActions(one, now).find((permitted) => caseVerbs[permitted].kind === kind);
  if (verb === undefined) return { problem: refusal(one, kind) };
  const own: CaseEvent = {
    caseId,
    at: now,
    kind,
    actor,
    key,
    // Mentions come last: they are not part of the text that the person wrote.
    detail: mentions.length === 0 ? detail : { ...detail, mentions: [...mentions] },
  };
  const events = [own];
  const ofMain = (id: string, of: 'gained' | 'lost'): CaseEvent => ({
    // The entry changes the case's revision, so a decision based on the previous revision is refused.
    caseId: id,
    at: now,
    kind: of,
    actor,
    detail: { case: caseId },
  });
  if (operation.kind === 'merged') {
    const problem = mergeProblem(cases, one, operation.into);
    if (problem !== undefined) return { problem };
    events.push(ofMain(operation.into, 'gained'));
  }
  if (kind === 'split' && one.mergedInto !== undefined && cases.has(one.mergedInto)) {
    events.push(ofMain(one.mergedInto, 'lost'));
  }
  return { events: withFollowing(cases, events) };
}

function refusal(one: Case, action: CaseAction['kind']): CaseProblem {
  const { mergedInto, state } = one;
  if (action === 'split' && mergedInto === undefined) {
    return notPermitted(one, action, 'The case is not handled with another one.', {
      cause: 'not-merged',
    });
  }
  if (mergedInto !== undefined && state !== 'closed' && action !== 'woken') {
    const detail = `The case is handled with ${mergedInto}: use that case, or split this one from it first.`;
    return notPermitted(one, action, detail, { cause: 'merged', use: mergedInto });
  }
  return notPermitted(one, action, reasonOf(one, action));
}

function reasonOf({ state }: Case, action: CaseAction['kind']): string {
  if (action === 'woken') return 'The case is not snoozed.';
  if (state === 'closed') return 'The case is closed: its exception is gone.';
  if (action === 'reopened') return 'The case is open already.';
  if (state === action) return `The case is ${state} already.`;
  return `The case is ${state}: reopen it before it can be ${action}.`;
}

function notPermitted(
  { state }: Case,
  action: CaseAction['kind'],
  detail: string,
  more: Record<string, string> = {},
): CaseProblem {
  return { code: 'case-not-permitted', detail, parameters: { state, action, ...more } };
}

/** Returns why a case cannot be merged into another one, or undefined if it can. */
function mergeProblem(cases: Cases, one: Case, into: string): CaseProblem | undefined {
  const refuse = (cause: string, detail: string, use?: string) =>
    notPermitted(one, 'merged', detail, { cause, ...(use !== undefined && { use }) });
  if (into === one.id) return refuse('into-itself', 'A case cannot be merged into itself.');
  const main = cases.get(into);
  if (main === undefined) {
    const errors = [{ path: 'into', message: 'must be the id of a case' }];
    return { code: 'invalid-request', errors };
  }
  const isMain = [...cases.values()].some(
    ({ mergedInto, state }) => mergedInto === one.id && state !== 'closed',
  );
  if (isMain) {
    const detail =
      'Other cases are handled with this one: merge the other case into this one, or split them first.';
    return refuse('has-merged', detail);
  }
  const { currency, mergedInto, state } = main;
  if (mergedInto !== undefined) {
    const detail = `${into} is handled with ${mergedInto}: merge into that case.`;
    return refuse('main-merged', detail, mergedInto);
  }
  if (state !== 'open') {
    return refuse('main-not-open', `${into} is ${state}: choose an open case.`);
  }
  if (currency !== one.currency) {
    const detail = `${into} has another currency: choose a case of the same one, so that they have one total.`;
    return refuse('other-currency', detail);
  }
  return undefined;
}
