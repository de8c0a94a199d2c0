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
import { days, type FactTables, ledgerImports, type SyncRun, syncRuns } from './schema.ts';
import { type FactStore, withdrawalIdOf } from './store.ts';
import { trailFacts } from './trail.ts';

/** Creates the record store on a migrated database. */
export async function createFactStore(db: Kysely<FactTables>): Promise<FactStore> {
  const head = () =>
    db.selectFrom('factHead').select(['storeId', 'lastNumber']).executeTakeFirstOrThrow();
  const { storeId: id } = await head();

  const writeRun = (tx: Kysely<FactTables>, run: SyncRun) => {
    const { id: runId, ...row } = syncRuns.write(run);
    return tx
      .insertInto('syncRuns')
      .values({ id: runId, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  };

  const writeContent = async (tx: Kysely<FactTables>, day: string, content: Uint8Array) => {
    const row = { content, checksum: sha256(content) };
    await keepSealedContent(tx, day);
    await tx
      .insertInto('dayContents')
      .values({ day, ...row })
      .onConflict((conflict) => conflict.column('day').doUpdateSet(row))
      .execute();
  };

  const boundTo = async () => {
    const row = await db.selectFrom('factHead').select('environment').executeTakeFirstOrThrow();
    return row.environment;
  };
  /** A withdrawal by file has the digest of that file. A withdrawal by ID has its own ID. */
  const listedImports = () =>
    db
      .selectFrom('ledgerImports as i')
      .selectAll('i')
      .select(
        sql<number>`case when i.action = 'add' and exists (
          select 1 from ledger_imports w where w.action = 'withdraw' and (
            w.id = i.id || ${withdrawalIdOf('')}
            or (w.digest = i.digest and w.number > i.number
              and w.id not like ${`%${withdrawalIdOf('')}`}))) then 1 else 0 end`.as('isWithdrawn'),
      );
  const listed = ({
    isWithdrawn,
    ...row
  }: Awaited<ReturnType<ReturnType<typeof listedImports>['execute']>>[number]) => ({
    ...ledgerImports.read(row),
    isWithdrawn: isWithdrawn === 1,
  });
  return {
    id,
    head: async () => (await head()).lastNumber,

    async bindEnvironment(environment) {
      await db
        .updateTable('factHead')
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
      return (await query.orderBy('day').execute()).map(days.read);
    },

    async daysAfter(number, limit) {
      const rows = await db
        .selectFrom('days')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(days.read);
    },

    async content(day) {
      const row = await db
        .selectFrom('dayContents')
        .select(['content', 'checksum'])
        .where('day', '=', day)
        .executeTakeFirst();
      if (row !== undefined && sha256(row.content) !== row.checksum) throw damagedContent();
      return row?.content;
    },

    writeDay: (fence, day, change, run) =>
      db.transaction().execute(async (tx) => {
        const number = await advance(tx, fence, 1);
        const row = days.write({ ...day, number });
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
              .insertInto('supersededContents')
              .values({ ...superseded, day: day.day, number, replacedAt: day.provenAt })
              .execute();
          }
        }
        if (run !== undefined) await writeRun(tx, run);
        return number;
      }),

    superseded: (day) =>
      db
        .selectFrom('supersededContents')
        .selectAll()
        .where('day', '=', day)
        .orderBy('number')
        .execute(),

    removeSuperseded: (fence, before) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const { numDeletedRows } = await tx
          .deleteFrom('supersededContents')
          .where('replacedAt', '<', before)
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
        .selectFrom('syncRuns')
        .selectAll()
        .where('id', '=', runId)
        .executeTakeFirst();
      return row && syncRuns.read(row);
    },

    async syncs(limit, before) {
      let query = db.selectFrom('syncRuns').selectAll();
      if (before !== undefined) {
        query = query.where(
          sql<boolean>`(started_at, id) < (select started_at, id from sync_runs where id = ${before})`,
        );
      }
      const rows = await query
        .orderBy('startedAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(syncRuns.read);
    },

    writeImports: (fence, imports) =>
      db.transaction().execute(async (tx) => {
        const last = await advance(tx, fence, imports.length);
        for (const [at, one] of imports.entries()) {
          const row = ledgerImports.write({
            ...one.fact,
            number: last - imports.length + 1 + at,
          });
          await tx.insertInto('ledgerImports').values(row).execute();
          const { content } = one;
          await tx.insertInto('ledgerImportContents').values({ id: row.id, content }).execute();
        }
        return last;
      }),

    async importsAfter(number, limit) {
      const rows = await db
        .selectFrom('ledgerImports')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(ledgerImports.read);
    },

    async imports(limit, before) {
      let query = listedImports();
      if (before !== undefined) query = query.where('i.number', '<', before);
      return (await query.orderBy('i.number', 'desc').limit(limit).execute()).map(listed);
    },

    async importsInPeriod(from, to) {
      const rows = await db
        .selectFrom('ledgerImports')
        .selectAll()
        .where('action', '=', 'add')
        .where('periodFrom', '<=', to)
        .where('periodTo', '>=', from)
        .orderBy('number')
        .execute();
      return rows.flatMap((row) => {
        const { origin } = ledgerImports.read(row);
        return origin === undefined ? [] : [{ id: row.id, origin }];
      });
    },

    async importOf(importId) {
      const row = await listedImports().where('i.id', '=', importId).executeTakeFirst();
      return row && listed(row);
    },

    async importContent(importId) {
      const row = await db
        .selectFrom('ledgerImportContents')
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
