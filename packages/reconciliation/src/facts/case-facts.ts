import {
  caseEventDetailSchema,
  caseEventKinds,
  type CaseState,
  foldedCaseSchema,
} from '@financing-checkout/contract/reconciliation';
import {
  applyEvents,
  type Case,
  type CaseEvent,
  type Cases,
  FOLD_VERSION,
} from '@financing-checkout/reconciliation-rules';
import { isSqlite, migrationStatements } from '@financing-checkout/kit/sql';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { canonicalJson } from '../platform/digest.ts';
import type { NewAlert } from './alert-facts.ts';
import {
  alerts as alertTable,
  cases as caseTable,
  type FactNumber,
  type FactTables,
  type StoredCase,
  trail as trailTable,
  type TrailEvent,
} from './schema.ts';
import { append, batchesOf, lockTrail, trailFacts } from './trail.ts';

/** The current state of a case, with the number of its last change. */
export interface CaseFact extends Case {
  number: FactNumber;
}

/** An event of a case in the trail. Its number is the case's number until the next event. */
export interface CaseEventFact extends TrailEvent {
  number: FactNumber;
}

export interface CaseQuery {
  /** Restricts the query to these cases. */
  ids?: readonly string[] | undefined;
  state?: CaseState | undefined;
  /** Only cases without an alert to finance. */
  unalerted?: boolean | undefined;
  /** Cases after this id. */
  after?: string | undefined;
  limit: number;
}

export type CaseReader = ReturnType<typeof caseReader>;
/** Access to cases within a transaction that excludes other case changes. */
export type CaseWriter = ReturnType<typeof caseWriter>;

const EVENTS = 500;
const kinds = z.enum(caseEventKinds);

/**
 * Returns a case's event in the form that `fold` takes; undefined for another event.
 * @throws {z.ZodError} for an event that this program did not write
 */
export function toCaseEvent(event: TrailEvent): CaseEvent | undefined {
  const { actor, at, detail, kind, number, subject } = event;
  if (number === undefined) return undefined;
  const stated = caseEventDetailSchema.parse(JSON.parse(detail));
  return { caseId: subject, at, kind: kinds.parse(kind), actor, detail: stated };
}

export function fromCase({ number, ...one }: CaseFact): StoredCase {
  return {
    id: one.id,
    number,
    orderKey: one.orderKey,
    currency: one.currency,
    code: one.code,
    state: one.state,
    assignee: one.assignee,
    alerted: one.alertedAt === undefined ? 0 : 1,
    mergedInto: one.mergedInto,
    body: canonicalJson(one),
  };
}

export function toCase({ body, number }: Pick<StoredCase, 'body' | 'number'>): CaseFact {
  return { ...foldedCaseSchema.parse(JSON.parse(body)), number };
}

/** Returns the event if it belongs to a case. */
function ofCase({ number, ...event }: TrailEvent): CaseEventFact[] {
  return number === undefined ? [] : [{ ...event, number }];
}

/** Reads cases. The analytics database answers filtered queries. */
export function caseReader(db: Kysely<FactTables>) {
  const cases = () => db.selectFrom('cases').select(['body', 'number']);
  const trail = trailFacts(db);
  return {
    eventOfKey: (key: string) => trail.eventOfKey(key),

    async findCase(id: string) {
      const row = await cases().where('id', '=', id).executeTakeFirst();
      return row && toCase(row);
    },

    async findCases({ ids, state, unalerted, after = '', limit }: CaseQuery) {
      let query = cases().where('id', '>', after);
      if (ids !== undefined) query = query.where('id', 'in', ids);
      if (state !== undefined) query = query.where('state', '=', state);
      if (unalerted === true) query = query.where('alerted', '=', 0);
      return (await query.orderBy('id').limit(limit).execute()).map(toCase);
    },

    async casesOfOrders(orderKeys: readonly string[]) {
      if (orderKeys.length === 0) return [];
      const rows = await cases().where('orderKey', 'in', orderKeys).orderBy('id').execute();
      return rows.map(toCase);
    },

    /** Returns the cases merged into one of these, including closed ones. */
    async casesMergedInto(ids: readonly string[]) {
      if (ids.length === 0) return [];
      const rows = await cases().where('mergedInto', 'in', ids).orderBy('id').execute();
      return rows.map(toCase);
    },

    /** Returns events of cases in trail order. */
    async caseEvents(ids: readonly string[]) {
      const found: CaseEventFact[] = [];
      if (ids.length === 0) return found;
      for (let after = 0; ;) {
        const page = await trail.trailEvents({ subjects: ids, after, limit: EVENTS });
        found.push(...page.flatMap(ofCase));
        after = page.at(-1)?.seq ?? after;
        if (page.length < EVENTS) return found;
      }
    },

    /** Returns cases as stored, in id order, so that they can be verified. */
    async storedCases(after: string, limit: number): Promise<StoredCase[]> {
      const rows = await db
        .selectFrom('cases')
        .selectAll()
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(caseTable.read);
    },

    /** Returns the events of cases whose keys begin with an ASCII text. */
    async eventsOfKeys(prefix: string) {
      const rows = await db
        .selectFrom('trail')
        .selectAll()
        .where('key', '>', prefix)
        // Greater than any ASCII character.
        .where('key', '<', `${prefix}\u{7f}`)
        .execute();
      return rows.map(trailTable.read).flatMap(ofCase);
    },

    /** Returns the people to whom cases are assigned. */
    async assignees() {
      const rows = await db
        .selectFrom('cases')
        .select('assignee')
        .distinct()
        .where('assignee', 'is not', null)
        .orderBy('assignee')
        .execute();
      return rows.flatMap(({ assignee }) => assignee ?? []);
    },
  };
}

