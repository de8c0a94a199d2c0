import { readFile } from 'node:fs/promises';
import type { Environment, PeriodDetail, PeriodRecord } from '@financing-checkout/contract';
import { addDays } from '@financing-checkout/contract/days';
import { type Clock, isoTime } from '@financing-checkout/kit';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { meta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database } from '../analytics/session.ts';
import { NO_WORK } from '../facts/period-decisions.ts';
import type {
  Decision,
  DecisionOutcome,
  NewDecision,
  PeriodWork,
  SealFact,
} from '../facts/period-facts.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import { type Period, periodOf, periodsBetween } from '../platform/book-periods.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { ProblemError } from '../platform/problem.ts';
import { sqlText, type TemporaryFiles } from '../platform/temporary-files.ts';
import { select, whole } from '../queries/rows.ts';
import { type ReconciliationPolicy, policyHash } from '../statuses/policy.ts';
import { rulesVersion } from '../statuses/rules-version.ts';
import { checkPeriod, type Unclear } from './checklist.ts';
import { adjustmentCounts } from './adjustments.ts';
import { type Decider, type Deciders, isSameDecider } from './deciders.ts';
import { type Bounds, closedPeriods, copyFlows } from './flows.ts';
import {
  bodyOf,
  coveredFacts,
  lastHash,
  sealHash,
  sealRecord,
  type SealBody,
  statementsHash,
} from './seal.ts';
import { openStatements, sealedStatements } from './statements.ts';

export interface PeriodsContext {
  facts: FactStore;
  database: Pick<Database, 'read'>;
  policy: ReconciliationPolicy;
  environment: Environment;
  clock: Clock;
  zone: string;
  deciders: Deciders;
  /** Ids of operations of the companion with an unknown outcome. @throws {CompanionError} */
  unclearOperations: () => Promise<readonly string[]>;
}

export interface CloseContext extends PeriodsContext {
  fence: Fence;
  files: TemporaryFiles;
  /** Returns why the trail is not the one that was written; undefined: it is. */
  brokenTrail: () => Promise<string | undefined>;
  /** Called when a step of a close begins. */
  onStep: (step: CloseStep) => void;
}

export type CloseStep = 'checking' | 'summing' | 'hashing' | 'writing';

/** Who works on a period, and the action of the trail that takes effect with its outcome. */
export interface Deciding extends Decider {
  /** Number of the action. */
  action: number;
  /** ID of the console's session. Undefined: the request has a token. */
  session: string | undefined;
}

/** Who approves a prepared close. */
export interface Approving extends Deciding {
  /** How the hash of the statements begins that the person has seen; undefined: those of now. */
  seen?: string | undefined;
}

/** What a person wants of a reopening. */
export interface WantedReopening {
  /** Why the person asks for it. Undefined: the person approves the request of another one. */
  reason?: string | undefined;
  /** Number of the request that the person has seen; undefined: the one of now. */
  request?: number | undefined;
}

const ATTEMPTS = 3;
const DAY_MS = 86_400_000;
/** A request for a second person has no effect after so many days. */
export const REQUEST_DAYS = 7;

/** All periods since the oldest data, newest first, and the one to close next. */
export async function listPeriods(
  ctx: PeriodsContext,
): Promise<{ periods: PeriodRecord[]; open: string | undefined }> {
  const { facts, policy, clock, zone } = ctx;
  const calendar = new Calendar(zone);
  const today = calendar.dayOf(clock.now());
  const [seals, work, oldest] = [
    await facts.seals(),
    (await facts.periodDecisions()).work,
    await ctx.database.read(oldestMoment),
  ];
  const closed = seals.filter(({ reopened }) => reopened === undefined);
  const first = oldest === undefined ? today : calendar.dayOf(oldest);
  const cut = periodsBetween(policy.periods, first < today ? first : today, today);
  const sealed = closed.map((seal): Period => {
    const { id, from, to } = bodyOf(seal).period;
    return { id, from, to };
  });
  const last = sealed.at(-1);
  // What lies before the first closed period is its opening amount. A changed calendar changes no
  // closed period, and the next one continues where the last one ends.
  const following = cut.filter(({ to }) => last === undefined || to > last.to);
  const [next] = following;
  if (last !== undefined && next !== undefined) {
    following[0] = { ...next, from: addDays(last.to, 1) };
  }
  const all = [...sealed, ...following];
  const periods = all.map((period): PeriodRecord => {
    const seal = seals.findLast((one) => one.period === period.id);
    const own = inEffect(ctx, work.get(period.id));
    const isClosed = seal !== undefined && seal.reopened === undefined;
    // Before the first close, any period that has ended may be the first.
    const isDue = last === undefined ? period.to < today : period.id === next?.id;
    return {
      ...period,
      state: isClosed ? 'closed' : !isDue ? 'future' : own.prepared ? 'in-review' : 'open',
      prepared: own.prepared && requestRecord(own.prepared),
      reopening: own.reopening && {
        ...requestRecord(own.reopening),
        reason: own.reopening.reason,
      },
      seal: seal && sealRecord(seal),
    };
  });
  const ended = periods.filter(({ state }) => state === 'open' || state === 'in-review');
  const open = last === undefined ? ended.at(-1)?.id : next?.id;
  return { periods: periods.reverse(), open };
}

