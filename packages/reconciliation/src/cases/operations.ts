import {
  type CaseAction,
  type CaseState,
  caseVerbs,
} from '@financing-checkout/contract/reconciliation';
import type { CaseEventFact, CaseFact, CaseReader, CaseRow } from '../facts/case-facts.ts';
import type { FactNumber } from '../facts/fact-number.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CaseChange } from './case-change.ts';
import { type CaseContext, writeChanges } from './change-cases.ts';
import { eventsByCase } from './replayed-case.ts';
import { isoTime } from '@financing-checkout/kit';
import { mentionsAfter } from './mentions.ts';
import { changesOfMain, mergedProblem, notMergedProblem } from './merge.ts';
import { permittedActions } from './snooze.ts';
import type { NewCaseEvent } from './trail.ts';

export interface CaseRequest {
  caseId: string;
  operation: CaseAction;
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
  /** Idempotency-Key: repeated requests with the same key take effect once. */
  key: string;
  mentions?: readonly string[] | undefined;
  /** The revision of the case that the person saw. */
  ifRevision?: FactNumber | undefined;
}

/**
 * Performs an action on a case. A decision also applies to the cases merged into this one: see
 * `merge.ts`. An ignored or resolved case keeps its state until its content changes; see
 * `followExceptions`.
 * @throws {ProblemError} `case-not-found`, `case-not-permitted`, `case-changed`,
 * `idempotency-key-reused`, `invalid-request` for a merge into an unknown case
 * @throws {LeaseLostError}
 */
export async function operateOnCase(
  ctx: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  request: CaseRequest,
): Promise<CaseFact> {
  const event = eventOf(request);
  return ctx.facts.changeCases(ctx.fence, async (cases) => {
    const fact = await readCase(cases, request.caseId);
    if (await isRepeated(cases, event)) return fact;
    const now = ctx.clock.now();
    await writeChanges(cases, await changesOf(cases, fact, request, now), now);
    return readCase(cases, request.caseId);
  });
}

/** An action of a request on many cases. */
export type PartRequest = Omit<CaseRequest, 'key'>;

/** What an action of a request on many cases did, or why it was refused. */
export type PartOutcome =
  | { fact: CaseFact; revision: FactNumber }
  | { caseId: string; problem: ProblemError };

/**
 * Performs actions on different cases in their order and in one transaction, without those that are
 * refused. The key of each event has digests of the request's key and content, so that a request that
 * changed something is recognized when it is repeated, and changes nothing more.
 * @param key Idempotency-Key of the request
 * @throws {ProblemError} `idempotency-key-reused`
 * @throws {LeaseLostError}
 */
export async function operateOnCases(
  ctx: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  requests: readonly PartRequest[],
  key: string,
): Promise<PartOutcome[]> {
  const ofKey = `many-${sha256(key)}-`;
  // Whom a note mentions depends on who is known at the time.
  const content = requests.map((one) => ({ ...one, mentions: undefined }));
  const ofRequest = `${ofKey}${sha256(canonicalJson(content))}-`;
  const ids = requests.map(({ caseId }) => caseId);
  return ctx.facts.changeCases(ctx.fence, async (cases) => {
    const now = ctx.clock.now();
    const read = async () => byId(await cases.findCases({ ids, limit: ids.length }));
    const earlier = await cases.caseEventsOfKeys(ofKey);
    if (earlier.some((event) => event.key?.startsWith(ofRequest) !== true)) {
      throw new ProblemError('idempotency-key-reused');
    }
    const refused = new Map<string, ProblemError>();
    let facts = await read();
    let pending: CaseChange[] = [];
    const write = async () => {
      if (pending.length === 0) return;
      await writeChanges(cases, pending, now);
      pending = [];
      // What was read may have changed with its main case.
      facts = new Map();
    };
    const done = new Set(earlier.map(({ caseId }) => caseId));
    for (const part of requests) {
      const { caseId, operation } = part;
      if (done.has(caseId)) continue;
      // Reads and writes another case too.
      const isOfTwo = operation.kind === 'merged' || operation.kind === 'split';
      try {
        if (isOfTwo) await write();
        const fact = facts.get(caseId) ?? (await readCase(cases, caseId));
        const request = { ...part, key: `${ofRequest}${caseId}` };
        const changes = await changesOf(cases, fact, request, now);
        if (done.size > 0) throw new ProblemError('case-changed', { detail: REFUSED_BEFORE });
        pending.push(...changes);
        if (isOfTwo) await write();
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        refused.set(caseId, error);
      }
    }
    await write();
    const events = done.size > 0 ? earlier : await cases.caseEventsOfKeys(ofRequest);
    const revisions = new Map(events.map(({ caseId, number }) => [caseId, number]));
    facts = await read();
    return ids.map((caseId) => {
      const [fact, revision] = [facts.get(caseId), revisions.get(caseId)];
      if (fact !== undefined && revision !== undefined) return { fact, revision };
      return { caseId, problem: refused.get(caseId) ?? new ProblemError('case-not-found') };
    });
  });
}

const REFUSED_BEFORE =
  'The request took effect without this case, which was refused. Read the case again, and send a new request if the action still applies.';

const byId = (facts: readonly CaseFact[]) => new Map(facts.map((fact) => [fact.id, fact]));

