import { isoTime } from '@financing-checkout/kit';
import {
  applyEvents,
  type CaseEvent,
  type CaseProblem,
  type CaseRequest as Request,
  decide,
} from '@financing-checkout/reconciliation-rules';
import type { CaseEventFact, CaseFact, CaseReader } from '../facts/case-facts.ts';
import type { FactNumber } from '../facts/schema.ts';
import { KeyReusedError, type TrailEvent } from '../facts/trail.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { ProblemError } from '../platform/problem.ts';
import { type CaseContext, withRelated } from './change-cases.ts';

export interface CaseRequest extends Request {
  /** The revision of the case that the person saw. */
  ifRevision?: FactNumber | undefined;
}

/**
 * Performs an action on a case. A decision on a case also applies to the cases merged into it: see
 * `decide`. An ignored or resolved case keeps its state until its content changes; see
 * `followExceptions`.
 * @returns the case, and its events after the revision that the person saw
 * @throws {ProblemError} `case-not-found`, `case-not-permitted`, `case-changed`,
 * `idempotency-key-reused`, `invalid-request` for a merge into an unknown case
 * @throws {LeaseLostError}
 */
export async function operateOnCase(
  ctx: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  request: CaseRequest,
): Promise<{ fact: CaseFact; events: CaseEventFact[] }> {
  const { caseId, ifRevision, operation } = request;
  const changed = ctx.facts.changeCases(ctx.fence, async (cases) => {
    const fact = await readCase(cases, caseId);
    const answer = async (one: CaseFact, before: FactNumber) => {
      const events = await cases.caseEvents([caseId]);
      return { fact: one, events: events.filter(({ number }) => number > (ifRevision ?? before)) };
    };
    const earlier = await earlierOf(cases, request);
    if (earlier !== undefined) return answer(fact, (earlier.number ?? 0) - 1);
    const problem = await changedSince(cases, fact, ifRevision);
    if (problem !== undefined) throw problem;
    const into = operation.kind === 'merged' ? await cases.findCase(operation.into) : undefined;
    const known = await withRelated(cases, into === undefined ? [fact] : [fact, into]);
    const decided = decide(known, request, ctx.clock.now());
    if ('problem' in decided) throw refusedAs(decided.problem);
    await cases.record(decided.events, known);
    return answer(await readCase(cases, caseId), fact.number);
  });
  return changed.catch((error: unknown) => {
    // Another process used the key at the same time.
    throw error instanceof KeyReusedError ? new ProblemError('idempotency-key-reused') : error;
  });
}

/** One action of a request on many cases. */
export type PartRequest = Omit<CaseRequest, 'key'>;

/** The effect of one action of a request on many cases, or why it was refused. */
export type PartOutcome =
  | { fact: CaseFact; revision: FactNumber }
  | { caseId: string; problem: ProblemError };

/**
 * Performs actions on different cases, in order and in one transaction, except those that are
 * refused. Each event's key has digests of the request's key and content, so that repeating a
 * request that changed something is recognized and changes nothing more.
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
  // Mentions depend on the people known at the time, so they do not distinguish requests.
  const content = requests.map((one) => ({ ...one, mentions: undefined }));
  const ofRequest = `${ofKey}${sha256(canonicalJson(content))}-`;
  const ids = requests.map(({ caseId }) => caseId);
  const named = requests.flatMap(({ caseId, operation }) =>
    operation.kind === 'merged' ? [caseId, operation.into] : [caseId],
  );
  return ctx.facts.changeCases(ctx.fence, async (cases) => {
    const now = ctx.clock.now();
    const read = async (some: readonly string[]) =>
      byId(await cases.findCases({ ids: some, limit: some.length }));
    const earlier = await cases.eventsOfKeys(ofKey);
    if (earlier.some((event) => event.key?.startsWith(ofRequest) !== true)) {
      throw new ProblemError('idempotency-key-reused');
    }
    const facts = await read(named);
    const known = await withRelated(cases, [...facts.values()]);
    const after = new Map(known);
    const done = new Set(earlier.map(({ subject }) => subject));
    const refused = new Map<string, ProblemError>();
    const events: CaseEvent[] = [];
    for (const part of requests) {
      const { caseId, ifRevision } = part;
      if (done.has(caseId)) continue;
      const fact = facts.get(caseId);
      const decided = decide(after, { ...part, key: `${ofRequest}${caseId}` }, now);
      const problem =
        (fact && (await changedSince(cases, fact, ifRevision))) ??
        ('problem' in decided ? refusedAs(decided.problem) : undefined) ??
        (done.size > 0 ? new ProblemError('case-changed', { detail: REFUSED_BEFORE }) : undefined);
      if (problem !== undefined) refused.set(caseId, problem);
      else if ('events' in decided) {
        applyEvents(after, decided.events);
        events.push(...decided.events);
      }
    }
    await cases.record(events, known);
    const own = done.size > 0 ? earlier : await cases.eventsOfKeys(ofRequest);
    const revisions = new Map(own.map(({ number, subject }) => [subject, number]));
    const then = await read(ids);
    return ids.map((caseId) => {
      const [fact, revision] = [then.get(caseId), revisions.get(caseId)];
      if (fact !== undefined && revision !== undefined) return { fact, revision };
      return { caseId, problem: refused.get(caseId) ?? new ProblemError('case-not-found') };
    });
  });
}

const REFUSED_BEFORE =
  'The request took effect without this case, which was refused. Read the case again, and send a new request if the action still applies.';

const byId = (facts: readonly CaseFact[]) => new Map(facts.map((fact) => [fact.id, fact]));

/** Returns the error for a refused request. */
export function refusedAs({ code, ...extras }: CaseProblem): ProblemError {
  return new ProblemError(code, extras);
}

async function readCase(cases: CaseReader, id: string): Promise<CaseFact> {
  const fact = await cases.findCase(id);
  if (fact === undefined) throw new ProblemError('case-not-found');
  return fact;
}

/** Returns why an action is refused if its case changed after the person read it. */
async function changedSince(
  cases: CaseReader,
  { id, number }: CaseFact,
  revision: FactNumber | undefined,
): Promise<ProblemError | undefined> {
  if (revision === undefined || revision === number) return undefined;
  const since = (await cases.caseEvents([id])).filter(
    (event) => event.number > revision && event.kind !== 'alerted',
  );
  if (since.length === 0 && revision < number) return undefined;
  const last = since.at(-1);
  return new ProblemError('case-changed', {
    parameters: last && { kind: last.kind, by: last.actor, at: isoTime(last.at) },
    detail: `${describeChanges(since)} Nothing was done: read the case again, and repeat the action with its revision if it still applies.`,
  });
}

const MAX_DESCRIBED = 3;

/** Describes the changes to a case with actor and time, most recent first. */
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

/** Returns an earlier event of the same request. @throws {ProblemError} `idempotency-key-reused` */
async function earlierOf(
  cases: CaseReader,
  { by, caseId, key, operation }: CaseRequest,
): Promise<TrailEvent | undefined> {
  const earlier = await cases.eventOfKey(key);
  if (earlier === undefined) return undefined;
  const { kind, ...written } = operation;
  // Mentions depend on the people known at the time, so they do not distinguish requests.
  const stated = JSON.stringify(JSON.parse(earlier.detail), (name, value: unknown) =>
    name === 'mentions' ? undefined : value,
  );
  const same =
    earlier.subject === caseId &&
    earlier.kind === kind &&
    earlier.actor === by &&
    stated === JSON.stringify(written);
  if (!same) throw new ProblemError('idempotency-key-reused');
  return earlier;
}
