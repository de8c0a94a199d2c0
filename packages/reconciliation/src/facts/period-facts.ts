import type { Kysely, Transaction } from 'kysely';
import { sha256 } from '../platform/digest.ts';
import { damagedContent } from './content.ts';
import { advance, type Fence } from './head.ts';
import {
  type DecisionOutcome,
  decisionOutcomes,
  foldDecisions,
  type PeriodDecisions,
  periodKinds,
  type Reopening,
} from './period-decisions.ts';
import { type FactNumber, type FactTables, type SealRow, trail } from './schema.ts';
import { appendEnd, type EventDetail } from './trail.ts';

/** The outcome of an action to record. */
export interface NewDecision {
  /** Number of the action in the trail. */
  action: number;
  period: string;
  at: number;
  detail: EventDetail;
  /** `last` of the work on which the decision is based. */
  last: number;
}

export interface NewSeal {
  period: string;
  at: number;
  /** Canonical JSON: see `SealBody` in `periods/seal.ts`. */
  body: string;
  /** Sealed cash flows by order, in Parquet. */
  flows: Uint8Array;
  /** Contents that the seal covers. They stay stored when a sync replaces them. */
  days: readonly { day: string; checksum: string }[];
}

/** A seal, which never changes: the close in the trail states its SHA-256. */
export interface SealFact extends Omit<NewSeal, 'flows' | 'days'> {
  /** Position among all seals, from 1. */
  seq: number;
  /** SHA-256 of the body. */
  hash: string;
  /** Number of the last fact about the seal: its close or reopening. */
  number: FactNumber;
  /** As recorded in the trail. */
  reopened: Reopening | undefined;
}

/** Rolls back a transaction whose precondition no longer holds. */
class HasMoved extends Error {}

/** @returns undefined if the transaction ended with {@link HasMoved} */
async function unlessMoved<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HasMoved) return undefined;
    throw error;
  }
}

/**
 * Periods and their seals. Decisions are made in the trail: one takes effect together with its
 * action's outcome and the resulting changes, in one transaction.
 */
