import { calendarOf } from '@financing-checkout/reconciliation-rules';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import { meta, type RevisedDatabase } from '../../analytics/database.ts';
import { metaKeys } from '../../analytics/schema.ts';
import type { Database } from '../../analytics/session.ts';
import type { FactStore } from '../../facts/store.ts';
import { type Clock, isoTime } from '@financing-checkout/kit';
import type { QueryPolicy } from '../../statuses/policy.ts';
import { onceARevision } from './once-a-revision.ts';
import { proofOf, type Proof } from './proof.ts';
import { select, whole } from './rows.ts';

/** The data behind an answer. */
export interface QueryContext {
  database: Pick<RevisedDatabase, 'read' | 'revision'>;
  facts: Pick<FactStore, 'days'>;
  policy: QueryPolicy;
  clock: Clock;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined;
}

export interface Reliability extends Proof {
  /** Time when orders were last judged, which decides which lines are late. */
  asOf: string;
  /** Number of records in quarantine, which are excluded from all sums. */
  quarantined: number;
}

/** The part of the reliability that depends on the database. */
const findReliability = onceARevision((ctx: QueryContext) =>
  ctx.database.read(async (connection) => {
    const judgedAt = await meta(connection, metaKeys.judgedAt);
    const isJudged = (await meta(connection, metaKeys.judgedComplete)) === 'true';
    const [row] = await select(
      connection,
      'select count(*) as count from fundings where problem is not null',
    );
    const oldest = await oldestLine(connection);
    return { judgedAt, isJudged, oldest, quarantined: whole(row?.count) };
  }, ctx.signal),
);

/**
 * Returns the reliability of responses: complete if every day is proven and the orders have been
 * judged since.
 */
export async function reliabilityOf(ctx: QueryContext): Promise<Reliability> {
  const { judgedAt, isJudged, oldest, quarantined } = await findReliability(ctx);
  const proof = await provenOf(ctx, oldest);
  return {
    asOf: isoTime(judgedAt === undefined ? ctx.clock.now() : Number(judgedAt)),
    complete: proof.complete && isJudged,
    unprovenDays: proof.unprovenDays,
    quarantined,
  };
}

/** The data behind a pass. */
interface PassContext extends Pick<QueryContext, 'facts' | 'policy' | 'clock'> {
  database: Pick<Database, 'read'>;
}

/** Returns whether every day is proven, as input to a judging pass. */
export async function isComplete(ctx: PassContext): Promise<boolean> {
  return (await provenOf(ctx, await ctx.database.read(oldestLine))).complete;
}

async function provenOf(
  { facts, policy, clock }: Pick<QueryContext, 'facts' | 'policy' | 'clock'>,
  oldest: number | undefined,
): Promise<Proof> {
  const days = await facts.days();
  const now = clock.now();
  const calendar = calendarOf(policy.slaDays);
  return proofOf(days, oldest, { now, midnight: calendar.startOf(calendar.dayOf(now)) });
}

/** Returns the time of the oldest ledger line; undefined if there is none. */
async function oldestLine(connection: DuckDBConnection): Promise<number | undefined> {
  const [row] = await select(connection, 'select min(occurred_at) as at from ledger_lines');
  return typeof row?.at === 'number' ? row.at : undefined;
}
