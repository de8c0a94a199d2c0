import type { DuckDBConnection } from '@duckdb/node-api';
import { meta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database } from '../analytics/session.ts';
import type { FactStore } from '../facts/store.ts';
import { type Clock, isoTime } from '../platform/clock.ts';
import type { JudgingPolicy } from '../statuses/policy.ts';
import { proofOf, type Proof } from './proof.ts';
import { select, whole } from './rows.ts';

/** What questions are answered from. */
export interface QueryContext {
  database: Pick<Database, 'read'>;
  facts: Pick<FactStore, 'days'>;
  policy: JudgingPolicy;
  clock: Clock;
  /** Ends the question of a client that has gone. */
  signal?: AbortSignal | undefined;
}

/** How far an answer can be relied on. */
export interface Reliability extends Proof {
  /** The moment by which lines were called late: of the last time that orders were judged. */
  asOf: string;
  /** Records in quarantine: they are in no sum. */
  quarantined: number;
}

/**
 * Returns how far answers can be relied on: completely where every day is proven and the orders were
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

/** Returns whether every day is proven, as a pass of judging is to be told. */
export async function isComplete(ctx: QueryContext): Promise<boolean> {
  return (await provenOf(ctx)).complete;
}

async function provenOf(ctx: QueryContext): Promise<Proof> {
  const days = await ctx.facts.days();
  const oldest = await ctx.database.read(oldestLine, ctx.signal);
  return proofOf(days, oldest, ctx.clock.now());
}

/** When the oldest line of the ledger occurred; undefined: there is none. */
export async function oldestLine(connection: DuckDBConnection): Promise<number | undefined> {
  const [row] = await select(connection, 'select min(occurred_at) as at from ledger_lines');
  return typeof row?.at === 'number' ? row.at : undefined;
}

/**
 * Returns a weak ETag (RFC 9110 8.8.3) for answers: another one whenever statuses were judged, a fact
 * was applied or the proof changed. `asOf`, the moment of judging, is not part of it.
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
