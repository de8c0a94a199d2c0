import { applyPending, type StoreSchema } from '@financing-checkout/kit/sql';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { randomUUID } from 'node:crypto';
import { GENESIS } from './chain.ts';
import {
  originOfImports,
  baseline,
  dayContentsTable,
  type DatabaseKind,
  daysTable,
  decisionsInTrail,
  endedSessionsTable,
  type FactTables,
  mentionsOfCases,
  mergedCases,
  snoozedCases,
  startOfCases,
  tablesOfJournals,
  tablesOfPeople,
  tableOfSessions,
  tablesOfPeriods,
  trailOfActions,
} from './schema.ts';

/**
 * Returns the migrations of the record store. A released migration never changes; new ones are
 * added.
 */
const migrationsOf = (kind: DatabaseKind): StoreSchema['migrations'] => ({
  '0001-baseline': baselineOf(kind),
  '0002-actions': actionsOf(kind),
  '0003-ended-sessions': {
    up: async (own) => void (await sql.raw(endedSessionsTable(kind)).execute(own)),
  },
  '0004-import-origins': {
    async up(db: Kysely<FactTables>) {
      for (const statement of originOfImports(kind)) await sql.raw(statement).execute(db);
    },
  },
  '0005-day-contents': {
    up: async (own) => void (await sql.raw(dayContentsTable(kind)).execute(own)),
  },
  '0006-days-beside-older': {
    up: async (own) => void (await sql.raw(daysTable(kind)).execute(own)),
  },
  '0007-start-of-cases': {
    up: async (own) => void (await sql.raw(startOfCases(kind)).execute(own)),
  },
  '0008-snoozed-cases': {
    async up(db: Kysely<FactTables>) {
      for (const statement of snoozedCases(kind)) await sql.raw(statement).execute(db);
    },
  },
  '0009-mentions-of-cases': {
    up: async (own) => void (await sql.raw(mentionsOfCases(kind)).execute(own)),
  },
  '0010-periods': {
    async up(db: Kysely<FactTables>) {
      for (const statement of tablesOfPeriods(kind)) await sql.raw(statement).execute(db);
    },
  },
  '0011-merged-cases': {
    async up(db: Kysely<FactTables>) {
      for (const statement of mergedCases(kind)) await sql.raw(statement).execute(db);
    },
  },
  '0012-journals': {
    async up(db: Kysely<FactTables>) {
      for (const statement of tablesOfJournals(kind)) await sql.raw(statement).execute(db);
    },
  },
  '0013-people': {
    async up(db: Kysely<FactTables>) {
      for (const statement of tablesOfPeople(kind)) await sql.raw(statement).execute(db);
    },
  },
  '0014-decisions-in-trail': {
    async up(db: Kysely<FactTables>) {
      for (const statement of decisionsInTrail(kind)) await sql.raw(statement).execute(db);
    },
  },
  '0015-sessions': {
    async up(db: Kysely<FactTables>) {
      for (const statement of tableOfSessions(kind)) await sql.raw(statement).execute(db);
    },
  },
});

/** Returns the supported versions of the record store. */
export const schemaOf = (kind: DatabaseKind): StoreSchema => ({
  migrations: migrationsOf(kind),
  program: 'financing-reconcile',
  oldest: '0006-days-beside-older',
  replacement:
    'name a new, empty store in RECONCILIATION_STORE, sync, and import the ledgers again',
});

/** Migrates the record store. @throws {StoreVersionError} */
export async function migrate(db: Kysely<FactTables>, kind: DatabaseKind): Promise<void> {
  await applyPending(db, schemaOf(kind));
}

function baselineOf(kind: DatabaseKind): Migration {
  return {
    async up(db: Kysely<FactTables>) {
      for (const statement of baseline(kind)) await sql.raw(statement).execute(db);
      await db
        .insertInto('fact_head')
        .values({
          one: 1,
          store_id: randomUUID(),
          last_number: 0,
          fence: 0,
          holder: '',
          address: null,
          until: 0,
        })
        .execute();
      await db
        .insertInto('case_chain')
        .values({ one: 1, last_seq: 0, last_hash: GENESIS })
        .execute();
    },
  };
}

function actionsOf(kind: DatabaseKind): Migration {
  return {
    async up(db: Kysely<FactTables>) {
      for (const statement of trailOfActions(kind)) await sql.raw(statement).execute(db);
      await db
        .insertInto('action_chain')
        .values({ one: 1, last_seq: 0, last_hash: GENESIS })
        .execute();
    },
  };
}
