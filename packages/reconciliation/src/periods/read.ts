import {
  type Approval,
  type PeriodDetail,
  type PeriodRecord,
  withdrawableRequests,
} from '@financing-checkout/contract/reconciliation';
import { type Environment } from '@financing-checkout/contract/storefront';
import { addDays } from '@financing-checkout/contract/money';
import { type Clock, isoTime } from '@financing-checkout/kit';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { type RevisedDatabase } from '../analytics/database.ts';
import { type Decision, NO_WORK, type PeriodWork } from '../facts/period-decisions.ts';
import { type FactStore } from '../facts/store.ts';
import { type Period, periodOf, periodsBetween } from '../statuses/book-periods.ts';
import { type DuckDBConnection } from '../platform/duckdb.ts';
import { ProblemError } from '../platform/problem.ts';
import { select, whole } from '../queries/basis/rows.ts';
import { type ReconciliationPolicy } from '../statuses/policy.ts';
import { adjustmentCounts } from './adjustments.ts';
import { checkPeriod, type Unclear } from './checklist.ts';
import { type Deciders } from './deciders.ts';
import { type Bounds, closedPeriods, openFlows } from './flows.ts';
import { reviewPeriod } from './review.ts';
import { bodyOf, sealedChecks, sealRecord, statementsHash } from './seal.ts';
import { openStatements, orderAmounts, sealedStatements } from './statements.ts';

export interface PeriodsContext {
  facts: FactStore;
  database: Pick<RevisedDatabase, 'read' | 'revision'>;
  policy: ReconciliationPolicy;
  environment: Environment;
  clock: Clock;
  zone: string;
  deciders: Deciders;
  /** Operations of the companion with an unknown outcome. @throws {CompanionError} */
  unclearOperations: () => Promise<Unclear['operations']>;
}

const DAY_MS = 86_400_000;

/** Days after which a request for a second person lapses. */
export const REQUEST_DAYS = 7;

/** Lists all periods since the oldest data, newest first, and the one to close next. */
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
  // Amounts from before the first closed period form its opening amount. A changed calendar does
  // not affect closed periods, and the next period starts where the last one ended.
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
    // Before the first close, any period that has ended may be closed.
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

/**
 * Describes an open period with the requirements of its close, or a closed one as it was sealed, with
 * what has changed since beside it.
 */
export async function describePeriod(ctx: PeriodsContext, id: string): Promise<PeriodDetail> {
  const { record, open } = await requirePeriod(ctx, id);
  const { from, to } = record;
  const period = { id, from, to };
  const unclear = record.state === 'closed' ? noneUnclear : await unclearOf(ctx);
  return ctx.database.read((connection) =>
    readPeriod(ctx, connection, { period, record, open }, unclear),
  );
}

/** Adds what a close of the period would take over: see {@link reviewPeriod}. */
export async function reviewedPeriod(ctx: PeriodsContext, id: string): Promise<PeriodDetail> {
  const detail = await describePeriod(ctx, id);
  const { state } = detail.period;
  if (state === 'closed' || state === 'future') return detail;
  const { prepared } = await workOf(ctx, id);
  const bounds = boundsOf(detail.period, ctx.zone);
  return { ...detail, review: await reviewPeriod(ctx, bounds, prepared) };
}

