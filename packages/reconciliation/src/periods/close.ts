import { readFile } from 'node:fs/promises';
import type { Environment, PeriodDetail, PeriodRecord } from '@financing-checkout/contract';
import { addDays } from '@financing-checkout/contract/days';
import { type Clock, isoTime } from '@financing-checkout/kit';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { meta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database } from '../analytics/session.ts';
import type { SignInSettings } from '../config/sign-in.ts';
import type { AccessToken } from '../config/tokens.ts';
import type { Decision, PeriodWork, SealFact } from '../facts/period-facts.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import { type Period, periodOf, periodsBetween } from '../platform/book-periods.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { ProblemError } from '../platform/problem.ts';
import { sqlText, type TemporaryFiles } from '../platform/temporary-files.ts';
import { select, whole } from '../queries/rows.ts';
import { type ReconciliationPolicy, policyHash } from '../statuses/policy.ts';
import { rulesVersion } from '../statuses/rules-version.ts';
import { checkPeriod, findingHash, type Unclear } from './checklist.ts';
import { adjustmentCounts } from './adjustments.ts';
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
  /** Ids of operations of the companion with an unknown outcome. @throws {CompanionError} */
  unclearOperations: () => Promise<readonly string[]>;
}

export interface CloseContext extends PeriodsContext {
  fence: Fence;
  files: TemporaryFiles;
  /** Whether two persons may close periods, so that who prepares a close cannot approve it. */
  hasSecondPerson: boolean;
  /** Called when a step of a close begins. */
  onStep: (step: CloseStep) => void;
}

export type CloseStep = 'checking' | 'summing' | 'hashing' | 'writing';

/** A person who works on a period: the token or the signed-in person, and the name for the trail. */
export interface Person {
  token: string;
  name: string;
}

const ATTEMPTS = 3;

/**
 * Returns whether two persons can close periods. A role of the OpenID provider counts as two, because
 * its members are managed by the provider.
 */
export function hasSecondPerson({
  signIn,
  tokens,
}: {
  tokens: readonly Pick<AccessToken, 'scopes'>[];
  signIn: Pick<SignInSettings, 'roles'> | undefined;
}): boolean {
  const isRole = [...(signIn?.roles.values() ?? [])].some((scopes) => scopes.includes('periods'));
  return isRole || tokens.filter(({ scopes }) => scopes.includes('periods')).length > 1;
}

