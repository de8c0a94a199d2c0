import type { Environment } from '@financing-checkout/contract/storefront';
import { type Kysely, sql } from 'kysely';
import { sha256 } from '../platform/digest.ts';
import { alertFacts } from './alert-facts.ts';
import { caseReader, type CaseWriter, caseWriter, toCase } from './case-facts.ts';
import { damagedContent } from './content.ts';
import { advance, type Fence, leases } from './head.ts';
import { journalFacts } from './journal-facts.ts';
import { peopleFacts } from './people.ts';
import { keepSealedContent, periodFacts } from './period-facts.ts';
import { sessionFacts } from './sessions.ts';
import {
  days,
  type FactNumber,
  type FactTables,
  type FundingDay,
  type ImportOrigin,
  type LedgerImportFact,
  ledgerImports,
  type SupersededContent,
  type SyncRun,
  syncRuns,
} from './schema.ts';
import { trailFacts } from './trail.ts';

export { type Fence, type LeaseHolder, LeaseLostError } from './head.ts';
export type {
  DayState,
  FactNumber,
  FundingDay,
  ImportOrigin,
  LedgerImportFact,
  SupersededContent,
  SyncRun,
} from './schema.ts';

export interface NewImport {
  fact: Omit<LedgerImportFact, 'number'>;
  /** Compressed NDJSON of the lines that take effect. */
  content: Uint8Array;
}

export interface ListedImportFact extends LedgerImportFact {
  /** Whether the import, or a file with the same content, was later withdrawn. */
  isWithdrawn: boolean;
}

/** Returns the id of an import's withdrawal. An import can be withdrawn only once. */
export function withdrawalIdOf(importId: string): string {
  return `${importId}.withdrawal`;
}

/**
 * The record store: data that cannot be recomputed, numbered in one sequence. Behaves the same on
 * SQLite and PostgreSQL. Reads require no lease. Each write presents its fencing token in the same
 * transaction, except for people, sessions and trail entries other than case events, from which no
 * data derives.
 */
export type FactStore = Awaited<ReturnType<typeof createFactStore>> & {
  /**
   * Reads the database server's clock, which all processes share, in milliseconds since 1970. A
   * SQLite file has none: its processes share their machine's clock.
   */
  serverTime?(): Promise<number>;
};

