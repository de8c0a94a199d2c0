import {
  applyEvents,
  type CaseEvent as NewCaseEvent,
} from '@financing-checkout/reconciliation-rules';
import type { Kysely, Transaction } from 'kysely';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import type { CaseEvent, CaseReader, CaseWriter } from './case-facts.ts';
import type { ChainHead } from './chain.ts';
import { fromCase, toCase, toEvent } from './rows.ts';
import type { FactTables } from './schema.ts';
import type { FactNumber } from './store.ts';
import { ofTrail } from './trail-filter.ts';

/** Reads cases and their audit trail. */
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

/** Appends events to the chain, each hashed with its predecessor. */
function chainEvents(
  head: ChainHead,
  events: readonly NewCaseEvent[],
): { chained: CaseEvent[]; head: ChainHead } {
  let { seq, hash } = head;
  const chained: CaseEvent[] = [];
  for (const { detail, key, ...event } of events) {
    const next = { ...event, seq: seq + 1, detail: JSON.stringify(detail), previous: hash, key };
    hash = eventHash(next);
    seq = next.seq;
    chained.push({ ...next, hash });
  }
  return { chained, head: { seq, hash } };
}

/** Returns the SHA-256 of an event, its position in the trail and the previous hash. */
export function eventHash(event: Omit<CaseEvent, 'hash'>): string {
  const { seq, caseId, at, kind, actor, detail, previous, key } = event;
  return sha256(canonicalJson({ seq, caseId, at, kind, actor, detail, previous, key }));
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

    async record(events, known, alerts = []) {
      if (events.length === 0) return;
      const last = await number(events.length);
      const first = last - events.length + 1;
      const after = new Map(known);
      applyEvents(after, events);
      const numbers = new Map(events.map(({ caseId }, index) => [caseId, first + index]));
      const caseRows = [...numbers].flatMap(([id, number]) => {
        const one = after.get(id);
        return one === undefined ? [] : fromCase({ ...one, number });
      });
      const { chained, head } = chainEvents(await this.caseChain(), events);
      const eventRows = chained.map(({ caseId, key = null, ...row }, index) => ({
        ...row,
        case_id: caseId,
        key,
        number: first + index,
      }));
      for (const rows of batches(eventRows)) {
        await tx.insertInto('case_events').values(rows).execute();
      }
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
            created_at: events[0]?.at ?? 0,
            tries: 0,
            next_attempt_at: events[0]?.at ?? 0,
            delivered_at: null,
            last_reason: null,
          })
          .execute();
      }
    },
  };
}