/** What an open period needs to be closed, or how a closed one was sealed. */
export async function describePeriod(ctx: PeriodsContext, id: string): Promise<PeriodDetail> {
  const { period, record } = await findPeriod(ctx, id);
  const unclear = record.state === 'closed' ? noneUnclear : await unclearOf(ctx);
  const { state, ...found } = await ctx.database.read((connection) =>
    readPeriod(ctx, connection, period, record, unclear),
  );
  return { zone: ctx.zone, period: { ...record, state }, ...found };
}

/**
 * Records that a person has prepared a close: another one may approve these statements.
 * @param seen hash of the statements that the person has seen; undefined: those of now
 */
export async function preparePeriod(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  seen?: string,
): Promise<void> {
  await requireEvidence(ctx, by);
  await decide(ctx, id, by, async () => {
    const { statementsHash: statements } = await requireReady(ctx, id);
    requireSeen(id, seen, statements);
    return { outcome: 'done', detail: { statements } };
  });
}

/** Accepts the records that a check found, whose digest the action in the trail states. */
export async function acceptFinding(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  { check, digest }: { check: string; digest: string },
): Promise<void> {
  await requireSignIn(ctx, by);
  await decide(ctx, id, by, async () => {
    const { checks } = await describePeriod(ctx, id);
    const found = checks.find((one) => one.check === check);
    if (found === undefined || found.state === 'done') {
      throw new ProblemError('period-not-permitted', { detail: `Nothing is open in ${check}.` });
    }
    if (found.digest !== digest) {
      throw new ProblemError('period-changed', {
        detail: `${check} has found other records than those of the digest. Nothing was accepted: look at them.`,
      });
    }
    return { outcome: 'done', detail: {} };
  });
}

/** Withdraws a request for a second person, as the person who made it or as another one. */
export async function withdrawRequest(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  of: 'preparation' | 'reopening',
): Promise<void> {
  await requireSignIn(ctx, by);
  await decide(ctx, id, by, ({ prepared, reopening }) => {
    const request = of === 'preparation' ? prepared : reopening;
    if (request === undefined) {
      throw new ProblemError('period-not-permitted', {
        detail: `No request waits for a second person: ${of} of ${id}.`,
      });
    }
    return { outcome: 'done', detail: { request: request.number } };
  });
}

/**
 * Closes a prepared period: seals its facts, policy, statements and amounts by order in one
 * transaction, so that it is closed or open after any failure.
 * @param catchUp judges all orders by all facts @throws {ProblemError}
 */
export async function closePeriod(
  ctx: CloseContext,
  id: string,
  by: Approving,
  catchUp: () => Promise<void>,
): Promise<SealFact> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    ctx.onStep('checking');
    await catchUp();
    await requireEvidence(ctx, by);
    const seal = await sealPeriod(ctx, id, by);
    if (seal !== undefined) return seal;
  }
  throw new ProblemError('period-changed', {
    detail: 'New facts arrived during the close. Nothing was closed: repeat it when they are in.',
  });
}

/**
 * Reopens the last closed period, which needs a second person where two may decide: the first one asks
 * with a reason, and another one approves that request, which states no reason of its own.
 * @returns whether it is open again
 */