export function periodFacts(db: Kysely<FactTables>) {
  async function periodDecisions(): Promise<PeriodDecisions> {
    const rows = await db
      .selectFrom('trail')
      .selectAll()
      .where('kind', 'in', periodKinds)
      .orderBy('seq')
      .execute();
    return foldDecisions(rows.map(trail.read));
  }

  /** @throws {HasMoved} if the decisions on the period have changed since */
  async function record(
    tx: Transaction<FactTables>,
    outcome: DecisionOutcome,
    { action, at, detail, last, period }: NewDecision,
  ): Promise<void> {
    const newest = await tx
      .selectFrom('trail')
      .select('seq')
      .where('kind', 'in', periodKinds)
      .where('subject', '=', period)
      .where('begun', 'is not', null)
      .where('outcome', 'in', decisionOutcomes)
      .where('seq', '>', last)
      .limit(1)
      .executeTakeFirst();
    if (newest !== undefined) throw new HasMoved();
    await appendEnd(tx, action, { at, outcome, detail });
  }

  const withReopenings = async (rows: SealRow[]): Promise<SealFact[]> => {
    if (rows.length === 0) return [];
    const { reopenings } = await periodDecisions();
    return rows.map((row) => ({
      ...row,
      hash: sha256(row.body),
      reopened: reopenings.get(row.seq),
    }));
  };

  return {
    periodDecisions,

    /**
     * Records a decision.
     * @param outcome `done`, or `asked` for a request that another person must approve; `lapsed`: an
     * earlier decision lapsed
     * @returns false if the work on the period has changed @throws {LeaseLostError}
     */
    async decide(fence: Fence, outcome: DecisionOutcome, decision: NewDecision) {
      const written = db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await record(tx, outcome, decision);
        return true;
      });
      return (await unlessMoved(written)) ?? false;
    },

    /** Returns all seals in order, including reopened ones. */
    async seals() {
      return withReopenings(await db.selectFrom('seals').selectAll().orderBy('seq').execute());
    },

    /** Returns seals whose last fact has a higher number, sorted by number. */
    async sealsAfter(number: FactNumber, limit: number) {
      const rows = await db
        .selectFrom('seals')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return withReopenings(rows);
    },

    /** @throws {ContentError} if the stored bytes were altered */
    async sealFlows(seq: number) {
      const row = await db
        .selectFrom('sealFlows')
        .select(['content', 'checksum'])
        .where('seq', '=', seq)
        .executeTakeFirst();
      if (row === undefined || sha256(row.content) !== row.checksum) throw damagedContent();
      return row.content;
    },

    /**
     * Writes a seal and the close in the trail, unless the record store has facts after `head`,
     * which the seal would not cover, or the work on the period has changed.
     * @param close receives the seal's position and SHA-256 in its detail
     * @returns undefined in these cases @throws {LeaseLostError}
     */
    writeSeal: (
      fence: Fence,
      { flows, days, ...seal }: NewSeal,
      head: FactNumber,
      close: Omit<NewDecision, 'period' | 'detail'>,
    ): Promise<SealFact | undefined> =>
      unlessMoved(
        db.transaction().execute(async (tx) => {
          const number = await advance(tx, fence, 1);
          if (number !== head + 1) throw new HasMoved();
          const last = await tx
            .selectFrom('seals')
            .select('seq')
            .orderBy('seq', 'desc')
            .limit(1)
            .executeTakeFirst();
          const row = { ...seal, seq: (last?.seq ?? 0) + 1, number };
          await tx.insertInto('seals').values(row).execute();
          const { seq } = row;
          await tx
            .insertInto('sealFlows')
            .values({ seq, content: flows, checksum: sha256(flows) })
            .execute();
          for (const day of days) {
            await tx
              .insertInto('sealedDays')
              .values(day)
              .onConflict((conflict) => conflict.doNothing())
              .execute();
          }
          const hash = sha256(seal.body);
          const detail = { seq, seal: hash };
          await record(tx, 'done', { ...close, period: seal.period, detail });
          return { ...row, hash, reopened: undefined };
        }),
      ),

    /**
     * Reopens the last seal, and records this in the trail.
     * @returns undefined if the work on the period has changed @throws {LeaseLostError}
     */
    reopenSeal: (fence: Fence, seq: number, decision: NewDecision) =>
      unlessMoved(
        db.transaction().execute(async (tx) => {
          const number = await advance(tx, fence, 1);
          await tx.updateTable('seals').set({ number }).where('seq', '=', seq).execute();
          await record(tx, 'done', decision);
          return number;
        }),
      ),

    /** Returns the SHA-256 of each day's stored content. */
    async contentChecksums() {
      const rows = await db.selectFrom('dayContents').select(['day', 'checksum']).execute();
      return new Map(rows.map(({ day, checksum }) => [day, checksum]));
    },

    /**
     * Returns a day's content by its SHA-256, whether current or kept for a seal, without verifying
     * it.
     */
    async sealedContent(day: string, checksum: string) {
      const of = (table: 'dayContents' | 'sealedContents') =>
        db
          .selectFrom(table)
          .select('content')
          .where('day', '=', day)
          .where('checksum', '=', checksum)
          .executeTakeFirst();
      return ((await of('dayContents')) ?? (await of('sealedContents')))?.content;
    },
  };
}

/** Keeps the content of a sealed day before it is replaced. */
export async function keepSealedContent(tx: Kysely<FactTables>, day: string): Promise<void> {
  await tx
    .insertInto('sealedContents')
    .columns(['day', 'checksum', 'content'])
    .expression(
      tx
        .selectFrom('dayContents as c')
        .innerJoin('sealedDays as s', (join) =>
          join.onRef('s.day', '=', 'c.day').onRef('s.checksum', '=', 'c.checksum'),
        )
        .select(['c.day', 'c.checksum', 'c.content'])
        .where('c.day', '=', day),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
