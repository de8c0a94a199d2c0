import type { Kysely, Selectable } from 'kysely';
import { sha256 } from '../platform/digest.ts';
import { damagedContent } from './content.ts';
import { advance } from './head.ts';
import type { FactTables } from './schema.ts';
import {
  decisionSchema,
  type PeriodFacts,
  type PeriodWork,
  type SealFact,
  workSchema,
} from './period-facts.ts';

/** Ends the transaction of a seal without writing. */
class HasMoved extends Error {}

export function periodFacts(db: Kysely<FactTables>): PeriodFacts {
  const writeWork = ({ id, ...work }: PeriodWork, tx: Kysely<FactTables> = db) => {
    const row = { work: JSON.stringify(work) };
    return tx
      .insertInto('period_work')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  };
  return {
    async periodWork() {
      const rows = await db.selectFrom('period_work').selectAll().orderBy('id').execute();
      return rows.map(({ id, work }) => workSchema.parse({ ...JSON.parse(work), id }));
    },

    writePeriodWork: (fence, work) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await writeWork(work, tx);
      }),

    async seals() {
      const rows = await db.selectFrom('seals').selectAll().orderBy('seq').execute();
      return rows.map(toSeal);
    },

    async sealsAfter(number, limit) {
      const rows = await db
        .selectFrom('seals')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(toSeal);
    },

    async sealFlows(seq) {
      const row = await db
        .selectFrom('seal_flows')
        .select(['content', 'checksum'])
        .where('seq', '=', seq)
        .executeTakeFirst();
      if (row === undefined || sha256(row.content) !== row.checksum) throw damagedContent();
      return row.content;
    },

    writeSeal: (fence, { flows, days, ...seal }, head) =>
      db
        .transaction()
        .execute(async (tx) => {
          const number = await advance(tx, fence, 1);
          if (number !== head + 1) throw new HasMoved();
          const last = await tx
            .selectFrom('seals')
            .select('seq')
            .orderBy('seq', 'desc')
            .limit(1)
            .executeTakeFirst();
          const row = { ...seal, seq: (last?.seq ?? 0) + 1, number };
          await tx
            .insertInto('seals')
            .values({ ...row, reopened: null })
            .execute();
          const { seq } = row;
          await tx
            .insertInto('seal_flows')
            .values({ seq, content: flows, checksum: sha256(flows) })
            .execute();
          for (const day of days) {
            await tx
              .insertInto('sealed_days')
              .values(day)
              .onConflict((conflict) => conflict.doNothing())
              .execute();
          }
          await writeWork({ id: seal.period, accepted: {} }, tx);
          return { ...row, reopened: undefined };
        })
        .catch((error: unknown) => {
          if (error instanceof HasMoved) return undefined;
          throw error;
        }),

    reopenSeal: (fence, seq, reopened) =>
      db.transaction().execute(async (tx) => {
        const number = await advance(tx, fence, 1);
        const row = { number, reopened: JSON.stringify(reopened) };
        const { period } = await tx
          .updateTable('seals')
          .set(row)
          .where('seq', '=', seq)
          .returning('period')
          .executeTakeFirstOrThrow();
        await writeWork({ id: period, accepted: {} }, tx);
        return number;
      }),

    async contentChecksums() {
      const rows = await db.selectFrom('day_contents').select(['day', 'checksum']).execute();
      return new Map(rows.map(({ day, checksum }) => [day, checksum]));
    },

    async sealedContent(day, checksum) {
      const of = (table: 'day_contents' | 'sealed_contents') =>
        db
          .selectFrom(table)
          .select('content')
          .where('day', '=', day)
          .where('checksum', '=', checksum)
          .executeTakeFirst();
      return ((await of('day_contents')) ?? (await of('sealed_contents')))?.content;
    },
  };
}

/** Keeps the content of a day that a seal covers, before it is replaced. */
export async function keepSealedContent(tx: Kysely<FactTables>, day: string): Promise<void> {
  await tx
    .insertInto('sealed_contents')
    .columns(['day', 'checksum', 'content'])
    .expression(
      tx
        .selectFrom('day_contents as c')
        .innerJoin('sealed_days as s', (join) =>
          join.onRef('s.day', '=', 'c.day').onRef('s.checksum', '=', 'c.checksum'),
        )
        .select(['c.day', 'c.checksum', 'c.content'])
        .where('c.day', '=', day),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function toSeal({ reopened, ...row }: Selectable<FactTables['seals']>): SealFact {
  return {
    ...row,
    reopened: reopened === null ? undefined : decisionSchema.parse(JSON.parse(reopened)),
  };
}
