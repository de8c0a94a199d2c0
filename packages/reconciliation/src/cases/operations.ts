import type { CaseState } from '@financing-checkout/contract';
import type { CaseEventFact, CaseFact, CaseReader, CaseRow } from '../facts/case-facts.ts';
import type { FactNumber } from '../facts/fact-number.ts';
import { ProblemError } from '../platform/problem.ts';
import { type CaseContext, writeChanges } from './change-cases.ts';
import { eventsByCase } from './replayed-case.ts';
import { isoTime } from '@financing-checkout/kit';
import { mentionsAfter } from './mentions.ts';
import { changesOfMain, mergedProblem, notMergedProblem } from './merge.ts';
import { snoozeEnd } from './snooze.ts';
import type { NewCaseEvent } from './trail.ts';

/** An action by a person on a case. */
export type CaseOperation =
  | { kind: 'assigned'; assignee: string | null }
  | { kind: 'noted'; note: string }
  /** A time in ISO 8601. */
  | { kind: 'snoozed'; until: string }
  | { kind: 'woken' }
  | { kind: 'merged'; into: string; note?: string }
  | { kind: 'split'; note?: string }
  | { kind: 'resolved' | 'ignored' | 'reopened'; reason: string };

export interface CaseRequest {
  caseId: string;
  operation: CaseOperation;
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
  /** Idempotency-Key: repeated requests with the same key take effect once. */
  key: string;
  /** People whom a note mentions. */
  mentions?: readonly string[] | undefined;
  /** The revision of the case that the person saw. */
  ifRevision?: FactNumber | undefined;
}

/**
 * Performs an action on a case. A decision on a case applies to those that are merged into it: see
 * `merge.ts`. An ignored or resolved case keeps its state until its content
 * changes; see `followExceptions`.
 * @throws {ProblemError} `case-not-found`, `case-not-permitted`, `case-changed`,
 * `idempotency-key-reused`, `invalid-request` for a merge into an unknown case
 * @throws {LeaseLostError}
 */
export async function operateOnCase(
  ctx: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  request: CaseRequest,
): Promise<CaseFact> {
  const { caseId, operation, by, key, ifRevision, mentions: added = [] } = request;
  const { kind, ...detail } = operation;
  const event: NewCaseEvent = { caseId, kind, actor: by, detail, key };
  return ctx.facts.changeCases(ctx.fence, async (cases) => {
    const fact = await readCase(cases, caseId);
    if (await isRepeated(cases, event)) return fact;
    await refuseIfChanged(cases, fact, ifRevision);
    const now = ctx.clock.now();
    const { number, ...row } = fact;
    // The number changes with the fact that the action writes.
    void number;
    const mentions = mentionsAfter(row.mentions, { actor: by, added });
    const after = { ...applyOperation(row, operation, now), mentions };
    const ofMain =
      kind === 'merged' || kind === 'split'
        ? await changesOfMain(cases, {
            row,
            into: kind === 'merged' ? operation.into : undefined,
            actor: by,
            now,
          })
        : [];
    await writeChanges(cases, [{ row: after, event }, ...ofMain], now);
    return readCase(cases, caseId);
  });
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

/** Returns who did what to a case and when, the last changes first. */
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

type Decision = 'resolved' | 'ignored' | 'reopened';

/** The states from which a decision is permitted: another decision needs reopening first. */
export const permitted: Record<Decision, readonly CaseState[]> = {
  resolved: ['open'],
  ignored: ['open'],
  reopened: ['resolved', 'ignored'],
};

type Restricted = Decision | 'snoozed' | 'woken' | 'merged' | 'split';

function notPermitted(state: CaseState, action: Restricted): ProblemError {
  return new ProblemError('case-not-permitted', {
    detail: refusalOf(state, action),
    parameters: { state, action },
  });
}

function refusalOf(state: CaseState, kind: Restricted): string {
  if (kind === 'woken') return 'The case is not snoozed.';
  if (state === 'closed') return 'The case is closed: its exception is gone.';
  if (kind === 'reopened') return 'The case is open already.';
  if (state === kind) return `The case is ${kind} already.`;
  return `The case is ${state}: reopen it before it can be ${kind}.`;
}

/** @throws {ProblemError} `case-not-permitted` */
export function applyOperation(row: CaseRow, operation: CaseOperation, now: number): CaseRow {
  switch (operation.kind) {
    case 'assigned':
      return { ...row, assignee: operation.assignee ?? undefined, updatedAt: now };
    case 'noted':
      return { ...row, updatedAt: now };
    case 'merged':
      if (row.state !== 'open') throw notPermitted(row.state, 'merged');
      if (row.mergedInto !== undefined) throw mergedProblem(row, 'merged');
      return { ...row, mergedInto: operation.into, updatedAt: now };
    case 'split':
      if (row.mergedInto === undefined) throw notMergedProblem(row);
      if (row.state === 'closed') throw notPermitted(row.state, 'split');
      return { ...row, mergedInto: undefined, updatedAt: now };
    case 'snoozed':
      if (row.mergedInto !== undefined) throw mergedProblem(row, 'snoozed');
      if (row.state !== 'open') {
        throw notPermitted(row.state, 'snoozed');
      }
      return {
        ...row,
        snoozedUntil: Date.parse(operation.until),
        snoozedContent: row.contentHash,
        updatedAt: now,
      };
    case 'woken':
      if (snoozeEnd(row, now) === undefined) {
        throw notPermitted(row.state, 'woken');
      }
      return { ...row, snoozedUntil: undefined, snoozedContent: undefined, updatedAt: now };
    case 'resolved':
    case 'ignored':
    case 'reopened': {
      const { kind, reason } = operation;
      if (row.mergedInto !== undefined && row.state !== 'closed') throw mergedProblem(row, kind);
      if (!permitted[kind].includes(row.state)) {
        throw notPermitted(row.state, kind);
      }
      return kind === 'reopened'
        ? { ...row, state: 'open', reason: undefined, updatedAt: now }
        : { ...row, state: kind, reason, updatedAt: now };
    }
  }
}
