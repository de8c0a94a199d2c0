import { calendarOf } from '@financing-checkout/reconciliation-rules';
import type { DuckDBConnection } from '@duckdb/node-api';
import { meta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database } from '../analytics/session.ts';
import type { FactStore } from '../facts/store.ts';
import { type Clock, isoTime } from '@financing-checkout/kit';
import type { JudgingPolicy } from '../statuses/policy.ts';
import { proofOf, type Proof } from './proof.ts';
import { select, whole } from './rows.ts';

/** The data behind an answer. */
export interface QueryContext {
  database: Pick<Database, 'read'>;
  facts: Pick<FactStore, 'days'>;
  policy: JudgingPolicy;
  clock: Clock;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined;
}

/** Reliability of an answer. */
export interface Reliability extends Proof {
  /** Time when orders were last judged, which decides which lines are late. */
  asOf: string;
  /** Number of records in quarantine, which are excluded from all sums. */
  quarantined: number;
}

/**
 * Returns the reliability of responses: complete if every day is proven and the orders have been
 * judged since.
 */
export async function reliabilityOf(ctx: QueryContext): Promise<Reliability> {
  const proof = await provenOf(ctx);
  return ctx.database.read(async (connection) => {
    const judgedAt = await meta(connection, metaKeys.judgedAt);
    const isJudged = (await meta(connection, metaKeys.judgedComplete)) === 'true';
    const [row] = await select(
      connection,
      'select count(*) as count from fundings where problem is not null',
    );
    return {
      asOf: isoTime(judgedAt === undefined ? ctx.clock.now() : Number(judgedAt)),
      complete: proof.complete && isJudged,
      unprovenDays: proof.unprovenDays,
      quarantined: whole(row?.count),
    };
  }, ctx.signal);
}

/** Returns whether every day is proven, as input to a judging pass. */
export async function isComplete(ctx: QueryContext): Promise<boolean> {
  return (await provenOf(ctx)).complete;
}

async function provenOf(ctx: QueryContext): Promise<Proof> {
  const days = await ctx.facts.days();
  const oldest = await ctx.database.read(oldestLine, ctx.signal);
  const now = ctx.clock.now();
  const calendar = calendarOf(ctx.policy.slaDays);
  return proofOf(days, oldest, { now, midnight: calendar.startOf(calendar.dayOf(now)) });
}

/** Returns the time of the oldest ledger line; undefined if there is none. */
export async function oldestLine(connection: DuckDBConnection): Promise<number | undefined> {
  const [row] = await select(connection, 'select min(occurred_at) as at from ledger_lines');
  return typeof row?.at === 'number' ? row.at : undefined;
}

/**
 * Returns a weak ETag (RFC 9110 8.8.3) for responses. It changes when statuses are judged, a fact
 * is applied or the proof changes, but ignores `asOf`, the time of judging.
 */
export async function answerTag(
  ctx: QueryContext,
  { unprovenDays, quarantined }: Reliability,
): Promise<string> {
  return ctx.database.read(async (connection) => {
    const judged = (await meta(connection, metaKeys.judged)) ?? '0';
    const applied = (await meta(connection, metaKeys.applied)) ?? '0';
    return `W/"${judged}-${applied}-${unprovenDays}-${quarantined}"`;
  }, ctx.signal);
}