export async function reopenPeriod(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  wanted: WantedReopening,
): Promise<boolean> {
  await requireEvidence(ctx, by);
  const { facts, fence, clock } = ctx;
  const last = (await facts.seals()).findLast(({ reopened }) => reopened === undefined);
  if (last?.period !== id) {
    const detail =
      last === undefined
        ? 'No period is closed.'
        : `The last closed period is ${last.period}: periods are reopened from the last one back.`;
    throw new ProblemError('period-not-permitted', { detail });
  }
  const work = await workOf(ctx, id);
  if (ctx.deciders.areTwo && wanted.reason !== undefined) {
    await decide(ctx, id, by, (own) => {
      refuseSecondReason(id, by, own);
      return { outcome: 'asked', detail: {} };
    });
    return false;
  }
  const detail = ctx.deciders.areTwo
    ? { request: approvedRequest(id, by, work, wanted.request) }
    : requireReason(wanted.reason);
  const decision = { action: by.action, period: id, at: clock.now(), detail, last: work.last };
  if ((await facts.reopenSeal(fence, last.seq, decision)) === undefined) throw decidedMeanwhile(id);
  return true;
}

/** A second reason must not take the place of the first one unseen, nor take effect under it. */
function refuseSecondReason(id: string, by: Decider, { reopening }: PeriodWork): void {
  if (reopening === undefined || isSameDecider(reopening, by)) return;
  throw new ProblemError('period-not-permitted', {
    detail: `${reopening.actor} has asked to reopen ${id} already: ${reopening.reason}. Approve that request without a reason, or withdraw it and ask again.`,
  });
}

/** Returns the number of the request that a second person approves. */
function approvedRequest(
  id: string,
  by: Decider,
  { reopening }: PeriodWork,
  seen: number | undefined,
): number {
  if (seen !== undefined && seen !== reopening?.number) {
    throw new ProblemError('period-changed', {
      detail: `The request ${seen} to reopen ${id} has lapsed, or was withdrawn or replaced.`,
    });
  }
  if (reopening === undefined) throw reasonMissing();
  if (isSameDecider(reopening, by)) {
    throw new ProblemError('second-person-required', {
      detail: `${reopening.actor} asked to reopen ${id}. Another person has to approve it.`,
    });
  }
  return reopening.number;
}

function requireReason(reason: string | undefined): Record<string, never> {
  if (reason === undefined) throw reasonMissing();
  return {};
}

const reasonMissing = () =>
  new ProblemError('invalid-request', { errors: [{ path: 'reason', message: 'is missing' }] });

async function sealPeriod(
  ctx: CloseContext,
  id: string,
  by: Approving,
): Promise<SealFact | undefined> {
  const { facts, files, database, policy, environment, clock, zone, fence, onStep } = ctx;
  const head = await database.read(async (connection) =>
    Number((await meta(connection, metaKeys.applied)) ?? 0),
  );
  // Read before the checks, which use what it accepts: the seal is written if it has not changed since.
  const { last, prepared } = await workOf(ctx, id);
  const detail = await requireReady(ctx, id);
  if (prepared === undefined) {
    throw new ProblemError('period-not-permitted', { detail: `${id} has not been prepared.` });
  }
  const isSecond = ctx.deciders.areTwo && !isSameDecider(prepared, by);
  if (ctx.deciders.areTwo && !isSecond) {
    throw new ProblemError('second-person-required', {
      detail: `${prepared.actor} prepared ${id}. Another person has to approve it.`,
    });
  }
  if (prepared.statements !== detail.statementsHash) {
    const lapsed = { action: prepared.number, period: id, at: clock.now(), detail: {}, last };
    await facts.decide(fence, 'lapsed', lapsed);
    throw new ProblemError('period-changed', {
      detail: `The statements of ${id} are not those that ${prepared.actor} prepared. Prepare it again.`,
    });
  }
  requireSeen(id, by.seen, detail.statementsHash);
  const { period } = await findPeriod(ctx, id);
  const bounds = boundsOf(period, zone);
  const seals = await facts.seals();
  const path = files.path('close', '.parquet');
  try {
    onStep('summing');
    const rows = await copyFlows(database, bounds, path);
    const flows = await readFile(path);
    const seq = (seals.at(-1)?.seq ?? 0) + 1;
    const source = `(select * from sealed_flows union all by name select ${seq} as seq, * from read_parquet(${sqlText(path)}))`;
    const statements = await database.read((connection) =>
      sealedStatements(connection, seq, undefined, source),
    );
    // The amounts by order are what the statements are verified with.
    if (statementsHash(statements) !== detail.statementsHash) return undefined;
    onStep('hashing');
    const covered = await coveredFacts(facts, seals, head);
    const at = clock.now();
    const { tolerance, slaDays, aliases, contracts } = policy;
    const body: SealBody = {
      version: 1,
      store: facts.id,
      environment,
      period: { ...period, zone, fromAt: bounds.fromAt, untilAt: bounds.untilAt },
      prepared: { by: prepared.actor, person: prepared.person, at: prepared.at },
      approved: { by: by.actor, person: by.person, at, isSecond },
      facts: {
        head,
        ...covered,
        cases: await facts.caseChain(),
        actions: await facts.actionChain(),
      },
      rules: rulesVersion(),
      policy: { tolerance, slaDays, aliases, contracts },
      policyHash: policyHash(policy),
      checks: detail.checks,
      statements,
      flows: { rows, bytes: flows.byteLength, sha256: sha256(flows) },
    };
    const text = canonicalJson(body);
    const previous = lastHash(seals);
    onStep('writing');
    const days = covered.days.map(({ day, sha256: checksum }) => ({ day, checksum }));
    const hash = sealHash(previous, text);
    return await facts.writeSeal(
      fence,
      { period: id, at, body: text, previous, hash, flows, days },
      head,
      { action: by.action, at, last },
    );
  } finally {
    await files.remove([path]);
  }
}

