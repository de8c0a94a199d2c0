import { type Kysely, sql } from 'kysely';
import { advance } from './head.ts';
import type { FactTables } from './schema.ts';
import type { FactStore } from './store.ts';

type AlertFacts = Pick<
  FactStore,
  'alerts' | 'queueAlert' | 'claimAlerts' | 'finishAlert' | 'replayAlert'
>;

/** Messages to finance and the state of their delivery. */
export function alertFacts(db: Kysely<FactTables>): AlertFacts {
  return {
    async alerts({ state, after, limit }) {
      let query = db
        .selectFrom('alerts')
        .select(['id', 'case_id', 'created_at', 'tries'])
        .select(['next_attempt_at', 'delivered_at', 'last_reason']);
      if (state === 'delivered') query = query.where('delivered_at', 'is not', null);
      if (state === 'waiting' || state === 'dead') {
        const isWaiting = state === 'waiting' ? 'is not' : 'is';
        query = query.where('delivered_at', 'is', null).where('next_attempt_at', isWaiting, null);
      }
      if (after !== undefined) {
        query = query.where(
          sql<boolean>`(created_at, id) > (select created_at, id from alerts where id = ${after})`,
        );
      }
      const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
      return rows.map((row) => ({
        id: row.id,
        caseId: row.case_id,
        createdAt: row.created_at,
        tries: row.tries,
        nextAttemptAt: row.next_attempt_at ?? undefined,
        deliveredAt: row.delivered_at ?? undefined,
        reason: row.last_reason ?? undefined,
      }));
    },

    queueAlert: (fence, { id, caseId, body }, now) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
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
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      }),

    async claimAlerts(fence, now, until, limit) {
      const due = (db: Kysely<FactTables>) =>
        db.selectFrom('alerts').select('id').where('next_attempt_at', '<=', now);
      // Called every second, so it writes only if a message is due.
      if ((await due(db).limit(1).executeTakeFirst()) === undefined) return [];
      return db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const rows = await due(tx).orderBy('next_attempt_at').orderBy('id').limit(limit).execute();
        if (rows.length === 0) return [];
        const claimed = await tx
          .updateTable('alerts')
          .set((eb) => ({ next_attempt_at: until, tries: eb('tries', '+', 1) }))
          .where(
            'id',
            'in',
            rows.map(({ id }) => id),
          )
          .returning(['id', 'case_id', 'body', 'tries'])
          .execute();
        return claimed.map(({ id, case_id: caseId, body, tries }) => ({ id, caseId, body, tries }));
      });
    },

    finishAlert: (fence, { id, tries }, result, now) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await tx
          .updateTable('alerts')
          .set({
            next_attempt_at: result.kind === 'retry' ? result.at : null,
            delivered_at: result.kind === 'delivered' ? now : null,
            last_reason: result.kind === 'delivered' ? null : result.reason,
          })
          .where('id', '=', id)
          // A later attempt has its own result.
          .where('tries', '=', tries)
          .execute();
      }),

    replayAlert: (fence, id, now) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const { numUpdatedRows } = await tx
          .updateTable('alerts')
          .set({ next_attempt_at: now, tries: 0, delivered_at: null, last_reason: null })
          .where('id', '=', id)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
  };
}
