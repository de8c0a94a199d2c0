import {
  bytes,
  choice,
  Column,
  flag,
  type KyselyTables,
  migrationsOf,
  moment,
  type Row,
  type StoreSchema,
  table,
  TableRows,
  text,
  whole,
} from '@financing-checkout/kit/sql';
import { FOLD_VERSION } from '@financing-checkout/reconciliation-rules';
import type { Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';

/** A person at an OpenID provider. The subject is stable and never reassigned. */
export interface PersonKey {
  issuer: string;
  subject: string;
}

/** The previous hash of the trail's first event. */
export const GENESIS = '0'.repeat(64);

/**
 * Returns an event's detail. Ignores one that is not a JSON object: it was altered, and the event's
 * hash reveals that.
 */
export function readDetail(detail: string): object {
  try {
    const value: unknown = JSON.parse(detail);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Position of a fact in the store's single sequence. */
export type FactNumber = number;
const factNumber = whole;
/** Key of a table with only one row. */
const one = () => whole().key().check('one = 1');
/** A JSON array of issuer and subject. An altered value reads as empty texts; the event's hash reveals it. */
const person = () =>
  new Column<PersonKey, string, false>({
    storage: 'text',
    decode(stored) {
      const [issuer = '', subject = ''] = Object.values(readDetail(stored)).map(String);
      return { issuer, subject };
    },
    encode: ({ issuer, subject }) => JSON.stringify([issuer, subject]),
  });

const factHead = table('factHead', {
  one: one(),
  storeId: text(),
  lastNumber: factNumber(),
  fence: whole(),
  holder: text(),
  address: text().optional(),
  until: moment(),
  environment: text().optional(),
});

/**
 * States of funding days. Their contents are separate, so that a state change does not rewrite
 * them.
 */
export const days = table('days', {
  /** `2026-01-31`, a day of `zone`. */
  day: text().key(),
  number: factNumber().unique(),
  state: choice(['complete', 'stale', 'unproven', 'failed']),
  reason: text().optional(),
  zone: text(),
  syncId: text(),
  passes: whole(),
  pages: whole(),
  overlaps: whole(),
  /** Number of records, and of those that the last change added, changed and removed. */
  count: whole(),
  changed: whole(),
  gone: whole(),
  /** Order-independent digest of the records; empty if the day was never proven. */
  digest: text(),
  /** Last time that the day was proven; undefined: never. */
  provenAt: moment().optional(),
});

const dayContents = table('dayContents', {
  day: text().key(),
  /** Parquet. */
  content: bytes(),
  checksum: text(),
});

/** Records that were removed or changed in a day, taken from replaced contents. */
const supersededContents = table(
  'supersededContents',
  {
    day: text().key(),
    /** Number of the fact that replaced them. */
    number: factNumber().key(),
    replacedAt: moment(),
    count: whole(),
    digest: text(),
    /** Parquet. */
    content: bytes(),
  },
  { indexes: { supersededByAge: ['replacedAt'] } },
);

export const ledgerImports = table(
  'ledgerImports',
  {
    id: text().key(),
    number: factNumber().unique(),
    action: choice(['add', 'withdraw']),
    source: choice(['import', 'api']),
    actor: text().optional(),
    /** SHA-256 of the original file, in hexadecimal. */
    digest: text(),
    /** Number of lines that took effect: added or withdrawn. */
    count: whole(),
    at: moment(),
    /** Source stated by the person, or derived from the file name. */
    origin: text().optional(),
    originStated: flag().optional(),
    /** SHA-256 of the file's column names. */
    fileColumns: text().optional(),
    /** Inclusive. */
    periodFrom: moment().optional(),
    periodTo: moment().optional(),
  },
  {
    groups: {
      /**
       * Undefined for a withdrawal and for lines sent by a program. A later file with the same
       * source and an overlapping period corrects the import.
       */
      origin: {
        source: 'origin',
        isStated: 'originStated',
        columns: 'fileColumns',
        from: 'periodFrom',
        to: 'periodTo',
      },
    },
  },
);

const ledgerImportContents = table('ledgerImportContents', { id: text().key(), content: bytes() });

export const syncRuns = table(
  'syncRuns',
  {
    id: text().key(),
    state: choice(['running', 'complete', 'partial', 'failed']),
    reason: text().optional(),
    fromDay: text(),
    toDay: text(),
    zone: text(),
    /** Whether the sync reads only days that are due because of their age. */
    tiers: flag(),
    startedAt: moment(),
    endedAt: moment().optional(),
    resumed: whole(),
    daysPlanned: whole(),
    daysDone: whole(),
    daysUnproven: whole(),
    records: whole(),
    changed: whole(),
    gone: whole(),
    quarantined: whole(),
  },
  { indexes: { syncRunsByAge: ['startedAt', 'id'] } },
);

/** All actions, byte for byte, because the hash of an event covers its bytes. */
export const trail = table(
  'trail',
  {
    /** Position in the trail, from 1. */
    seq: whole().key(),
    /** Number of a case event, which is a fact. Undefined: the event is not a fact. */
    number: factNumber().optional().unique(),
    at: moment(),
    /**
     * What the event is about: a case, a charge, an operation, a message, an import, a period, or a
     * name.
     */
    subject: text(),
    kind: text(),
    /** Name of the access token, followed by the person if the request names one. */
    actor: text(),
    /** The person who signed in. Undefined: a token's owner, whom `actor` names. */
    person: person().optional(),
    /** JSON. */
    detail: text(),
    /** For an outcome: the number of the event that began the action. */
    begun: whole().optional(),
    /** Outcome of an action: `done`, a state, or a problem code. */
    outcome: text().optional(),
    /** Idempotency-Key of the request. */
    key: text().optional().unique(),
    /** Hash of the previous event. */
    previous: text(),
    hash: text(),
  },
  {
    indexes: {
      trailBySubject: ['subject', 'seq'],
      trailByKind: ['kind', 'seq'],
      trailByBegun: { on: ['begun', 'seq'], where: 'begun is not null' },
    },
  },
);

/** The end of the trail, and the version of `fold` that built the cases. */
const trailHead = table('trailHead', { one: one(), seq: whole(), hash: text(), folded: whole() });

/**
 * Each case as its trail events determine it: a cache with columns for queries. Its values are not
 * checked, because verifying the trail compares them.
 */
export const cases = table(
  'cases',
  {
    id: text().key(),
    number: factNumber().unique(),
    orderKey: text(),
    currency: text(),
    code: text(),
    state: text(),
    assignee: text().optional(),
    /** 0 or 1. */
    alerted: whole(),
    mergedInto: text().optional(),
    /** Canonical JSON of the case. */
    body: text(),
  },
  {
    indexes: {
      casesByIdentity: { on: ['orderKey', 'currency', 'code'], isUnique: true },
      casesMerged: { on: ['mergedInto'], where: 'merged_into is not null' },
    },
  },
);

/** Messages to finance and their delivery states. */
export const alerts = table(
  'alerts',
  {
    id: text().key(),
    /** Empty if the message does not concern a case. */
    caseId: text(),
    body: text(),
    createdAt: moment(),
    tries: whole(),
    /** Undefined if the message was delivered or abandoned. */
    nextAttemptAt: moment().optional(),
    deliveredAt: moment().optional(),
    /** Reason for the last failure. */
    reason: text().optional(),
  },
  {
    indexes: { alertsDue: ['nextAttemptAt'] },
    work: { dueAt: 'nextAttemptAt', tries: 'tries' },
  },
);

/** Seals of closed periods. The trail states the SHA-256 of each body. */
const seals = table('seals', {
  /** Position among all seals, from 1. */
  seq: whole().key(),
  number: factNumber().unique(),
  period: text(),
  at: moment(),
  body: text(),
});

const sealFlows = table('sealFlows', { seq: whole().key(), content: bytes(), checksum: text() });

const sealedDays = table('sealedDays', { day: text().key(), checksum: text().key() });

/** Sealed contents that a sync has replaced. */
const sealedContents = table('sealedContents', {
  day: text().key(),
  checksum: text().key(),
  content: bytes(),
});

/** Journal exports, which never change. */
export const journals = table('journals', {
  /** Position, from 1. */
  seq: whole().key(),
  period: text(),
  format: text(),
  at: moment(),
  /** JSON of the API's `JournalExport`. */
  body: text(),
  /** JSON of the chart of accounts in effect. */
  chart: text(),
});

const journalContents = table('journalContents', {
  seq: whole().key(),
  part: choice(['file', 'postings']).key(),
  content: bytes(),
  checksum: text(),
});

const people = table('people', {
  issuer: text().key(),
  subject: text().key(),
  name: text(),
  folded: text().unique(),
});

/** Console sessions. A token's session has no person. */
export const sessions = table(
  'sessions',
  {
    /** Digest of the cookie's secret, so that a copy of the store gives no access to sessions. */
    id: text().key(),
    /** Name of the token, or the person's name in the trail. */
    name: text(),
    issuer: text().optional(),
    subject: text().optional(),
    /** The provider's ID for its own session (`sid`). */
    providerSession: text().optional(),
    /** Claim values from the provider that were mapped to scopes, as a JSON array. */
    roles: text().optional(),
    startedAt: moment(),
    idleEndsAt: moment(),
    endsAt: moment(),
    /** After this time, the session is refused unless the provider confirms it. */
    confirmedUntil: moment(),
    /**
     * Authentication code for the session. Only a process with its token or client secret can
     * compute it.
     */
    proof: text(),
    /** Why the session ended, as a sentence. */
    ended: text().optional(),
  },
  { indexes: { sessionsByPerson: ['issuer', 'subject'], sessionsByEnd: ['endsAt'] } },
);

/** All tables of the record store. */
const tables = {
  factHead,
  days,
  dayContents,
  supersededContents,
  ledgerImports,
  ledgerImportContents,
  syncRuns,
  trail,
  trailHead,
  cases,
  alerts,
  seals,
  sealFlows,
  sealedDays,
  sealedContents,
  journals,
  journalContents,
  people,
  sessions,
};

/** The tables for Kysely. */
export type FactTables = KyselyTables<typeof tables>;
export const storeRows = new TableRows(tables);

/** Stores from before this baseline have migrations with smaller numbers, and lack this one. */
const BASELINE = '0016-baseline';

/** The record store versions that this program uses. */
export const schema: StoreSchema = {
  migrations: migrationsOf(tables, BASELINE, {
    async [BASELINE](db: Kysely<Pick<FactTables, 'factHead' | 'trailHead'>>) {
      const own = db.withPlugin(storeRows);
      const head = { one: 1, storeId: randomUUID(), lastNumber: 0, fence: 0, holder: '', until: 0 };
      await own.insertInto('factHead').values(head).execute();
      const end = { one: 1, seq: 0, hash: GENESIS, folded: FOLD_VERSION };
      await own.insertInto('trailHead').values(end).execute();
    },
  }),
  program: 'financing-reconcile',
  oldest: BASELINE,
  replacement:
    'name a new, empty store in RECONCILIATION_STORE, sync, and import the ledgers again',
};

/* Row types. Times are milliseconds since 1970. */
export type FundingDay = Row<typeof days>;
export type DayState = FundingDay['state'];
export type SupersededContent = Row<typeof supersededContents>;
export type LedgerImportFact = Row<typeof ledgerImports>;
export type ImportOrigin = NonNullable<LedgerImportFact['origin']>;
export type SyncRun = Row<typeof syncRuns>;
/** A case in the cache. */
export type StoredCase = Row<typeof cases>;
export type TrailEvent = Row<typeof trail>;
export type SealRow = Row<typeof seals>;
export type AlertRow = Omit<Row<typeof alerts>, 'body'>;
export type JournalFact = Row<typeof journals>;
export type SessionRow = Row<typeof sessions>;
