import { type Kysely, sql } from 'kysely';
import { sha256 } from '../platform/digest.ts';
import { alertFacts } from './alert-store.ts';
import { caseReader, caseWriter, toCase } from './case-store.ts';
import { damagedContent } from './content.ts';
import { advance, leases } from './head.ts';
import { journalFacts } from './journal-store.ts';
import { peopleFacts } from './people.ts';
import { keepSealedContent, periodFacts } from './period-store.ts';
import { sessionFacts } from './sessions.ts';
import { fromDay, fromRun, toDay, toImport, toListedImport, toOrigin, toRun } from './rows.ts';
import type { FactTables } from './schema.ts';
import { type FactStore, type SyncRun, withdrawalIdOf } from './store.ts';
import { trailFacts } from './trail.ts';

/** Creates the record store of a migrated database. */
export async function createFactStore(db: Kysely<FactTables>): Promise<FactStore> {
  const head = () =>
    db.selectFrom('fact_head').select(['store_id', 'last_number']).executeTakeFirstOrThrow();
  const { store_id: id } = await head();

  const writeRun = (tx: Kysely<FactTables>, run: SyncRun) => {
    const { id: runId, ...row } = fromRun(run);
    return tx
      .insertInto('sync_runs')
      .values({ id: runId, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  };

  const writeContent = async (tx: Kysely<FactTables>, day: string, content: Uint8Array) => {
    const row = { content, checksum: sha256(content) };
    await keepSealedContent(tx, day);
    await tx
      .insertInto('day_contents')
      .values({ day, ...row })
      .onConflict((conflict) => conflict.column('day').doUpdateSet(row))
      .execute();
  };

  const boundTo = async () => {
    const row = await db.selectFrom('fact_head').select('environment').executeTakeFirstOrThrow();
    return row.environment ?? undefined;
  };
  /** A withdrawal by file has the digest of that file. One by ID has its own ID. */
  const listedImports = () =>
    db
      .selectFrom('ledger_imports as i')
      .selectAll('i')
      .select(
        sql<number>`case when i.action = 'add' and exists (
          select 1 from ledger_imports w where w.action = 'withdraw' and (
            w.id = i.id || ${withdrawalIdOf('')}
            or (w.digest = i.digest and w.number > i.number
              and w.id not like ${`%${withdrawalIdOf('')}`}))) then 1 else 0 end`.as(
          'is_withdrawn',
        ),
      );
  return {
    id,
    head: async () => (await head()).last_number,

    async bindEnvironment(environment) {
      await db
        .updateTable('fact_head')
        .set({ environment })
        .where('environment', 'is', null)
        .execute();
      return (await boundTo()) ?? environment;
    },

    environment: boundTo,

    ...leases(db),
    ...caseReader(db),
    ...alertFacts(db),
    ...trailFacts(db),
    ...peopleFacts(db),
    ...sessionFacts(db),
    ...periodFacts(db),
    ...journalFacts(db),

    async days(from, to) {
      let query = db.selectFrom('days').selectAll();
      if (from !== undefined) query = query.where('day', '>=', from);
      if (to !== undefined) query = query.where('day', '<=', to);
      return (await query.orderBy('day').execute()).map(toDay);
    },

    async daysAfter(number, limit) {
      const rows = await db
        .selectFrom('days')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(toDay);
    },

    async content(day) {
      const row = await db
        .selectFrom('day_contents')
        .select(['content', 'checksum'])
        .where('day', '=', day)
        .executeTakeFirst();
      if (row !== undefined && sha256(row.content) !== row.checksum) throw damagedContent();
      return row?.content;
    },

    writeDay: (fence, day, change, run) =>
      db.transaction().execute(async (tx) => {
        const number = await advance(tx, fence, 1);
        const row = fromDay({ ...day, number });
        await tx
          .insertInto('days')
          .values(row)
          .onConflict((conflict) => conflict.column('day').doUpdateSet(row))
          .execute();
        if (change !== undefined) {
          const { content, superseded } = change;
          await writeContent(tx, day.day, content);
          if (superseded !== undefined) {
            if (day.provenAt === undefined) {
              throw new TypeError('Only a proven day may replace content.');
            }
            await tx
              .insertInto('superseded_contents')
              .values({
                day: day.day,
                number,
                replaced_at: day.provenAt,
                count: superseded.count,
                sha256: superseded.digest,
                content: superseded.content,
              })
              .execute();
          }
        }
        if (run !== undefined) await writeRun(tx, run);
        return number;
      }),

    async superseded(day) {
      const rows = await db
        .selectFrom('superseded_contents')
        .selectAll()
        .where('day', '=', day)
        .orderBy('number')
        .execute();
      return rows.map(({ replaced_at: replacedAt, sha256: digest, ...row }) => ({
        ...row,
        replacedAt,
        digest,
      }));
    },

    removeSuperseded: (fence, before) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const { numDeletedRows } = await tx
          .deleteFrom('superseded_contents')
          .where('replaced_at', '<', before)
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),

    writeSync: (fence, run) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await writeRun(tx, run);
      }),

    async sync(runId) {
      const row = await db
        .selectFrom('sync_runs')
        .selectAll()
        .where('id', '=', runId)
        .executeTakeFirst();
      return row && toRun(row);
    },

    async syncs(limit, before) {
      let query = db.selectFrom('sync_runs').selectAll();
      if (before !== undefined) {
        query = query.where(
          sql<boolean>`(started_at, id) < (select started_at, id from sync_runs where id = ${before})`,
        );
      }
      const rows = await query
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toRun);
    },

    writeImports: (fence, imports) =>
      db.transaction().execute(async (tx) => {
        const last = await advance(tx, fence, imports.length);
        for (const [at, one] of imports.entries()) {
          const { actor = null, origin, ...row } = one.fact;
          const number = last - imports.length + 1 + at;
          await tx
            .insertInto('ledger_imports')
            .values({
              ...row,
              actor,
              number,
              origin: origin?.source ?? null,
              origin_stated: origin ? Number(origin.isStated) : null,
              file_columns: origin?.columns ?? null,
              period_from: origin?.from ?? null,
              period_to: origin?.to ?? null,
            })
            .execute();
          const { content } = one;
          await tx.insertInto('ledger_import_contents').values({ id: row.id, content }).execute();
        }
        return last;
      }),

    async importsAfter(number, limit) {
      const rows = await db
        .selectFrom('ledger_imports')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(toImport);
    },

    async imports(limit, before) {
      let query = listedImports();
      if (before !== undefined) query = query.where('i.number', '<', before);
      return (await query.orderBy('i.number', 'desc').limit(limit).execute()).map(toListedImport);
    },

    async importsInPeriod(from, to) {
      const rows = await db
        .selectFrom('ledger_imports')
        .selectAll()
        .where('action', '=', 'add')
        .where('period_from', '<=', to)
        .where('period_to', '>=', from)
        .orderBy('number')
        .execute();
      return rows.flatMap((row) => {
        const origin = toOrigin(row);
        return origin === undefined ? [] : [{ id: row.id, origin }];
      });
    },

    async importOf(importId) {
      const row = await listedImports().where('i.id', '=', importId).executeTakeFirst();
      return row && toListedImport(row);
    },

    async importContent(importId) {
      const row = await db
        .selectFrom('ledger_import_contents')
        .select('content')
        .where('id', '=', importId)
        .executeTakeFirstOrThrow();
      return row.content;
    },

    async casesAfter(number, limit) {
      const rows = await db
        .selectFrom('cases')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(toCase);
    },

    changeCases: (fence, work) =>
      db.transaction().execute(async (tx) => {
        // Excludes all other writers while `work` reads the cases that its changes are based on.
        await advance(tx, fence, 0);
        return work(caseWriter(tx, (facts) => advance(tx, fence, facts)));
      }),

    close: () => db.destroy(),
  };
}
