import type { Kysely, Transaction } from 'kysely';
import type { CaseReader, CaseWriter } from './case-facts.ts';
import { fromCase, toCase, toEvent } from './rows.ts';
import type { FactTables } from './schema.ts';
import type { FactNumber } from './store.ts';
import { ofTrail } from './trail-filter.ts';

export function caseReader(db: Kysely<FactTables>): CaseReader {
  const cases = () => db.selectFrom('cases').selectAll();
  return {
    async caseChain() {
      const row = await db.selectFrom('case_chain').selectAll().executeTakeFirstOrThrow();
      return { seq: row.last_seq, hash: row.last_hash };
    },

    async findCase(id) {
      const row = await cases().where('id', '=', id).executeTakeFirst();
      return row && toCase(row);
    },

    async findCases({ ids, state, unalerted, after = '', limit }) {
      let query = cases().where('id', '>', after);
      if (ids !== undefined) query = query.where('id', 'in', ids);
      if (state !== undefined) query = query.where('state', '=', state);
      if (unalerted === true) query = query.where('alerted_at', 'is', null);
      return (await query.orderBy('id').limit(limit).execute()).map(toCase);
    },

    async casesOfOrders(orderKeys) {
      if (orderKeys.length === 0) return [];
      const rows = await cases().where('order_key', 'in', orderKeys).orderBy('id').execute();
      return rows.map(toCase);
    },

    async casesMergedInto(ids) {
      if (ids.length === 0) return [];
      const rows = await cases().where('merged_into', 'in', ids).orderBy('id').execute();
      return rows.map(toCase);
    },

    async casesLeftMerged(limit) {
      const rows = await cases()
        .where('state', '=', 'open')
        .where('merged_into', 'is not', null)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('cases as main')
                .select('main.id')
                .whereRef('main.id', '=', 'cases.merged_into')
                .where('main.state', '=', 'open')
                .where('main.merged_into', 'is', null),
            ),
          ),
        )
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toCase);
    },

    async caseEvents({ caseIds, after, limit }) {
      let query = db.selectFrom('case_events').selectAll().where('seq', '>', after);
      if (caseIds !== undefined) query = query.where('case_id', 'in', caseIds);
      return (await query.orderBy('seq').limit(limit).execute()).map(toEvent);
    },

    async newestCaseEvents(before, limit, filter) {
      const rows = await db
        .selectFrom('case_events')
        .selectAll()
        .where('seq', '<', before)
        .where(ofTrail(filter))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toEvent);
    },

    async caseEventOfKey(key) {
      const row = await db
        .selectFrom('case_events')
        .selectAll()
        .where('key', '=', key)
        .executeTakeFirst();
      return row && toEvent(row);
    },

    async caseEventsOfKeys(prefix) {
      const rows = await db
        .selectFrom('case_events')
        .selectAll()
        .where('key', '>', prefix)
        // Greater than any ASCII character.
        .where('key', '<', `${prefix}\u{7f}`)
        .execute();
      return rows.map(toEvent);
    },

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

/** Rows per statement: SQLite accepts 32,766 parameters. */
const BATCH = 500;

function batches<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / BATCH);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  );
}

/**
 * Writes cases within a transaction that excludes all other writers.
 * @param number reserves numbers for the given number of facts and returns the last one
 */
export function caseWriter(
  tx: Transaction<FactTables>,
  number: (facts: number) => Promise<FactNumber>,
): CaseWriter {
  return {
    ...caseReader(tx),

    async writeCases({ head, events, cases, alerts, now }) {
      const last = await number(events.length);
      const first = last - events.length + 1;
      const eventRows = events.map(({ caseId, key = null, ...row }, index) => ({
        ...row,
        case_id: caseId,
        key,
        number: first + index,
      }));
      for (const rows of batches(eventRows)) {
        await tx.insertInto('case_events').values(rows).execute();
      }
      const caseRows = cases.map((row, index) => fromCase({ ...row, number: first + index }));
      for (const rows of batches(caseRows)) {
        await tx
          .insertInto('cases')
          .values(rows)
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((eb) => ({
              number: eb.ref('excluded.number'),
              state: eb.ref('excluded.state'),
              amount: eb.ref('excluded.amount'),
              count: eb.ref('excluded.count'),
              since: eb.ref('excluded.since'),
              content_hash: eb.ref('excluded.content_hash'),
              assignee: eb.ref('excluded.assignee'),
              reason: eb.ref('excluded.reason'),
              open_since: eb.ref('excluded.open_since'),
              updated_at: eb.ref('excluded.updated_at'),
              alerted_at: eb.ref('excluded.alerted_at'),
              snoozed_until: eb.ref('excluded.snoozed_until'),
              snoozed_content: eb.ref('excluded.snoozed_content'),
              mentions: eb.ref('excluded.mentions'),
              merged_into: eb.ref('excluded.merged_into'),
            })),
          )
          .execute();
      }
      await tx
        .updateTable('case_chain')
        .set({ last_seq: head.seq, last_hash: head.hash })
        .execute();
      for (const { id, caseId, body } of alerts) {
        await tx
          .insertInto('alerts')
          .values({
            id,
            case_id: caseId,
            body,
            created_at: now,
            tries: 0,
            next_attempt_at: now,
            delivered_at: null,
            last_reason: null,
          })
          .execute();
      }
    },
  };
}