/** Creates the record store on a migrated database. */
export async function createFactStore(db: Kysely<FactTables>) {
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

  const boundTo = async (): Promise<string | undefined> => {
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
  }: Awaited<
    ReturnType<ReturnType<typeof listedImports>['execute']>
  >[number]): ListedImportFact => ({
    ...ledgerImports.read(row),
    isWithdrawn: isWithdrawn === 1,
  });
  return {
    /** Random id of the store; an analytics file of another store is rejected. */
    id,
    /** Number of the last fact. */
    head: async () => (await head()).lastNumber,

    /**
     * Binds the facts to an environment of the service and returns it; the first binding is
     * permanent. Facts from two environments in one store would be added together.
     */
    async bindEnvironment(environment: Environment) {
      await db
        .updateTable('factHead')
        .set({ environment })
        .where('environment', 'is', null)
        .execute();
      return (await boundTo()) ?? environment;
    },

    /** Returns the environment of the facts; undefined: no process has started with the store yet. */
    environment: boundTo,

    ...leases(db),
    ...caseReader(db),
    ...alertFacts(db),
    ...trailFacts(db),
    ...peopleFacts(db),
    ...sessionFacts(db),
    ...periodFacts(db),
    ...journalFacts(db),

    /** Returns days, oldest first. */
    async days(from?: string, to?: string): Promise<FundingDay[]> {
      let query = db.selectFrom('days').selectAll();
      if (from !== undefined) query = query.where('day', '>=', from);
      if (to !== undefined) query = query.where('day', '<=', to);
      return (await query.orderBy('day').execute()).map(days.read);
    },

    /** Returns days whose facts have higher numbers, sorted by number. */
    async daysAfter(number: FactNumber, limit: number): Promise<FundingDay[]> {
      const rows = await db
        .selectFrom('days')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(days.read);
    },

    /**
     * Returns a day's content, in Parquet; undefined if there is none.
     * @throws {ContentError} if the stored bytes were altered
     */
    async content(day: string) {
      const row = await db
        .selectFrom('dayContents')
        .select(['content', 'checksum'])
        .where('day', '=', day)
        .executeTakeFirst();
      if (row !== undefined && sha256(row.content) !== row.checksum) throw damagedContent();
      return row?.content;
    },

    /**
     * Writes a day's state, and its content and superseded records if they changed.
     * @returns the number of the fact @throws {LeaseLostError}
     */
    writeDay: (
      fence: Fence,
      day: Omit<FundingDay, 'number'>,
      change?: {
        content: Uint8Array;
        superseded?: { count: number; digest: string; content: Uint8Array } | undefined;
      },
      run?: SyncRun,
    ) =>
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

    superseded: (day: string): Promise<SupersededContent[]> =>
      db
        .selectFrom('supersededContents')
        .selectAll()
        .where('day', '=', day)
        .orderBy('number')
        .execute(),

    /**
     * Removes superseded contents that were replaced before the given time.
     * @returns the number of removed contents @throws {LeaseLostError}
     */
    removeSuperseded: (fence: Fence, before: number) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const { numDeletedRows } = await tx
          .deleteFrom('supersededContents')
          .where('replacedAt', '<', before)
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),

    writeSync: (fence: Fence, run: SyncRun) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await writeRun(tx, run);
      }),

    async sync(runId: string): Promise<SyncRun | undefined> {
      const row = await db
        .selectFrom('syncRuns')
        .selectAll()
        .where('id', '=', runId)
        .executeTakeFirst();
      return row && syncRuns.read(row);
    },

    /** Newest first. */
    async syncs(limit: number, before?: string): Promise<SyncRun[]> {
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

    /**
     * Writes imports in the given order, in one transaction, because a correction withdraws lines
     * and adds others.
     * @returns the number of the last import @throws {LeaseLostError}
     */
    writeImports: (fence: Fence, imports: readonly NewImport[]) =>
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

    async importsAfter(number: FactNumber, limit: number): Promise<LedgerImportFact[]> {
      const rows = await db
        .selectFrom('ledgerImports')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(ledgerImports.read);
    },

    /** Returns imports, newest first. @param before number of the last import on the previous page */
    async imports(limit: number, before?: FactNumber) {
      let query = listedImports();
      if (before !== undefined) query = query.where('i.number', '<', before);
      return (await query.orderBy('i.number', 'desc').limit(limit).execute()).map(listed);
    },

    /** Returns the imports that have a source and whose period overlaps the given one, oldest first. */
    async importsInPeriod(
      from: number,
      to: number,
    ): Promise<{ id: string; origin: ImportOrigin }[]> {
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

    async importOf(importId: string) {
      const row = await listedImports().where('i.id', '=', importId).executeTakeFirst();
      return row && listed(row);
    },

    async importContent(importId: string) {
      const row = await db
        .selectFrom('ledgerImportContents')
        .select('content')
        .where('id', '=', importId)
        .executeTakeFirstOrThrow();
      return row.content;
    },

    /** Returns cases whose last change has a higher number, sorted by number. */
    async casesAfter(number: FactNumber, limit: number) {
      const rows = await db
        .selectFrom('cases')
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(toCase);
    },

    /**
     * Runs `work` in a transaction that excludes all other writers. Each case that `work` writes is
     * one fact. `work` must not write other facts, or it would deadlock.
     * @throws {LeaseLostError}
     */
    changeCases: <Result>(fence: Fence, work: (cases: CaseWriter) => Promise<Result>) =>
      db.transaction().execute(async (tx) => {
        // Excludes all other writers while `work` reads the cases that its changes are based on.
        await advance(tx, fence, 0);
        return work(caseWriter(tx, (facts) => advance(tx, fence, facts)));
      }),

    close: () => db.destroy(),
  };
}