function eventOf({ caseId, operation, by: actor, key }: CaseRequest): NewCaseEvent {
  const { kind, ...detail } = operation;
  return { caseId, kind, actor, detail, key };
}

/**
 * Returns the change of a case by an action, and that of its main case.
 * @throws {ProblemError} `case-not-permitted`, `case-changed`, `invalid-request`
 */
async function changesOf(
  cases: CaseReader,
  fact: CaseFact,
  request: CaseRequest,
  now: number,
): Promise<CaseChange[]> {
  const { operation, by: actor, ifRevision, mentions: added = [] } = request;
  await refuseIfChanged(cases, fact, ifRevision);
  const { number, ...row } = fact;
  // The number changes with the fact that the action writes.
  void number;
  const mentions = mentionsAfter(row.mentions, { actor, added });
  const after = { ...applyOperation(row, operation, now), mentions };
  const change = { row: after, event: eventOf(request) };
  if (operation.kind !== 'merged' && operation.kind !== 'split') return [change];
  const into = operation.kind === 'merged' ? operation.into : undefined;
  return [change, ...(await changesOfMain(cases, { row, into, actor, now }))];
}

async function readCase(cases: CaseReader, id: string): Promise<CaseFact> {
  const fact = await cases.findCase(id);
  if (fact === undefined) throw new ProblemError('case-not-found');
  return fact;
}

/** Refuses an action on a case that changed after the person read it. */
async function refuseIfChanged(
  cases: CaseReader,
  { id, number }: CaseFact,
  revision: FactNumber | undefined,
): Promise<void> {
  if (revision === undefined || revision === number) return;
  const events = (await eventsByCase(cases, [id])).get(id) ?? [];
  const since = events.filter((event) => event.number > revision && event.kind !== 'alerted');
  if (since.length === 0 && revision < number) return;
  const last = since.at(-1);
  throw new ProblemError('case-changed', {
    parameters: last && { kind: last.kind, by: last.actor, at: isoTime(last.at) },
    detail: `${describeChanges(since)} Nothing was done: read the case again, and repeat the action with its revision if it still applies.`,
  });
}

const MAX_DESCRIBED = 3;

/** Describes the changes of a case with actor and time, most recent first. */
function describeChanges(events: readonly CaseEventFact[]): string {
  if (events.length === 0) return 'The case never had this revision.';
  const described = events
    .slice(-MAX_DESCRIBED)
    .reverse()
    .map(({ actor, kind, at }) => `${kind} by ${actor} at ${isoTime(at)}`);
  const more = events.length - described.length;
  const rest = more === 0 ? '' : `, and ${more} earlier changes`;
  return `The case was ${described.join(', ')}${rest}.`;
}

async function isRepeated(cases: CaseReader, event: NewCaseEvent): Promise<boolean> {
  const earlier = await cases.caseEventOfKey(event.key ?? '');
  if (earlier === undefined) return false;
  const same =
    earlier.caseId === event.caseId &&
    earlier.kind === event.kind &&
    earlier.actor === event.actor &&
    earlier.detail === JSON.stringify(event.detail);
  if (!same) throw new ProblemError('idempotency-key-reused');
  return true;
}

function notPermitted(state: CaseState, action: CaseAction['kind']): ProblemError {
  return new ProblemError('case-not-permitted', {
    detail: refusalOf(state, action),
    parameters: { state, action },
  });
}

function refusalOf(state: CaseState, kind: CaseAction['kind']): string {
  if (kind === 'woken') return 'The case is not snoozed.';
  if (state === 'closed') return 'The case is closed: its exception is gone.';
  if (kind === 'reopened') return 'The case is open already.';
  if (state === kind) return `The case is ${state} already.`;
  return `The case is ${state}: reopen it before it can be ${kind}.`;
}

/** @throws {ProblemError} `case-not-permitted` */
function refuseUnlessPermitted(row: CaseRow, kind: CaseAction['kind'], now: number): void {
  if (permittedActions(row, now).some((verb) => caseVerbs[verb].kind === kind)) return;
  const { mergedInto, state } = row;
  if (kind === 'split' && mergedInto === undefined) throw notMergedProblem(row);
  const isOfMain = mergedInto !== undefined && state !== 'closed' && kind !== 'woken';
  throw isOfMain ? mergedProblem(row, kind) : notPermitted(state, kind);
}

/** @throws {ProblemError} `case-not-permitted` */
export function applyOperation(row: CaseRow, operation: CaseAction, now: number): CaseRow {
  refuseUnlessPermitted(row, operation.kind, now);
  const after = { ...row, updatedAt: now };
  switch (operation.kind) {
    case 'assigned':
      return { ...after, assignee: operation.assignee ?? undefined };
    case 'merged':
      return { ...after, mergedInto: operation.into };
    case 'split':
      return { ...after, mergedInto: undefined };
    case 'snoozed':
      return {
        ...after,
        snoozedUntil: Date.parse(operation.until),
        snoozedContent: row.contentHash,
      };
    case 'woken':
      return { ...after, snoozedUntil: undefined, snoozedContent: undefined };
    case 'resolved':
    case 'ignored':
      return { ...after, state: operation.kind, reason: operation.reason };
    case 'reopened':
      return { ...after, state: 'open', reason: undefined };
    // The note is only in the trail, not in the case.
    case 'noted':
      return after;
  }
}