/**
 * Writes cases within a transaction that excludes all other writers.
 * @param number reserves numbers for the given number of facts and returns the last one
 */
export function caseWriter(
  tx: Transaction<FactTables>,
  number: (facts: number) => Promise<FactNumber>,
) {
  return {
    ...caseReader(tx),

    /**
     * Writes events, each as one fact, and the resulting cases: see `fold`.
     * @param known the cases before these events, as read in this transaction
     */
    async record(events: readonly CaseEvent[], known: Cases, alerts: readonly NewAlert[] = []) {
      const at = events[0]?.at;
      if (at === undefined) return;
      const first = (await number(events.length)) - events.length + 1;
      const after = new Map(known);
      applyEvents(after, events);
      const numbers = new Map(events.map(({ caseId }, index) => [caseId, first + index]));
      await writeCases(tx, after, numbers);
      for (const { id, caseId, body } of alerts) {
        await tx
          .insertInto('alerts')
          .values(
            alertTable.write({ id, caseId, body, createdAt: at, tries: 0, nextAttemptAt: at }),
          )
          .execute();
      }
      const rows = events.map(({ caseId: subject, ...event }, index) => ({
        ...event,
        subject,
        number: first + index,
      }));
      await append(tx, rows);
    },
  };
}

async function writeCases(
  tx: Transaction<FactTables>,
  cases: ReadonlyMap<string, Case>,
  numbers: ReadonlyMap<string, FactNumber>,
): Promise<void> {
  const rows = [...numbers].flatMap(([id, number]) => {
    const one = cases.get(id);
    return one === undefined ? [] : [caseTable.write(fromCase({ ...one, number }))];
  });
  for (const batch of batchesOf(rows)) {
    await tx
      .insertInto('cases')
      .values(batch)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          number: eb.ref('excluded.number'),
          state: eb.ref('excluded.state'),
          assignee: eb.ref('excluded.assignee'),
          alerted: eb.ref('excluded.alerted'),
          mergedInto: eb.ref('excluded.mergedInto'),
          body: eb.ref('excluded.body'),
        })),
      )
      .execute();
  }
}

/** Rebuilds the cases from the trail if they are missing or were built by another version of `fold`. */
export async function keepCases(db: Kysely<FactTables>): Promise<void> {
  if (await hasCases(db)) return;
  await db.transaction().execute(async (tx) => {
    // Takes locks in the same order as writers of cases.
    await tx
      .updateTable('factHead')
      .set((eb) => ({ one: eb.ref('one') }))
      .execute();
    await lockTrail(tx);
    await tx.schema.dropTable('cases').ifExists().execute();
    const kind = isSqlite(db) ? 'sqlite' : 'postgres';
    for (const statement of migrationStatements({ cases: caseTable }, kind)) {
      await sql.raw(statement).execute(tx);
    }
    const cases = new Map<string, Case>();
    const numbers = new Map<string, FactNumber>();
    const trail = trailFacts(tx);
    for (let after = 0; ;) {
      const page = await trail.trailEvents({ after, limit: EVENTS });
      for (const one of page) {
        after = one.seq;
        const event = toCaseEvent(one);
        if (event === undefined || one.number === undefined) continue;
        applyEvents(cases, [event]);
        numbers.set(event.caseId, one.number);
      }
      if (page.length < EVENTS) break;
    }
    await writeCases(tx, cases, numbers);
    await tx.updateTable('trailHead').set({ folded: FOLD_VERSION }).execute();
  });
}

async function hasCases(db: Kysely<FactTables>): Promise<boolean> {
  const table = isSqlite(db)
    ? sql`exists (select 1 from sqlite_master where name = 'cases')`
    : sql`to_regclass('cases') is not null`;
  const { found } = await db.selectNoFrom(table.as('found')).executeTakeFirstOrThrow();
  if (!found) return false;
  const { folded } = await db.selectFrom('trailHead').select('folded').executeTakeFirstOrThrow();
  if (folded !== FOLD_VERSION) return false;
  const row = (from: 'cases' | 'trail') => db.selectFrom(from).select('number').limit(1);
  if ((await row('cases').executeTakeFirst()) !== undefined) return true;
  return (await row('trail').where('number', 'is not', null).executeTakeFirst()) === undefined;
}
