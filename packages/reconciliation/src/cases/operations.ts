import { isoTime } from '@financing-checkout/kit';
import {
  type CaseProblem,
  type CaseRequest as Request,
  decide,
} from '@financing-checkout/reconciliation-rules';
import type { CaseEventFact, CaseFact, CaseReader } from '../facts/case-facts.ts';
import type { FactNumber } from '../facts/fact-number.ts';
import { KeyReusedError } from '../facts/trail.ts';
import { ProblemError } from '../platform/problem.ts';
import { type CaseContext, withRelated } from './change-cases.ts';

export interface CaseRequest extends Request {
  /** The revision of the case that the person saw. */
  ifRevision?: FactNumber | undefined;
}

/**
 * Performs an action on a case. A decision on a case applies to those that are merged into it: see
 * `decide`. An ignored or resolved case keeps its state until its content changes; see
 * `followExceptions`.
 * @throws {ProblemError} `case-not-found`, `case-not-permitted`, `case-changed`,
 * `idempotency-key-reused`, `invalid-request` for a merge into an unknown case
 * @throws {LeaseLostError}
 */
export async function operateOnCase(
  ctx: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  request: CaseRequest,
): Promise<CaseFact> {
  const { caseId, ifRevision, operation } = request;
  const changed = ctx.facts.changeCases(ctx.fence, async (cases) => {
    const fact = await readCase(cases, caseId);
    if (await isRepeated(cases, request)) return fact;
    await refuseIfChanged(cases, fact, ifRevision);
    const into = operation.kind === 'merged' ? await cases.findCase(operation.into) : undefined;
    const known = await withRelated(cases, into === undefined ? [fact] : [fact, into]);
    const decided = decide(known, request, ctx.clock.now());
    if ('problem' in decided) throw refused(decided.problem);
    await cases.record(decided.events, known);
    return readCase(cases, caseId);
  });
  return changed.catch((error: unknown) => {
    // Another process has used the key at the same time.
    throw error instanceof KeyReusedError ? new ProblemError('idempotency-key-reused') : error;
  });
}

/** Returns the error for a request that is refused. */
export function refused({ code, ...extras }: CaseProblem): ProblemError {
  return new ProblemError(code, extras);
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
  const since = (await cases.caseEvents([id])).filter(
    (event) => event.number > revision && event.kind !== 'alerted',
  );
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

async function isRepeated(
  cases: CaseReader,
  { by, caseId, key, operation }: CaseRequest,
): Promise<boolean> {
  const earlier = await cases.eventOfKey(key);
  if (earlier === undefined) return false;
  const { kind, ...written } = operation;
  // Whom a note mentions depends on the people of its time.
  const stated = JSON.stringify(JSON.parse(earlier.detail), (name, value: unknown) =>
    name === 'mentions' ? undefined : value,
  );
  const same =
    earlier.subject === caseId &&
    earlier.kind === kind &&
    earlier.actor === by &&
    stated === JSON.stringify(written);
  if (!same) throw new ProblemError('idempotency-key-reused');
  return true;
}