/** @throws {ProblemError} `period-not-ready` with what is missing */
async function requireReady(ctx: PeriodsContext, id: string): Promise<PeriodDetail> {
  const detail = await describePeriod(ctx, id);
  if (detail.period.state === 'closed') {
    throw new ProblemError('period-not-permitted', { detail: `${id} is closed.` });
  }
  const blocked = detail.checks.filter(({ state }) => state === 'blocked');
  if (blocked.length > 0) {
    const names = blocked.map(({ check, count }) => `${check} (${count})`).join(', ');
    throw new ProblemError('period-not-ready', { detail: `Not done for ${id}: ${names}.` });
  }
  return detail;
}

async function readPeriod(
  ctx: PeriodsContext,
  connection: DuckDBConnection,
  period: Period,
  { state, seal }: PeriodRecord,
  unclear: Unclear,
): Promise<Omit<PeriodDetail, 'zone' | 'period'> & Pick<PeriodRecord, 'state'>> {
  const { facts, clock, zone, policy } = ctx;
  const closed = await closedPeriods(connection);
  const own = closed.find(({ seq }) => seq === seal?.seq);
  if (state === 'closed' && own !== undefined) {
    const statements = await sealedStatements(connection, own.seq);
    return {
      state,
      checks: [],
      statements,
      statementsHash: statementsHash(statements),
      adjustments: await adjustmentCounts(connection, closed, own),
    };
  }
  const bounds = boundsOf(period, zone);
  const isNext = closed.length === 0 || state !== 'future';
  const earlier = isNext ? closed : [];
  const statements = await openStatements(connection, earlier, bounds);
  const work = await workOf(ctx, period.id);
  const checks = await checkPeriod(
    {
      facts,
      connection,
      now: clock.now(),
      zone,
      period,
      before: periodOf(policy.periods, addDays(period.from, -1)) ?? period,
      isNext,
      untilAt: bounds.untilAt,
      statements,
      unclear,
    },
    work.accepted,
  );
  return {
    state,
    checks,
    statements,
    statementsHash: statementsHash(statements),
    adjustments: isNext ? await adjustmentCounts(connection, earlier, undefined) : [],
  };
}

const noneUnclear: Unclear = { ids: [], failure: undefined };

/** Returns the companion's operations with an unknown outcome, or that it does not answer. */
async function unclearOf({ unclearOperations }: PeriodsContext): Promise<Unclear> {
  try {
    return { ids: await unclearOperations(), failure: undefined };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CompanionError') throw error;
    return { ids: [], failure: { code: 'companion-unavailable', message: error.message } };
  }
}

async function findPeriod(
  ctx: PeriodsContext,
  id: string,
): Promise<{ period: Period; record: PeriodRecord }> {
  const { record } = await requirePeriod(ctx, id);
  return { period: { id, from: record.from, to: record.to }, record };
}