/** All periods since the oldest data, newest first, and the one to close next. */
export async function listPeriods(
  ctx: PeriodsContext,
): Promise<{ periods: PeriodRecord[]; open: string | undefined }> {
  const { facts, policy, clock, zone } = ctx;
  const calendar = new Calendar(zone);
  const today = calendar.dayOf(clock.now());
  const [seals, work, oldest] = [
    await facts.seals(),
    await facts.periodWork(),
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
  const works = new Map(work.map((one) => [one.id, one]));
  const periods = all.map((period): PeriodRecord => {
    const seal = seals.findLast((one) => one.period === period.id);
    const own = works.get(period.id);
    const isClosed = seal !== undefined && seal.reopened === undefined;
    // Before the first close, any period that has ended may be the first.
    const isDue = last === undefined ? period.to < today : period.id === next?.id;
    return {
      ...period,
      state: isClosed ? 'closed' : !isDue ? 'future' : own?.prepared ? 'in-review' : 'open',
      prepared: own?.prepared && { by: own.prepared.by, at: isoTime(own.prepared.at) },
      reopening: own?.reopening && { ...own.reopening, at: isoTime(own.reopening.at) },
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

/** Records that a person has prepared a close: another one may approve these statements. */
export async function preparePeriod(
  ctx: CloseContext,
  id: string,
  person: Person,
): Promise<PeriodDetail> {
  const detail = await requireReady(ctx, id);
  const by = person.name;
  const prepared = { by, at: ctx.clock.now(), statements: detail.statementsHash };
  await changeWork(ctx, id, (work) => ({ ...work, prepared }));
  return describePeriod(ctx, id);
}

/** Accepts what a check found, with a reason. */
export async function acceptFinding(
  ctx: CloseContext,
  id: string,
  { check, person, reason }: { check: string; person: Person; reason: string },
): Promise<PeriodDetail> {
  const { checks } = await describePeriod(ctx, id);
  const found = checks.find((one) => one.check === check);
  if (found === undefined || found.state === 'done') {
    throw new ProblemError('period-not-permitted', { detail: `Nothing is open in ${check}.` });
  }
  const decision = { by: person.name, at: ctx.clock.now(), reason, state: findingHash(found) };
  await changeWork(ctx, id, (work) => ({
    ...work,
    accepted: { ...work.accepted, [check]: decision },
  }));
  return describePeriod(ctx, id);
}

/**
 * Closes a prepared period: seals its facts, policy, statements and amounts by order in one
 * transaction, so that it is closed or open after any failure.
 * @param catchUp judges all orders by all facts @throws {ProblemError}
 */
export async function closePeriod(
  ctx: CloseContext,
  id: string,
  person: Person,
  catchUp: () => Promise<void>,
): Promise<SealFact> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    ctx.onStep('checking');
    await catchUp();
    const seal = await sealPeriod(ctx, id, person);
    if (seal !== undefined) return seal;
  }
  throw new ProblemError('period-changed', {
    detail: 'New facts arrived during the close. Nothing was closed: repeat it when they are in.',
  });
}

/**
 * Reopens the last closed period, which needs a second person where one is configured: the first
 * request records the reason, and the second one by another person takes effect.
 * @returns whether it is open again
 */
export async function reopenPeriod(
  ctx: CloseContext,
  id: string,
  person: Person,
  reason: string | undefined,
): Promise<boolean> {
  const { facts, fence, clock } = ctx;
  const last = (await facts.seals()).findLast(({ reopened }) => reopened === undefined);
  if (last?.period !== id) {
    const detail =
      last === undefined
        ? 'No period is closed.'
        : `The last closed period is ${last.period}: periods are reopened from the last one back.`;
    throw new ProblemError('period-not-permitted', { detail });
  }
  const work = (await facts.periodWork()).find((one) => one.id === id);
  const at = clock.now();
  const asked = work?.reopening;
  if (ctx.hasSecondPerson && asked !== undefined) {
    if (tokenOf(asked.by) === person.token) {
      throw new ProblemError('second-person-required', {
        detail: `${asked.by} asked to reopen ${id}. Another person has to approve it.`,
      });
    }
    const by = `${asked.by}; approved by ${person.name}`;
    await facts.reopenSeal(fence, last.seq, { by, at, reason: asked.reason });
    return true;
  }
  if (reason === undefined) {
    throw new ProblemError('invalid-request', {
      errors: [{ path: 'reason', message: 'is missing' }],
    });
  }
  const decision: Decision = { by: person.name, at, reason };
  if (ctx.hasSecondPerson) {
    await changeWork(ctx, id, (own) => ({ ...own, reopening: decision }));
    return false;
  }
  await facts.reopenSeal(fence, last.seq, decision);
  return true;
}

async function sealPeriod(
  ctx: CloseContext,
  id: string,
  person: Person,
): Promise<SealFact | undefined> {
  const { facts, files, database, policy, environment, clock, zone, fence, onStep } = ctx;
  const head = await database.read(async (connection) =>
    Number((await meta(connection, metaKeys.applied)) ?? 0),
  );
  const detail = await requireReady(ctx, id);
  const { prepared } = await workOf(ctx, id);
  if (prepared === undefined) {
    throw new ProblemError('period-not-permitted', { detail: `${id} has not been prepared.` });
  }
  const isSecond = tokenOf(prepared.by) !== person.token;
  if (ctx.hasSecondPerson && !isSecond) {
    throw new ProblemError('second-person-required', {
      detail: `${prepared.by} prepared ${id}. Another person has to approve it.`,
    });
  }
  if (prepared.statements !== detail.statementsHash) {
    await changeWork(ctx, id, (work) => ({ ...work, prepared: undefined }));
    throw new ProblemError('period-changed', {
      detail: `The statements of ${id} are not those that ${prepared.by} prepared. Prepare it again.`,
    });
  }
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
      prepared: { by: prepared.by, at: prepared.at },
      approved: { by: person.name, at, isSecond: ctx.hasSecondPerson && isSecond },
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

async function workOf({ facts }: Pick<PeriodsContext, 'facts'>, id: string): Promise<PeriodWork> {
  return (await facts.periodWork()).find((one) => one.id === id) ?? { id, accepted: {} };
}

async function changeWork(
  ctx: CloseContext,
  id: string,
  change: (work: PeriodWork) => PeriodWork,
): Promise<void> {
  await ctx.facts.writePeriodWork(ctx.fence, change(await workOf(ctx, id)));
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

/** The name of a token or a person has no comma, so the text before the first comma is authenticated. */
function tokenOf(actor: string): string {
  return actor.split(',')[0] ?? actor;
}
