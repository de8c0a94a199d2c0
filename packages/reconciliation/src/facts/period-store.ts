import type { Kysely, Transaction } from 'kysely';
import { sha256 } from '../platform/digest.ts';
import { damagedContent } from './content.ts';
import { advance } from './head.ts';
import { foldDecisions, periodKinds } from './period-decisions.ts';
import { type FactTables, type SealRow, trail } from './schema.ts';
import {
  type DecisionOutcome,
  decisionOutcomes,
  type NewDecision,
  type PeriodDecisions,
  type PeriodFacts,
  type SealFact,
} from './period-facts.ts';
import { appendEnd } from './trail.ts';

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

export function periodFacts(db: Kysely<FactTables>): PeriodFacts {
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

    async decide(fence, outcome, decision) {
      const written = db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await record(tx, outcome, decision);
        return true;
      });
      return (await unlessMoved(written)) ?? false;
    },

    async seals() {
      return withReopenings(await db.selectFrom('seals').selectAll().orderBy('seq').execute());
    },

    async sealsAfter(number, limit) {
      const rows = await db
        .selectFrom('seals')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return withReopenings(rows);
    },

    async sealFlows(seq) {
      const row = await db
        .selectFrom('sealFlows')
        .select(['content', 'checksum'])
        .where('seq', '=', seq)
        .executeTakeFirst();
      if (row === undefined || sha256(row.content) !== row.checksum) throw damagedContent();
      return row.content;
    },

    writeSeal: (fence, { flows, days, ...seal }, head, close) =>
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

    reopenSeal: (fence, seq, decision) =>
      unlessMoved(
        db.transaction().execute(async (tx) => {
          const number = await advance(tx, fence, 1);
          await tx.updateTable('seals').set({ number }).where('seq', '=', seq).execute();
          await record(tx, 'done', decision);
          return number;
        }),
      ),

    async contentChecksums() {
      const rows = await db.selectFrom('dayContents').select(['day', 'checksum']).execute();
      return new Map(rows.map(({ day, checksum }) => [day, checksum]));
    },

    async sealedContent(day, checksum) {
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