/** Returns a period and whether it is closed next. @throws {ProblemError} `period-not-found` */
export async function requirePeriod(
  ctx: PeriodsContext,
  id: string,
): Promise<{ record: PeriodRecord; isOpen: boolean }> {
  const { periods, open } = await listPeriods(ctx);
  const record = periods.find((one) => one.id === id);
  if (record !== undefined) return { record, isOpen: id === open };
  const [last, first] = [periods[0], periods.at(-1)];
  const known = first === last ? `${first?.id} is the only one` : `${first?.id} is the first one`;
  throw new ProblemError('period-not-found', {
    detail: `${known}: periods begin with the oldest ledger line or funding. Import or sync the days of an earlier one.`,
  });
}

async function workOf(
  ctx: Pick<PeriodsContext, 'clock' | 'deciders' | 'facts'>,
  id: string,
): Promise<PeriodWork> {
  return inEffect(ctx, (await ctx.facts.periodDecisions()).work.get(id));
}

/** Returns work without the requests that have lapsed, or whose author may no longer decide. */
function inEffect(
  { clock, deciders }: Pick<PeriodsContext, 'clock' | 'deciders'>,
  work: PeriodWork = NO_WORK,
): PeriodWork {
  const current = <Request extends Decision>(request: Request | undefined) =>
    request !== undefined && clock.now() < lapsesAt(request) && deciders.includes(request)
      ? request
      : undefined;
  return { ...work, prepared: current(work.prepared), reopening: current(work.reopening) };
}

const lapsesAt = ({ at }: Decision) => at + REQUEST_DAYS * DAY_MS;

function requestRecord(request: Decision) {
  const { actor, at, number } = request;
  return {
    by: actor,
    at: isoTime(at),
    request: number,
    lapsesAt: isoTime(lapsesAt(request)),
  };
}

interface Outcome {
  outcome: DecisionOutcome;
  detail: NewDecision['detail'];
}

/** Records the outcome of an action, unless the work on the period changes at the same time. */
async function decide(
  ctx: CloseContext,
  id: string,
  { action }: Deciding,
  make: (work: PeriodWork) => Outcome | Promise<Outcome>,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const work = await workOf(ctx, id);
    const { detail, outcome } = await make(work);
    const { last } = work;
    const decision = { action, period: id, at: ctx.clock.now(), detail, last };
    if (await ctx.facts.decide(ctx.fence, outcome, decision)) return;
  }
  throw decidedMeanwhile(id);
}

const decidedMeanwhile = (id: string) =>
  new ProblemError('period-changed', {
    detail: `Another decision about ${id} was made at the same time. Look at it, and repeat yours if it still applies.`,
  });

function requireSeen(id: string, seen: string | undefined, statements: string): void {
  if (seen === undefined || statements.startsWith(seen)) return;
  throw new ProblemError('period-changed', {
    detail: `The statements of ${id} are not those that you have seen. Look at them: their digest is ${statements.slice(0, 12)} now.`,
  });
}

/** Requires the sign-in of the session in the trail: a row of the store could name another person. */
async function requireSignIn({ facts }: CloseContext, by: Deciding): Promise<void> {
  const { session } = by;
  if (session === undefined || (await facts.hasSignedIn(session, by))) return;
  throw new ProblemError('session-ended', {
    detail: 'The trail does not have the sign-in of this session. Sign in again.',
  });
}

/** The trail alone states who has decided, so an altered trail proves no decision. */
async function requireEvidence(ctx: CloseContext, by: Deciding): Promise<void> {
  await requireSignIn(ctx, by);
  const reason = await ctx.brokenTrail();
  if (reason === undefined) return;
  throw new ProblemError('period-not-permitted', {
    detail: `The trail, which states who has decided, is not the one that was written: an event ${reason}. Verify it, and restore a backup of the record store.`,
  });
}

/** Returns the start and end of a period. */
export function boundsOf({ id, from, to }: Period, zone: string): Bounds {
  const calendar = new Calendar(zone);
  return { id, fromAt: calendar.startOf(from), untilAt: calendar.startOf(addDays(to, 1)) };
}

async function oldestMoment(connection: DuckDBConnection): Promise<number | undefined> {
  const [row] = await select(
    connection,
    `select least((select min(occurred_at) from ledger_lines), (select min(funded_at) from fundings)) as at`,
  );
  return row?.at === null || row?.at === undefined ? undefined : whole(row.at);
}