async function readPeriod(
  ctx: PeriodsContext,
  connection: DuckDBConnection,
  { period, record, open }: { period: Period; record: PeriodRecord; open: string | undefined },
  unclear: Unclear,
): Promise<PeriodDetail> {
  const { facts, clock, zone, policy } = ctx;
  const { state, seal } = record;
  const { accepted, last: decided } = await workOf(ctx, period.id);
  const closed = await closedPeriods(connection);
  const own = closed.find(({ seq }) => seq === seal?.seq);
  const sources = {
    facts,
    connection,
    now: clock.now(),
    zone,
    period,
    before: periodOf(policy.periods, addDays(period.from, -1)) ?? period,
    unclear,
  };
  const fact = (await facts.seals()).find(({ seq }) => seq === own?.seq);
  if (state === 'closed' && own !== undefined && fact !== undefined) {
    const statements = await sealedStatements(connection, own.seq);
    const checks = sealedChecks(fact);
    // Checks of the period alone find nothing: they were done when it was sealed.
    const now = await checkPeriod(
      {
        ...sources,
        isNext: true,
        untilAt: own.untilAt,
        statements: [],
        // Not asked for: statements were sealed.
        unexplained: () => Promise.resolve(''),
      },
      {},
    );
    const adjusted = await adjustmentCounts(connection, closed, undefined);
    return {
      zone: bodyOf(fact).period.zone,
      period: record,
      checks,
      statements,
      statementsHash: statementsHash(statements),
      adjustments: await adjustmentCounts(connection, closed, own),
      sinceSeal: {
        open,
        orders: adjusted.find(({ belongsTo }) => belongsTo === period.id)?.count ?? 0,
        checks: now.flatMap(({ check, count, amounts, examples, digest }) => {
          const then = checks.find((one) => one.check === check);
          if (then === undefined || then.digest === digest) return [];
          return [{ check, count, amounts, examples }];
        }),
      },
    };
  }
  const bounds = boundsOf(period, zone);
  const isNext = closed.length === 0 || state !== 'future';
  const earlier = isNext ? closed : [];
  const statements = await openStatements(connection, earlier, bounds);
  const checks = await checkPeriod(
    {
      ...sources,
      isNext,
      untilAt: bounds.untilAt,
      statements,
      unexplained: async () =>
        orderAmounts('unexplained', await openFlows(connection, earlier, bounds)),
    },
    accepted,
  );
  return {
    zone,
    period: record,
    checks,
    statements,
    statementsHash: statementsHash(statements),
    decided,
    adjustments: isNext ? await adjustmentCounts(connection, earlier, undefined) : [],
  };
}

const noneUnclear: Unclear = { operations: [], failure: undefined };

/** Returns the companion's operations with an unknown outcome, or why they could not be read. */
async function unclearOf({ unclearOperations }: PeriodsContext): Promise<Unclear> {
  try {
    return { operations: await unclearOperations(), failure: undefined };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CompanionError') throw error;
    return { operations: [], failure: { code: 'companion-unavailable', message: error.message } };
  }
}

/** Returns a period, whether it is the next one to close, and which one is. @throws {ProblemError} `period-not-found` */
export async function requirePeriod(
  ctx: PeriodsContext,
  id: string,
): Promise<{ record: PeriodRecord; isOpen: boolean; open: string | undefined }> {
  const { periods, open } = await listPeriods(ctx);
  const record = periods.find((one) => one.id === id);
  if (record !== undefined) return { record, isOpen: id === open, open };
  const [last, first] = [periods[0], periods.at(-1)];
  const known = first === last ? `${first?.id} is the only one` : `${first?.id} is the first one`;
  throw new ProblemError('period-not-found', {
    detail: `${known}: periods begin with the oldest ledger line or funding. Import or sync the days of an earlier one.`,
  });
}

export async function workOf(
  ctx: Pick<PeriodsContext, 'clock' | 'deciders' | 'facts'>,
  id: string,
): Promise<PeriodWork> {
  return inEffect(ctx, (await ctx.facts.periodDecisions()).work.get(id));
}

/** Removes requests that have lapsed or whose author may no longer decide. */
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

/** A request that waits for a second person, with its author and reason. */
export interface WaitingRequest extends Approval {
  by: string;
  /** Of a request to reopen. */
  reason: string | undefined;
}

/** Returns the requests that wait for a second person. */
export async function waitingRequests(
  ctx: Pick<PeriodsContext, 'clock' | 'deciders' | 'facts'>,
): Promise<WaitingRequest[]> {
  const { work } = await ctx.facts.periodDecisions();
  return [...work].flatMap(([period, all]) => {
    const { prepared: preparation, reopening } = inEffect(ctx, all);
    const requests = { preparation, reopening };
    return withdrawableRequests.flatMap((of): WaitingRequest[] => {
      const request = requests[of];
      if (request === undefined) return [];
      const reason = of === 'reopening' ? reopening?.reason : undefined;
      return [{ period, of, ...requestRecord(request), reason }];
    });
  });
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
